package cli_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/goleak"

	"dev.lithos/cli"
	"dev.lithos/core"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// TestMain makes the test binary serve as lithos too: scripts and shells find
// it in PATH under that name.
func TestMain(m *testing.M) {
	testscript.Main(withoutLeaks{m}, map[string]func(){
		"lithos":         func() { os.Exit(cli.Main(context.Background(), os.Args, cli.SystemEnv())) },
		"lithos-weighed": weighed,
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

// The ids of the graph that seed makes, as help and documentation use them.
const (
	schemaID   = "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21"
	importerID = "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11"
	gateID     = "d41e8b70-3c52-4b7a-a0f9-6a1e2f3b4c5d"
	epicID     = "0b7a9e14-5d28-4e63-b1c7-8f9e0a1b2c3d"
)

// seed puts a store in place that holds a small graph of known ids: an epic,
// a task ready below it, a task that waits for that and for a gate. The graph
// is made once and copied.
func seed(tb testing.TB, path string) {
	tb.Helper()
	seedOnce.Do(func() {
		made := filepath.Join(tb.TempDir(), "lithos.db")
		makeGraph(tb, made)
		text, err := os.ReadFile(made)
		if err != nil {
			tb.Fatal(err)
		}
		seedBytes = text
	})
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		tb.Fatal(err)
	}
	if err := os.WriteFile(path, seedBytes, 0o600); err != nil {
		tb.Fatal(err)
	}
}

var (
	seedOnce  sync.Once
	seedBytes []byte
)

func makeGraph(tb testing.TB, path string) {
	tb.Helper()
	env := cli.SystemEnv()
	store, err := env.OpenStore(tb.Context(), cli.StoreOptions{Path: path, Create: true, Synchronous: "normal"})
	if err != nil {
		tb.Fatal(err)
	}
	var next string
	events := 0
	service := core.New(core.Config{
		Store: store,
		Now:   func() time.Time { return time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC) },
		NewID: func() string {
			if id := next; id != "" {
				next = ""
				return id
			}
			events++
			return "00000000-0000-4000-8000-" + strings.Repeat("0", 11) + string(rune('a'+events%26))
		},
	})
	create := func(id string, r core.TaskCreateRequest) {
		tb.Helper()
		if events == 0 {
			// The first write of an agent makes an event before the task.
			if _, err := service.AgentRegister(tb.Context(), core.AgentRegisterRequest{ID: "ada"}); err != nil {
				tb.Fatal(err)
			}
		}
		next, r.Agent = id, "ada"
		if _, err := service.TaskCreate(tb.Context(), r); err != nil {
			tb.Fatal(err)
		}
	}
	word := func(s string) *string { return &s }
	metadata := func(s string) *core.Metadata { m := core.Metadata(s); return &m }
	create(epicID, core.TaskCreateRequest{Title: "Storage layer", TaskType: word("epic")})
	create(schemaID, core.TaskCreateRequest{
		Title: "Write schema", Tags: []string{"db"}, ParentTaskID: word(epicID),
		Metadata: metadata(`{"project":"core","priority":"high"}`),
	})
	create(gateID, core.TaskCreateRequest{Title: "CI green on main", TaskType: word("gate"), Metadata: metadata(`{"gate_type":"ci"}`)})
	create(importerID, core.TaskCreateRequest{Title: "Write importer", DependsOn: []string{schemaID}})
	if _, err := service.TaskEdgeUpsert(tb.Context(), core.TaskEdgeUpsertRequest{
		FromTaskID: gateID, ToTaskID: importerID, Type: "waits_on_gate", Agent: "ada",
	}); err != nil {
		tb.Fatal(err)
	}
	if err := store.Close(); err != nil {
		tb.Fatal(err)
	}
}

// world is one call of Main in memory.
type world struct {
	env            cli.Env
	variables      map[string]string
	stdout, stderr bytes.Buffer
}

// newWorld is a world with an empty working directory, no environment, and
// the time of the morning after the graph of seed was made.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{env: cli.SystemEnv(), variables: map[string]string{"LITHOS_AGENT": "mo"}}
	dir := t.TempDir()
	w.env.Stdin = strings.NewReader("")
	w.env.Stdout, w.env.Stderr = &w.stdout, &w.stderr
	w.env.StdinIsTerminal, w.env.StdoutIsTerminal, w.env.StderrIsTerminal = false, false, false
	w.env.Size = func() (int, int) { return 80, 24 }
	w.env.LookupEnv = func(name string) (string, bool) { v, ok := w.variables[name]; return v, ok }
	w.env.Environ = func() []string { return nil }
	w.env.Dir = dir
	w.env.ConfigHome, w.env.DataHome, w.env.StateHome = filepath.Join(dir, "config"), filepath.Join(dir, "data"), filepath.Join(dir, "state")
	w.env.TempDir = filepath.Join(dir, "tmp")
	w.env.LoginName = func() string { return "login" }
	w.env.Now = func() time.Time { return time.Date(2026, 3, 2, 9, 15, 0, 0, time.UTC) }
	w.env.Signals, w.env.RunTUI = nil, nil
	return w
}

// seeded is a world whose working directory holds the graph of seed.
func seeded(t *testing.T) *world {
	t.Helper()
	w := newWorld(t)
	seed(t, filepath.Join(w.env.Dir, ".lithos", "lithos.db"))
	return w
}

// onTerminal makes the world a terminal of the width given, without colour.
func (w *world) onTerminal(width int) *world {
	w.env.StdinIsTerminal, w.env.StdoutIsTerminal, w.env.StderrIsTerminal = true, true, true
	w.env.Size = func() (int, int) { return width, 24 }
	w.variables["NO_COLOR"] = "1"
	return w
}

// run runs lithos with the arguments and returns what it wrote.
func (w *world) run(t *testing.T, args ...string) (stdout, stderr string, status int) {
	t.Helper()
	w.stdout.Reset()
	w.stderr.Reset()
	status = cli.Main(t.Context(), append([]string{"lithos"}, args...), w.env)
	return w.stdout.String(), w.stderr.String(), status
}

// golden compares text with a golden file below testdata.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name+".golden")
	if *update {
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(want) != got {
		t.Errorf("%s differs; -update rewrites it\n--- want\n%s\n--- got\n%s", path, want, got)
	}
}
