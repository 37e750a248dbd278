package display

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"dev.lithos/core"
)

// distanceUnits are the units of a distance from now.
var distanceUnits = map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': day, 'w': week}

// ParseMoment reads a distance from now, such as +90m, +2h or +3d, as people
// type it, and returns the time as text. Any other text is returned as it is:
// the operation judges it. field names the parameter in the error.
func ParseMoment(field, text string, now core.Stamp) (string, error) {
	distance, ok := strings.CutPrefix(text, "+")
	if !ok {
		return text, nil
	}
	bad := core.InvalidValue(field, text, fmt.Sprintf("'%s' is no distance from now; write it like +90m, +2h or +3d.", core.Clip(text)))
	if distance == "" {
		return "", bad
	}
	number, unit := distance[:len(distance)-1], distanceUnits[distance[len(distance)-1]]
	n, err := strconv.ParseUint(number, 10, 31)
	if err != nil || unit == 0 || n > uint64(math.MaxInt64/int64(unit)) {
		return "", bad
	}
	at := now.Add(time.Duration(n) * unit)
	if _, err := core.ParseStamp(at.String()); err != nil {
		return "", bad // beyond the year 9999
	}
	return at.String(), nil
}
