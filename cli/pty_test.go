package cli_test

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// onPTY runs lithos on a terminal that answers nothing and returns what it
// wrote there and how long it took.
func onPTY(t *testing.T, dir string, args ...string) (string, time.Duration) {
	t.Helper()
	cmd := exec.Command("lithos", args...)
	cmd.Dir = dir
	for _, v := range os.Environ() {
		// A test runner's CI=… would keep the UI library silent by itself.
		if name, _, _ := strings.Cut(v, "="); name != "CI" && name != "NO_COLOR" {
			cmd.Env = append(cmd.Env, v)
		}
	}
	cmd.Env = append(cmd.Env, "TERM=xterm-256color", "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir, "LITHOS_DB=", "LITHOS_DATA_DIR=")
	started := time.Now()
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	var out bytes.Buffer
	// Reading a terminal whose program has ended fails with EIO.
	if _, err := io.Copy(&out, terminal); err != nil && !errors.Is(err, syscall.EIO) {
		t.Fatal(err)
	}
	var exit *exec.ExitError
	if err := cmd.Wait(); err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	return out.String(), time.Since(started)
}

// colours are the only escape sequences a command may write.
var colours = regexp.MustCompile("\x1b\\[[0-9;]*m")

// TestSilentTerminal holds that no command asks the terminal anything or
// waits for its answer: what it writes are colours at most, and without
// colour not one escape byte.
func TestSilentTerminal(t *testing.T) {
	empty, seeded := t.TempDir(), t.TempDir()
	seed(t, filepath.Join(seeded, ".lithos", "lithos.db"))
	for _, c := range []struct {
		dir     string
		args    []string
		colours bool
	}{
		{empty, []string{"version"}, false},
		{empty, []string{"--help"}, false},
		{empty, []string{"task", "ready", "--help"}, false},
		{empty, []string{"task", "ready"}, false}, // the error of a missing store
		{empty, []string{"where", "--json"}, false},
		{seeded, []string{"task", "ready"}, true},
		{seeded, []string{"task", "ready", "--color=never"}, false},
		{seeded, []string{"task", "get", "9c1f02", "--color=never"}, false},
		{seeded, []string{"task", "why", "9c1f02"}, true},
		{seeded, []string{"task", "list", "--json"}, false},
	} {
		out, took := onPTY(t, c.dir, c.args...)
		rest := out
		if c.colours {
			if rest = colours.ReplaceAllString(out, ""); rest == out {
				t.Errorf("%q shows no colour on a terminal: %q", c.args, out)
			}
		}
		if strings.ContainsRune(rest, '\x1b') || out == "" {
			t.Errorf("%q writes %q", c.args, out)
		}
		if took > time.Second {
			t.Errorf("%q took %s", c.args, took)
		}
	}
}
