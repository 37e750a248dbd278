package cli_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	_ "github.com/mattn/go-sqlite3" // to look into the file behind the program's back
	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs lithos as people and programs type it. Scripts have, beside
// the usual commands:
//
//	seed [DIR]      make .lithos/lithos.db in DIR with the graph of seed
//	old N PATH      put a store of the schema N at PATH, and its export at exported
//	cut PATH SIZE   cut a file off at a length
//	change PATH SQL change a store behind the program's back
//	status N CMD…   run a command that ends with exit status N
func TestScripts(t *testing.T) {
	started, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
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
			"old": func(ts *testscript.TestScript, _ bool, args []string) {
				content, err := os.ReadFile(filepath.Join(started, "..", "store", "testdata", "schema-"+args[0]+".db"))
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs(args[1]), content, 0o600))
				exported, err := os.ReadFile(filepath.Join(started, "..", "store", "testdata", "schema-"+args[0]+".jsonl"))
				ts.Check(err)
				ts.Check(os.WriteFile(ts.MkAbs("exported"), exported, 0o600))
			},
			"cut": func(ts *testscript.TestScript, _ bool, args []string) {
				size, err := strconv.ParseInt(args[1], 10, 64)
				ts.Check(err)
				ts.Check(os.Truncate(ts.MkAbs(args[0]), size))
			},
			"change": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(changeStore(ts.MkAbs(args[0]), args[1]))
			},
			"status": exitStatus,
		},
	})
}

// changeStore runs SQL on a store, without any of its guards.
func changeStore(path, text string) (err error) {
	db, err := sql.Open("sqlite3", "file:"+path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	db.SetMaxOpenConns(1)
	_, err = db.Exec("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON; PRAGMA writable_schema = ON; " + text)
	return err
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
