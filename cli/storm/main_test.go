package storm

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"dev.lithos/cli"
)

// TestMain lets the test binary be the program as well, and the others that
// take part in a storm.
func TestMain(m *testing.M) {
	testscript.Main(withoutLeaks{m}, map[string]func(){
		"lithos":   func() { os.Exit(cli.Main(context.Background(), os.Args, cli.SystemEnv())) },
		"worker":   role(work),
		"holder":   role(hold),
		"measured": role(measure),
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

// role makes a command of a function.
func role(play func(args []string) error) func() {
	return func() {
		if err := play(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
}

// patience is how long a test waits for what must come.
const patience = 60 * time.Second

// field is a place with one store in which processes run.
type field struct {
	testing.TB
	dir  string
	path string // of the store
	env  []string
}

// newField makes a store.
func newField(t testing.TB) *field {
	t.Helper()
	f := bareField(t)
	f.lithos("init")
	return f
}

// bareField makes a place without a store.
func bareField(t testing.TB) *field {
	t.Helper()
	f := &field{TB: t, dir: t.TempDir()}
	f.path = filepath.Join(f.dir, ".lithos", "lithos.db")
	for _, v := range os.Environ() {
		if name, _, _ := strings.Cut(v, "="); !strings.HasPrefix(name, "LITHOS") && !strings.HasPrefix(name, "XDG") && name != "TZ" {
			f.env = append(f.env, v)
		}
	}
	f.env = append(f.env, "HOME="+f.dir, "GORACE=atexit_sleep_ms=0 "+os.Getenv("GORACE"))
	return f
}

// command prepares a process.
func (f *field) command(name string, args ...string) *exec.Cmd {
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = f.dir, f.env
	return cmd
}

// lithos runs the program, which has to succeed, and returns what it prints.
func (f *field) lithos(args ...string) string {
	f.Helper()
	stdout, stderr, status := f.try(args...)
	if status != 0 {
		f.Fatalf("lithos %q: status %d\n%s%s", args, status, stdout, stderr)
	}
	return strings.TrimSuffix(stdout, "\n")
}

// try runs the program and returns what it prints and its status.
func (f *field) try(args ...string) (stdout, stderr string, status int) {
	f.Helper()
	cmd := f.command("lithos", args...)
	var out, complaints strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &complaints
	if err := cmd.Run(); err != nil && cmd.ProcessState == nil {
		f.Fatal(err)
	}
	return out.String(), complaints.String(), cmd.ProcessState.ExitCode()
}
