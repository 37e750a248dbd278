package mcpserver_test

import (
	"context"
	"errors"
	"os"
	"testing"

	"github.com/google/uuid"
	"github.com/rogpeppe/go-internal/testscript"

	"dev.lithos/cli"
)

// TestMain lets the test binary be lithos as well: children run it under that
// name, with the main function of the program.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"lithos":           lithos,
		"parent-of-lithos": parent,
		// Its first new id panics, which is inside a write transaction.
		"lithos-that-panics": func() {
			uuid.SetRand(noRandomness{})
			lithos()
		},
	})
}

func lithos() { os.Exit(cli.Main(context.Background(), os.Args, cli.SystemEnv())) }

// noRandomness is a source of random bytes that has none.
type noRandomness struct{}

// Read fails.
func (noRandomness) Read([]byte) (int, error) {
	return 0, errors.New("no randomness, as a test wants it")
}
