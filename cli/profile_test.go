package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestProfile(t *testing.T) {
	w := seeded(t)
	plain, _, _ := w.run(t, "task", "ready", "--json")
	for _, kind := range []string{"cpu", "mem"} {
		for _, args := range [][]string{
			{"--profile", kind, kind + ".pprof", "task", "ready", "--json"},
			{"task", "ready", "--json", "--profile=" + kind, kind + ".pprof"},
		} {
			stdout, stderr, status := w.run(t, args...)
			if status != 0 || stdout != plain || stderr != "" {
				t.Errorf("%q: status %d, %s%s", args, status, stdout, stderr)
			}
			path := filepath.Join(w.env.Dir, kind+".pprof")
			text, err := os.ReadFile(path)
			if err != nil || !bytes.HasPrefix(text, []byte{0x1f, 0x8b}) {
				t.Errorf("%q wrote %d bytes that are no profile: %v", args, len(text), err)
			}
			if err := os.Remove(path); err != nil {
				t.Error(err)
			}
		}
	}
	if help, _, _ := w.run(t, "--help"); strings.Contains(help, "profile") {
		t.Error("help shows the flag")
	}
}

func TestProfile_refusals(t *testing.T) {
	w := seeded(t)
	for _, c := range []struct {
		args []string
		says string
	}{
		{[]string{"task", "ready", "--profile"}, "cpu"},
		{[]string{"task", "ready", "--profile", "disk", "x"}, "cpu"},
		{[]string{"task", "ready", "--profile", "cpu"}, "--profile cpu FILE"},
		{[]string{"task", "ready", "--profile", "mem", "--json"}, "--profile mem FILE"},
		{[]string{"task", "ready", "--profile", "cpu", "no/such/folder/x"}, "no such file"},
	} {
		stdout, stderr, status := w.run(t, c.args...)
		if status != 2 || !strings.Contains(stdout+stderr, c.says) {
			t.Errorf("%q: status %d, %s%s", c.args, status, stdout, stderr)
		}
	}
}
