package cli_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"dev.lithos/cli"
	"dev.lithos/core"
)

// peakVariable names the file that a weighed call writes its peak to.
const peakVariable = "LITHOS_TEST_PEAK"

// weighed is lithos that writes down, as the kernel tells it at the end, how
// much memory it had resident at most.
func weighed() {
	status := cli.Main(context.Background(), os.Args, cli.SystemEnv())
	text, err := os.ReadFile("/proc/self/status")
	if err == nil {
		err = os.WriteFile(os.Getenv(peakVariable), text, 0o600)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		status = 1
	}
	os.Exit(status)
}

var peakLine = regexp.MustCompile(`VmHWM:\s+(\d+) kB`)

// weigh runs lithos and returns its output and the memory it had resident at
// most, in bytes.
func weigh(t *testing.T, args ...string) (output []byte, peak int64) {
	t.Helper()
	note := filepath.Join(t.TempDir(), "peak")
	command := exec.Command("lithos-weighed", args...)
	command.Env = append(os.Environ(), peakVariable+"="+note)
	var stderr bytes.Buffer
	command.Stderr = &stderr
	output, err := command.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", args, err, stderr.String())
	}
	text, err := os.ReadFile(note)
	if err != nil {
		t.Fatal(err)
	}
	match := peakLine.FindSubmatch(text)
	if match == nil {
		t.Fatalf("the kernel does not tell the peak:\n%s", text)
	}
	kib, err := strconv.ParseInt(string(match[1]), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return output, kib << 10
}

// TestMemory holds the commands that print everything to memory that does not
// grow with what they print: the texts of the store alone are 40 MB and stand twice in an answer that is collected.
func TestMemory(t *testing.T) {
	if _, err := os.Stat("/proc/self/status"); err != nil {
		t.Skip("the kernel does not tell how much memory a process had")
	}
	const tasks, limit = 5_000, 64 << 20
	path := filepath.Join(t.TempDir(), "lithos.db")
	env := cli.SystemEnv()
	store, err := env.OpenStore(t.Context(), cli.StoreOptions{Path: path, Create: true, Synchronous: "normal"})
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Repeat("much to read. ", 8<<10/14)
	err = store.Write(t.Context(), func(tx core.WriteTx) error {
		return tx.Load(func(l core.Loader) error {
			for i := range tasks {
				task := core.Task{TaskHead: core.TaskHead{
					ID: fmt.Sprintf("%08x", i*2654435761&0xffffffff), Title: fmt.Sprintf("Task %d", i), Status: core.StatusOpen, Type: core.TypeTask,
					CreatedAt: core.Stamp(i + 1), UpdatedAt: core.Stamp(i + 1), Version: 1,
				}, CreatedBy: "mo", Description: &text}
				if _, err := l.InsertTask(task, core.FacetsOf(task.Type, task.Metadata)); err != nil {
					return err
				}
			}
			return nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := core.New(core.Config{Store: store}).TaskList(t.Context(), core.TaskListRequest{})
	if err != nil {
		t.Fatal(err)
	}
	whole, err := core.EncodeJSON(result)
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"task", "list", "--json"}, {"task", "list", "--with-claims", "--json"}, {"task", "list"}, {"export"}, {"export", "--json"}, {"export", "--format", "markdown"},
	} {
		output, peak := weigh(t, append([]string{"--db", path}, args...)...)
		if peak > limit {
			t.Errorf("%q: %d MB resident", args, peak>>20)
		}
		if strings.Join(args, " ") == "task list --json" && !bytes.Equal(output, append(whole, '\n')) {
			t.Errorf("%q prints something else than the operation's answer", args)
		}
	}
}
