//go:build testclock

package cli

import (
	"os"
	"strings"
	"time"
)

// clock is the system's, unless the environment sets another: a moment at which
// it stands still, or, after an @, the name of a file that holds one and may be
// changed at any time. Only builds for tests have it.
func clock() time.Time {
	text, set := os.LookupEnv("LITHOS_TEST_NOW")
	if !set {
		return time.Now()
	}
	if name, ok := strings.CutPrefix(text, "@"); ok {
		content, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		text = strings.TrimSpace(string(content))
	}
	now, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		panic(err)
	}
	return now
}
