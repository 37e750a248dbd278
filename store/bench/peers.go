package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// peer is another program of the kind. Each works on a folder of its own with
// the same tasks, made by its own import where it has one.
type peer struct {
	name    string
	program string
	// fill puts n tasks with two edges each into a new store below the folder.
	fill func(w *workplace, n int)
	// The commands for one task, the i-th of those that fill made. Nil: there is
	// none.
	ready, show, create, link, complete func(w *workplace, i int) []string
}

// workplace is the folder that one program works in.
type workplace struct {
	b       *bench
	program string
	dir     string
	ids     []string
	tooSlow bool // a command met patience: nothing more is run
}

// patience is how long one command of a peer may take.
const patience = 10 * time.Minute

// run runs the program in its folder.
func (w *workplace) run(args ...string) (time.Duration, string) {
	if w.tooSlow {
		return 0, ""
	}
	ctx, stop := context.WithTimeout(context.Background(), patience)
	defer stop()
	command := exec.CommandContext(ctx, w.program, args...)
	command.Dir = w.dir
	command.Env = append(w.b.environment(), "HOME="+w.dir, "TASKDATA="+filepath.Join(w.dir, "task"), "TASKRC="+filepath.Join(w.dir, "taskrc"), "BEADS_DIR="+filepath.Join(w.dir, ".beads"))
	start := time.Now()
	out, err := command.CombinedOutput()
	took := time.Since(start)
	if w.tooSlow = ctx.Err() != nil; w.tooSlow {
		return took, ""
	}
	if err != nil {
		check(fmt.Errorf("%s %s: %w\n%s", filepath.Base(w.program), strings.Join(args, " "), err, out))
	}
	return took, string(out)
}

// write writes a file of the folder line by line.
func (w *workplace) write(name string, lines func(line func(format string, args ...any))) string {
	path := filepath.Join(w.dir, name)
	check(os.MkdirAll(filepath.Dir(path), 0o755))
	file, err := os.Create(path)
	check(err)
	out := bufio.NewWriter(file)
	lines(func(format string, args ...any) {
		fmt.Fprintf(out, format, args...)
		check(out.WriteByte('\n'))
	})
	check(out.Flush())
	check(file.Close())
	return path
}

// The graph for peers: of ten tasks nine are closed; each waits for two older
// ones.
func peerClosed(i, n int) bool    { return i < n*9/10 }
func peerBefore(i int) (int, int) { return i / 2, max(i-7, 0) }

// peerTask is the i-th open task, so that each turn has one of its own.
func peerTask(w *workplace, i int) string { return w.ids[len(w.ids)*9/10+1+i%(len(w.ids)/10-2)] }

// seededUUID is a UUID that is the same in every run.
func seededUUID(i int) string {
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(i)*2654435761, i)
}

// beadsFile writes the graph as beads' JSON Lines, which lithos reads too.
func beadsFile(w *workplace, n int) string {
	w.ids = nil
	return w.write("graph.jsonl", func(line func(string, ...any)) {
		for i := range n {
			id := fmt.Sprintf("bd-%d", i+1)
			w.ids = append(w.ids, id)
			status, closed := "open", ""
			if peerClosed(i, n) {
				status, closed = "closed", `,"closed_at":"2026-01-02T00:00:00Z"`
			}
			edges := ""
			if a, b := peerBefore(i); i > 8 {
				edges = fmt.Sprintf(`,"dependencies":[{"issue_id":%[1]q,"depends_on_id":"bd-%[2]d","type":"blocks"},{"issue_id":%[1]q,"depends_on_id":"bd-%[3]d","type":"blocks"}]`, id, a+1, b+1)
			}
			line(`{"id":%q,"title":"Task %d of the graph","description":"A task with a text of some length, as tasks have.","status":%q,"priority":%d,"issue_type":"task","created_at":"2026-01-01T00:00:00Z","updated_at":"2026-01-01T00:00:00Z"%s%s}`,
				id, i, status, i%5, closed, edges)
		}
	})
}

func words(args ...string) func(*workplace, int) []string {
	return func(*workplace, int) []string { return args }
}

// lithosPeer is lithos itself under the conditions of the others.
func (b *bench) lithosPeer() peer {
	return peer{
		name: "lithos", program: b.lithos,
		fill: func(w *workplace, n int) {
			file := beadsFile(w, n)
			w.run("init")
			w.run("import", file)
		},
		ready:  words("task", "ready"),
		show:   func(w *workplace, i int) []string { return []string{"task", "get", peerTask(w, i)} },
		create: words("task", "create", "One more"),
		link: func(w *workplace, i int) []string {
			return []string{"task", "edge", "upsert", peerTask(w, i), peerTask(w, i+1), "--type", "blocks"}
		},
		complete: func(w *workplace, i int) []string { return []string{"task", "complete", peerTask(w, i)} },
	}
}

var backlogID = regexp.MustCompile(`(?i)task-\d+`)

// peers are the other programs.
var peers = []peer{
	{
		name: "beads", program: "bd",
		fill: func(w *workplace, n int) {
			file := beadsFile(w, n)
			w.run("init", "--prefix", "bd", "--quiet")
			w.run("import", "-i", file)
		},
		ready:    words("ready"),
		show:     func(w *workplace, i int) []string { return []string{"show", peerTask(w, i)} },
		create:   words("create", "One more"),
		link:     func(w *workplace, i int) []string { return []string{"dep", "add", peerTask(w, i+1), peerTask(w, i)} },
		complete: func(w *workplace, i int) []string { return []string{"close", "--force", peerTask(w, i)} },
	},
	{
		name: "Taskwarrior", program: "task",
		fill: func(w *workplace, n int) {
			w.write("taskrc", func(line func(string, ...any)) {
				line("data.location=%s", filepath.Join(w.dir, "task"))
				line("confirmation=off")
				line("hooks=off")
				line("verbose=nothing")
				line("dependency.confirmation=off")
				line("recurrence=off")
			})
			check(os.MkdirAll(filepath.Join(w.dir, "task"), 0o755))
			w.ids = nil
			file := w.write("graph.json", func(line func(string, ...any)) {
				for i := range n {
					id := seededUUID(i)
					w.ids = append(w.ids, id)
					status, closed, edges := "pending", "", ""
					if peerClosed(i, n) {
						status, closed = "completed", `,"end":"20260102T000000Z"`
					}
					if a, b := peerBefore(i); i > 8 {
						edges = fmt.Sprintf(`,"depends":[%q,%q]`, seededUUID(a), seededUUID(b))
					}
					line(`{"uuid":%q,"description":"Task %d of the graph","status":%q,"entry":"20260101T000000Z"%s%s}`, id, i, status, closed, edges)
				}
			})
			w.run("import", file)
			w.run("next", "limit:1") // it tidies its files at the first report
		},
		ready:  words("ready", "limit:50"),
		show:   func(w *workplace, i int) []string { return []string{peerTask(w, i), "information"} },
		create: words("add", "One more"),
		link: func(w *workplace, i int) []string {
			return []string{peerTask(w, i+1), "modify", "depends:" + peerTask(w, i)}
		},
		complete: func(w *workplace, i int) []string { return []string{peerTask(w, i), "done"} },
	},
	{
		name: "Backlog.md", program: "backlog",
		fill: func(w *workplace, n int) {
			if _, err := exec.LookPath("git"); err == nil {
				git := workplace{b: w.b, program: "git", dir: w.dir}
				git.run("init", "--quiet")
			}
			w.run("init", "bench", "--defaults")
			// It has no import: its own first task shows the form of its files.
			_, out := w.run("task", "create", "One", "--plain")
			if backlogID.FindString(out) == "" {
				check(fmt.Errorf("backlog names no task in %q", out))
			}
			w.ids = nil
			for i := range n {
				id := "task-" + strconv.Itoa(i+2)
				w.ids = append(w.ids, id)
				status, edges := "To Do", "[]"
				if peerClosed(i, n) {
					status = "Done"
				}
				if a, b := peerBefore(i); i > 8 {
					list, err := json.Marshal([]string{"task-" + strconv.Itoa(a+2), "task-" + strconv.Itoa(b+2)})
					check(err)
					edges = string(list)
				}
				w.write(fmt.Sprintf("backlog/tasks/%s - Task-%d-of-the-graph.md", id, i), func(line func(string, ...any)) {
					line("---\nid: %s\ntitle: Task %d of the graph\nstatus: %s\nassignee: []\ncreated_date: '2026-01-01'\nlabels: []\ndependencies: %s\n---\n\n## Description\n\nA task with a text of some length, as tasks have.", id, i, status, edges)
				})
			}
		},
		ready:  words("task", "list", "--status", "To Do", "--plain"),
		show:   func(w *workplace, i int) []string { return []string{"task", "view", peerTask(w, i), "--plain"} },
		create: words("task", "create", "One more", "--plain"),
		link: func(w *workplace, i int) []string {
			return []string{"task", "edit", peerTask(w, i+1), "--dep", peerTask(w, i)}
		},
		complete: func(w *workplace, i int) []string {
			return []string{"task", "edit", peerTask(w, i), "--status", "Done"}
		},
	},
}

// measurePeers measures the same steps with every program that is installed,
// turn by turn with lithos.
func (b *bench) measurePeers() {
	var found []peer
	var missing []string
	for _, p := range peers {
		path, err := exec.LookPath(p.program)
		if err != nil {
			missing = append(missing, fmt.Sprintf("%s (`%s`)", p.name, p.program))
			continue
		}
		p.program = path
		found = append(found, p)
	}
	if len(missing) > 0 {
		text := "Not installed here, so not compared: " + strings.Join(missing, ", ") + "."
		b.progress("%s", text)
		b.report.note(text)
	}
	steps := []struct {
		name string
		of   func(peer) func(*workplace, int) []string
	}{
		{"ready", func(p peer) func(*workplace, int) []string { return p.ready }},
		{"show", func(p peer) func(*workplace, int) []string { return p.show }},
		{"create", func(p peer) func(*workplace, int) []string { return p.create }},
		{"add edge", func(p peer) func(*workplace, int) []string { return p.link }},
		{"complete", func(p peer) func(*workplace, int) []string { return p.complete }},
	}
	for _, p := range found {
		for _, size := range []struct {
			tasks int
			least float64
		}{{1000, 3}, {10_000, 20}} {
			ours, theirs := b.workplace(b.lithosPeer(), size.tasks), b.workplace(p, size.tasks)
			if theirs.tooSlow {
				text := fmt.Sprintf("%s took more than %s to take in %s tasks, so it is not compared at that size.", p.name, short(patience), count(size.tasks))
				b.progress("%s", text)
				b.report.note(text)
				break
			}
			for _, step := range steps {
				side := func(w *workplace, command func(*workplace, int) []string) func(int) time.Duration {
					return func(turn int) time.Duration {
						took, _ := w.run(command(w, turn)...)
						return took
					}
				}
				c := turns(max(b.turns/2, 3), side(theirs, step.of(p)), side(ours, step.of(b.lithosPeer())))
				b.report.add("peers", figure{what: step.name + ": " + p.name + ", of lithos", size: count(size.tasks), value: c.ratio(), limit: size.least, atLeast: true, unit: "×",
					detail: fmt.Sprintf("%s; lithos %s", short(median(c.ours)), short(median(c.theirs)))})
			}
		}
	}
}

// workplace makes the folder of a program and fills it.
func (b *bench) workplace(p peer, tasks int) *workplace {
	w := &workplace{b: b, program: p.program, dir: filepath.Join(b.dir, fmt.Sprintf("%s-%d", p.name, tasks))}
	check(os.RemoveAll(w.dir)) // lithos is compared with one peer after the other
	check(os.MkdirAll(w.dir, 0o755))
	start := time.Now()
	p.fill(w, tasks)
	b.progress("filled %s with %s tasks in %s", p.name, count(tasks), short(time.Since(start)))
	return w
}
