package store

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"go.uber.org/goleak"
)

// Tests that need other processes run this very binary again, with the name
// of a role in the environment.
const roleVariable = "LITHOS_STORE_TEST_ROLE"

// roles are what another process can be told to do. A role ends the process
// with the error it returns.
var roles = map[string]func(args []string) error{}

func TestMain(m *testing.M) {
	if role := os.Getenv(roleVariable); role != "" {
		play, known := roles[role]
		if !known {
			fmt.Fprintln(os.Stderr, "no such role:", role)
			os.Exit(2)
		}
		if err := play(os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	code := m.Run()
	if code == 0 {
		// Whatever a test began has ended with it.
		if err := goleak.Find(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	if publicPath != "" {
		_ = os.RemoveAll(filepath.Dir(publicPath))
	}
	os.Exit(code)
}

// actor is another process that plays a role.
type actor struct {
	cmd    *exec.Cmd
	output bytes.Buffer
	stdin  io.WriteCloser
}

// actAs prepares a process. Its standard input stays open until the process
// is to go on or to end.
func actAs(t testing.TB, role string, args ...string) *actor {
	t.Helper()
	a := &actor{cmd: exec.Command(testBinary(t), args...)}
	a.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	a.cmd.Stderr = &a.output
	var err error
	if a.stdin, err = a.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	return a
}

// testBinary is this program where everybody may execute it.
func testBinary(t testing.TB) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

func (a *actor) start(t testing.TB) io.Reader {
	t.Helper()
	stdout, err := a.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return stdout
}

// run starts a process and waits for its end; its output is returned.
func (a *actor) run(t testing.TB) string {
	t.Helper()
	var output bytes.Buffer
	a.cmd.Stdout = &output
	if err := a.cmd.Run(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(a.cmd.Args, " "), err, a.output.String())
	}
	return output.String()
}

// publicFolder is a folder that everybody may enter, of the user that
// ordinary processes run as.
func publicFolder(t testing.TB) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "lithos-store-public") //nolint:usetesting // others must be able to enter all of the path
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := os.RemoveAll(folder); err != nil {
			t.Error(err)
		}
	})
	if os.Geteuid() == 0 {
		if err := os.Chown(folder, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

// nobody is a user without rights.
const nobody = 65534

// ordinary makes the process run without the rights of the superuser. Where
// the tests themselves run without them it is left as it is.
func (a *actor) ordinary(t testing.TB) *actor {
	t.Helper()
	if os.Geteuid() != 0 {
		return a
	}
	// The binary lies where only its owner may look.
	publicBinary.Do(func() {
		var folder string
		folder, publicError = os.MkdirTemp("", "lithos-store-binary") //nolint:usetesting // outlives the test
		if publicError != nil {
			return
		}
		if publicError = os.Chmod(folder, 0o755); publicError != nil {
			return
		}
		publicPath = filepath.Join(folder, "store.test")
		var content []byte
		if content, publicError = os.ReadFile(testBinary(t)); publicError == nil {
			publicError = os.WriteFile(publicPath, content, 0o755)
		}
	})
	if publicError != nil {
		t.Fatal(publicError)
	}
	a.cmd.Path, a.cmd.Args[0] = publicPath, publicPath
	a.cmd.Dir = "/"
	a.cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	return a
}

var (
	publicBinary sync.Once
	publicPath   string
	publicError  error
)
