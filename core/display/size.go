package display

import "fmt"

// Size says how many bytes something has, in the largest decimal unit that
// leaves a whole part: 512 B, 1.2 kB, 34 MB, 1.5 GB.
func Size(bytes int64) string {
	if bytes < 1000 {
		return fmt.Sprintf("%d B", bytes)
	}
	size, units := float64(bytes), []string{"kB", "MB", "GB", "TB", "PB", "EB"}
	unit := ""
	for _, unit = range units {
		// What would be rounded to a thousand belongs to the next unit.
		if size /= 1000; size < 999.5 {
			break
		}
	}
	if size < 9.95 {
		return fmt.Sprintf("%.1f %s", size, unit)
	}
	return fmt.Sprintf("%.0f %s", size, unit)
}
