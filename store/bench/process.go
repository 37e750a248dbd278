package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// process is how one run of a program went.
type process struct {
	took   time.Duration
	output []byte
}

// environment is that of every process: nothing of the user's, so that no
// configuration takes part.
func (b *bench) environment() []string {
	home := filepath.Join(b.dir, "home")
	env := []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "XDG_DATA_HOME=" + home, "XDG_STATE_HOME=" + home, "LITHOS_AGENT=bench", "TERM=dumb"}
	for _, name := range []string{"PATH", "TMPDIR"} {
		if value, ok := os.LookupEnv(name); ok {
			env = append(env, name+"="+value)
		}
	}
	return env
}

// start runs a program to its end. Only the program counts, not the reading of
// its output, which goes into a file unless it is wanted.
func (b *bench) start(wanted bool, program string, args ...string) process {
	command := exec.Command(program, args...)
	command.Env, command.Dir = b.environment(), filepath.Join(b.dir, "work")
	var stdout, stderr bytes.Buffer
	command.Stderr = &stderr
	if wanted {
		command.Stdout = &stdout
	}
	start := time.Now()
	err := command.Run()
	took := time.Since(start)
	if err != nil {
		check(fmt.Errorf("%s %s: %w\n%s%s", filepath.Base(program), strings.Join(args, " "), err, stderr.String(), stdout.String()))
	}
	return process{took: took, output: stdout.Bytes()}
}

// witness is a program that runs another one and writes down how much memory
// that had resident at most, in KiB. The kernel counts the memory of whoever
// starts a process into the process, so it has to be a small one.
const witness = `package main

import (
	"os"
	"os/exec"
	"strconv"
	"syscall"
)

func main() {
	command := exec.Command(os.Args[2], os.Args[3:]...)
	command.Stderr = os.Stderr
	if err := command.Run(); err != nil {
		panic(err)
	}
	usage := command.ProcessState.SysUsage().(*syscall.Rusage)
	if err := os.WriteFile(os.Args[1], []byte(strconv.FormatInt(int64(usage.Maxrss), 10)), 0o600); err != nil {
		panic(err)
	}
}
`

// peak runs a program to its end and returns how long it took and the most
// memory it had resident, in bytes.
func (b *bench) peak(program string, args ...string) (took time.Duration, memory int64) {
	note := filepath.Join(b.dir, "peak")
	took = b.start(false, b.witness, append([]string{note, program}, args...)...).took
	text, err := os.ReadFile(note)
	check(err)
	kib, err := strconv.ParseInt(string(text), 10, 64)
	check(err)
	return took, kib << 10
}

// whole makes a side of a program that runs to its end.
func (b *bench) whole(program string, args ...string) func(int) time.Duration {
	return func(int) time.Duration { return b.start(false, program, args...).took }
}
