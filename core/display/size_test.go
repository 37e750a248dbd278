package display

import "testing"

func TestSize(t *testing.T) {
	for bytes, want := range map[int64]string{
		0: "0 B", 999: "999 B", 1000: "1.0 kB", 1250: "1.2 kB", 9949: "9.9 kB", 9951: "10 kB", 34_400_000: "34 MB",
		999_499: "999 kB", 999_501: "1.0 MB", 1_500_000_000: "1.5 GB", 1 << 62: "4.6 EB",
	} {
		if got := Size(bytes); got != want {
			t.Errorf("%d bytes are %q instead of %q", bytes, got, want)
		}
	}
}
