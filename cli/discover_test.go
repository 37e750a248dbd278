package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestShutFolder: a folder that may not be looked into is a store that cannot
// be opened, not a configuration that cannot be used.
func TestShutFolder(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Skip("no rights keep the superuser from anything")
	}
	w := seeded(t)
	folder := filepath.Join(w.env.Dir, ".lithos")
	if err := os.Chmod(folder, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.Chmod(folder, 0o700); err != nil {
			t.Error(err)
		}
	})
	for _, line := range [][]string{{"task", "list"}, {"task", "create", "x"}, {"backup", "take"}, {"backup", "list"}, {"init"}, {"prime"}} {
		stdout, _, status := w.run(t, append(line, "--json")...)
		var e struct{ Code, Path, Reason string }
		if err := json.Unmarshal([]byte(stdout), &e); err != nil || status != 8 || e.Code != "store_unavailable" ||
			e.Reason != "permission" || e.Path != filepath.Join(folder, "lithos.db") {
			t.Errorf("%q: status %d, %s (%v)", line, status, stdout, err)
		}
	}
	for _, line := range [][]string{{"where"}, {"config"}, {"version"}} {
		if _, stderr, status := w.run(t, line...); status != 0 {
			t.Errorf("%q: status %d, %q", line, status, stderr)
		}
	}
	if stdout, _, status := w.run(t, "doctor", "--jq", `.checks[] | select(.name == "store") | .ok`); status != 8 || stdout != "false\n" {
		t.Errorf("doctor: status %d, %q", status, stdout)
	}
}

// TestPipeAsGit: what is no file is not waited for.
func TestPipeAsGit(t *testing.T) {
	w := seeded(t)
	if err := syscall.Mkfifo(filepath.Join(w.env.Dir, ".git"), 0o600); err != nil {
		t.Fatal(err)
	}
	w.env.Dir = filepath.Join(w.env.Dir, "below")
	if err := os.Mkdir(w.env.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if stdout, stderr, status := w.run(t, "where", "--jq", ".path"); status != 0 || !strings.Contains(stdout, ".lithos/lithos.db") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
}
