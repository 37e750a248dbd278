package storm

import (
	"bytes"
	"os"
	"strings"
	"testing"
)

// testClock reports whether this is a build for tests that set the clock.
var testClock = false

// TestClock_cannotBeSet holds that only builds for tests know the variable that
// sets the clock.
func TestClock_cannotBeSet(t *testing.T) {
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	// Put together here, so that this very test does not bring it in.
	variable := strings.Join([]string{"LITHOS", "TEST", "NOW"}, "_")
	if has := bytes.Contains(program, []byte(variable)); has != testClock {
		t.Errorf("the program knows %s: %t, want %t", variable, has, testClock)
	}
	if other := strings.Join([]string{"LITHOS", "TIMEOUT"}, "_"); !bytes.Contains(program, []byte(other)) {
		t.Errorf("the program does not know %s: the search finds nothing", other)
	}
}
