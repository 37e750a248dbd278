//go:build !testclock

package cli

import "time"

// clock is the system's.
var clock = time.Now
