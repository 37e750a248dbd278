package tui

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// lithosIn runs the whole program on a terminal, its store and its settings
// below a folder.
func lithosIn(t *testing.T, folder, command string, w, h int) *terminal {
	t.Helper()
	x := &terminal{t: t, w: w, h: h, path: filepath.Join(folder, "lithos.db")}
	x.start(exec.Command(command), append(lithosEnvironment(x.path), "LITHOS_AGENT=dana")...)
	return x
}

// lithosEnvironment is where processes of the program find the store, and
// nothing of the person who runs the tests.
func lithosEnvironment(path string) []string {
	folder := filepath.Dir(path)
	return []string{lithosVariable + "=1", "LITHOS_DB=" + path, "HOME=" + folder, "XDG_CONFIG_HOME=" + folder, "XDG_DATA_HOME=" + folder, "XDG_STATE_HOME=" + folder}
}

// lithos runs the program in a process of its own, as an agent, and returns
// what it writes.
func lithos(t *testing.T, path, agent string, args ...string) string {
	t.Helper()
	cmd := exec.Command(os.Args[0], args...)
	cmd.Env = append(append(os.Environ(), lithosEnvironment(path)...), "LITHOS_AGENT="+agent)
	var trouble strings.Builder
	cmd.Stderr = &trouble
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("lithos %q: %v\n%s%s", args, err, out, &trouble)
	}
	return strings.TrimSpace(string(out))
}

// TestDay is a person's day with the whole program, while processes of the
// command line write to the same store.
func TestDay(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	path := filepath.Join(folder, "lithos.db")
	lithos(t, path, "planner", "--quiet", "task", "apply", filepath.Join("..", "docs", "demo.jsonl"))
	id := func(title string) string {
		t.Helper()
		return lithos(t, path, "planner", "--jq", `.tasks[] | select(.title == "`+title+`") | .id`, "task", "list")
	}
	shown := func(title string) string { return id(title)[:6] + " " + title }
	board, chart, page := id("Solder the sensor board"), id("Draw the wind rose"), id("Proofread the page")
	// Made at the same moment, they stand by their ids.
	rows := []string{shown("Mount the anemometer"), shown("Buy a guy wire")}
	slices.Sort(rows)
	x := lithosIn(t, folder, os.Args[0], 100, 30)

	// Browse: two are ready, two are in work, the rest is blocked.
	x.shows("● live", "1 Ready 2", "2 Blocked 6", "▌○ "+rows[0])
	x.send("j")
	x.shows("▌○ " + rows[1])

	// Filter: all columns at once.
	x.send("/tag:code")
	x.shows("■ "+shown("Write the driver for the anemometer")[:20], "Blocked 2 of 6")
	x.hides("Calibrate against")
	x.send(escKey)
	x.shows("2 Blocked 6", "Calibrate against")

	// Why: what holds the last task of the plan.
	x.send("2w")
	x.shows("Why blocked", shown("Proofread the page"), "Permission of the town council", "What frees it")
	x.send("q1")

	// Another process begins and ends a task: two cards move.
	x.shows("2 Blocked 6", "[1 Ready 2]")
	lithos(t, path, "mo", "task", "complete", chart, "--outcome", "SVG, 16 directions")
	x.shows("2 Blocked 5", "[1 Ready 3]", "○ "+shown("Proofread the page"))
	x.shows("▌○ " + rows[1]) // the cursor stays

	// Claim what came free.
	x.send("j")
	x.shows("▌○ " + page[:6])
	x.send("c" + enterKey)
	x.shows(page[:6]+" claimed by dana", "3 Claimed 2")
	if held := lithos(t, path, "mo", "--jq", ".tasks[].id", "task", "list", "--claimed-by", "dana"); held != page {
		t.Errorf("dana holds %q", held)
	}

	// A blocker that an agent holds is completed elsewhere.
	lithos(t, path, "ada", "task", "complete", board)
	x.shows("○ "+id("Write the driver for the anemometer")[:6], "2 Blocked 4")

	// Complete, and undo: the board goes back.
	x.send("3")
	x.shows("▌◐ " + page[:6])
	x.send("x" + "no typos left" + saveKey)
	x.shows("completed "+page[:6], "3 Claimed 0")
	if outcome := lithos(t, path, "mo", "--jq", ".task.outcome", "task", "get", page); outcome != "no typos left" {
		t.Errorf("the outcome is %q", outcome)
	}
	x.send("U")
	x.shows("reopened "+page[:6], "○ "+page[:6])
	if status := lithos(t, path, "mo", "--jq", ".task.status", "task", "get", page); status != "open" {
		t.Errorf("the task is %q", status)
	}

	// A gate is passed elsewhere; a task made elsewhere appears.
	lithos(t, path, "mo", "task", "complete", id("Build is green on main"))
	lithos(t, path, "mo", "task", "create", "Thank the volunteers")
	x.shows("Thank the volunteers")
	x.send("q")
	if status, ok := x.wait(10 * time.Second); ok && status != 0 {
		t.Errorf("exit status %d\n%s", status, x.tail())
	}
	x.restored()
}
