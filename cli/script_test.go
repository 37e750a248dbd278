package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs lithos as people and programs type it. Scripts have, beside
// the usual commands:
//
//	seed [DIR]      make .lithos/lithos.db in DIR with the graph of seed
//	status N CMD…   run a command that ends with exit status N
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: *update,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			if err := os.Mkdir(home, 0o755); err != nil {
				return err
			}
			for name, value := range map[string]string{
				"HOME": home, "XDG_DATA_HOME": filepath.Join(home, "data"), "XDG_CONFIG_HOME": filepath.Join(home, "config"),
				"XDG_STATE_HOME": filepath.Join(home, "state"), "LITHOS_AGENT": "mo", "TERM": "xterm-256color", "NO_COLOR": "",
				"schema": schemaID, "importer": importerID, "gate": gateID, "epic": epicID,
			} {
				env.Setenv(name, value)
			}
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"seed": func(ts *testscript.TestScript, _ bool, args []string) {
				dir := "."
				if len(args) > 0 {
					dir = args[0]
				}
				seed(t, filepath.Join(ts.MkAbs(dir), ".lithos", "lithos.db"))
			},
			"status": exitStatus,
		},
	})
}

// exitStatus runs a command and compares its exit status.
func exitStatus(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N command [args...]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if err != nil {
		text := err.Error()
		if _, scanErr := fmt.Sscanf(text[strings.LastIndex(text, " ")+1:], "%d", &got); scanErr != nil {
			ts.Fatalf("%s: %v", strings.Join(args[1:], " "), err)
		}
	}
	if got != want {
		ts.Fatalf("%s: exit status %d, want %d", strings.Join(args[1:], " "), got, want)
	}
}
