package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dev.lithos/cli"
	"dev.lithos/core"
)

// older is a world whose working directory holds a store of the first schema.
func older(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	content, err := os.ReadFile(filepath.Join("..", "store", "testdata", "schema-1.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(w.env.Dir, ".lithos"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(w.env.Dir, ".lithos", "lithos.db"), content, 0o600); err != nil {
		t.Fatal(err)
	}
	return w
}

// TestMigrate_offered holds that a person at a terminal is offered to migrate
// an older store at once, that a no leaves it alone, and that nobody else is
// asked.
func TestMigrate_offered(t *testing.T) {
	const question = "Do it now? A backup is taken first. [y/N]"
	for name, test := range map[string]struct {
		answer  string
		args    []string
		prepare func(*world)
		asked   bool
		status  int
	}{
		"yes":           {"y\n", []string{"task", "ready"}, nil, true, 0},
		"a whole yes":   {" YES \n", []string{"stats"}, nil, true, 0},
		"a write":       {"y\n", []string{"task", "create", "T"}, nil, true, 0},
		"no":            {"n\n", []string{"task", "ready"}, nil, true, 8},
		"return":        {"\n", []string{"task", "ready"}, nil, true, 8},
		"end of input":  {"", []string{"task", "ready"}, nil, true, 8},
		"JSON":          {"y\n", []string{"task", "ready", "--json"}, nil, false, 8},
		"quiet":         {"y\n", []string{"task", "ready", "--quiet"}, nil, false, 8},
		"read-only":     {"y\n", []string{"task", "ready", "--read-only"}, nil, false, 8},
		"doctor":        {"y\n", []string{"doctor"}, nil, false, 8},
		"piped answers": {"y\n", []string{"task", "ready"}, func(w *world) { w.env.StdinIsTerminal = false }, false, 8},
		"piped errors":  {"y\n", []string{"task", "ready"}, func(w *world) { w.env.StderrIsTerminal = false }, false, 8},
	} {
		t.Run(name, func(t *testing.T) {
			w := older(t).onTerminal(80)
			if test.prepare != nil {
				test.prepare(w)
			}
			w.env.Stdin = strings.NewReader(test.answer)
			stdout, stderr, status := w.run(t, test.args...)
			if status != test.status || strings.Contains(stderr, question) != test.asked {
				t.Errorf("status %d, %s%s", status, stdout, stderr)
			}
			backups, _ := filepath.Glob(filepath.Join(w.env.Dir, ".lithos", "backups", "lithos-*-s1.db"))
			if migrated := len(backups) == 1; migrated != (test.status == 0) {
				t.Errorf("the backups are %v; %s", backups, stderr)
			}
			if test.status == 0 && (!strings.Contains(stderr, "Migrated from the schema 1 to ") || stdout == "") {
				t.Errorf("it says %q, then %q", stderr, stdout)
			}
		})
	}
}

// TestMigrate_people holds what a person sees of it.
func TestMigrate_people(t *testing.T) {
	w := older(t).onTerminal(100)
	stdout, stderr, status := w.run(t, "migrate")
	if status != 0 || stderr != "" || !strings.HasPrefix(stdout, "Migrated from the schema 1 to ") ||
		!strings.Contains(stdout, "; all 103 rows of before are the same.\n  backup: "+filepath.Join(w.env.Dir, ".lithos", "backups", "lithos-20260302T091500Z-s1.db")+"\n") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}

// TestMigrate_board holds that the board is opened on a store that was
// migrated first, and that a person who declines is told what helps.
func TestMigrate_board(t *testing.T) {
	for _, test := range []struct {
		answer string
		args   []string
		opened bool
		status int
	}{{"y\n", nil, true, 0}, {"y\n", []string{"tui"}, true, 0}, {"n\n", []string{"tui"}, false, 8}} {
		w := older(t).onTerminal(80)
		w.variables["TERM"] = "xterm"
		opened := false
		w.env.RunTUI = func(ctx context.Context, o cli.TUIOptions) error {
			service, store, err := o.Open(ctx, false)
			if err != nil {
				return err
			}
			opened = true
			if _, err := service.Stats(ctx, core.StatsRequest{}); err != nil {
				return err
			}
			return store.Close()
		}
		w.env.Stdin = strings.NewReader(test.answer)
		_, stderr, status := w.run(t, test.args...)
		if opened != test.opened || status != test.status || !strings.Contains(stderr, "[y/N]") {
			t.Errorf("%q to %q: opened %v, status %d, %s", test.answer, test.args, opened, status, stderr)
		}
		if status != 0 && !strings.Contains(stderr, "bring it up to date: lithos migrate") {
			t.Errorf("declined, it says %q", stderr)
		}
	}
}
