package mcpserver_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"

	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"dev.lithos/cli"
)

// TestMain lets the test binary be lithos as well: children run it under that
// name, with the main function of the program.
func TestMain(m *testing.M) {
	testscript.Main(withoutLeaks{m}, map[string]func(){
		"lithos":           lithos,
		"parent-of-lithos": parent,
		// Its first new id panics, which is inside a write transaction.
		"lithos-that-panics": func() {
			uuid.SetRand(noRandomness{})
			lithos()
		},
	})
}

// withoutLeaks runs the tests and then looks whether all that they began has
// ended.
type withoutLeaks struct{ *testing.M }

// Run implements [testscript.TestingM].
func (m withoutLeaks) Run() int {
	code := m.M.Run()
	if code != 0 {
		return code
	}
	if err := goleak.Find(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func lithos() { os.Exit(cli.Main(context.Background(), os.Args, cli.SystemEnv())) }

// noRandomness is a source of random bytes that has none.
type noRandomness struct{}

// Read fails.
func (noRandomness) Read([]byte) (int, error) {
	return 0, errors.New("no randomness, as a test wants it")
}
