package cli_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"dev.lithos/cli"
	"dev.lithos/core/display"
)

// hostile are titles that would break a terminal or a table if they reached
// it as they are.
var hostile = []string{
	"\x1b[2Jclears the screen", "a link \x1b]8;;http://x\x07here\x1b]8;;\x07", "copies \x1b]52;c;eA==\x07",
	"carriage\rreturn", "two\nlines\r\nand\u2028more", "over\u202eridden", strings.Repeat("long ", 100),
	"日本語の長いタイトルはセルの幅で切られる必要があります、そうでしょう", "👩‍👩‍👧‍👦 family 👩‍👩‍👧‍👦 of 👩‍👩‍👧‍👦 families", "مرحبا بالعالم", "สวัสดีชาวโลก", "e\u0301te\u0301 decomposed",
}

// shownCase is a command whose output is held to golden files.
type shownCase struct {
	name    string
	prepare [][]string
	args    []string
}

// page is a description that has a bit of everything.
const page = "## Plan\n\nRead *carefully*, then **write** `code`; see [the list](http://example.org/list).\n\n" +
	"- one item that is long enough to be broken at sixty and also at eighty columns, so that it hangs\n  1. inner\n- [x] two\n\n" +
	"> quoted\n\n```go\nfunc main() {}\n```\n\n---\nend ~~gone~~ \x1b[31m\u202e"

// shownCases has at least one case of every command.
var shownCases = []shownCase{
	{"ready", nil, []string{"task", "ready"}},
	{"ready_claimed", [][]string{{"task", "claim", "83257c"}, {"task", "create", "Another", "--tag", "a tag"}}, []string{"task", "ready"}},
	{"ready_nothing", [][]string{{"task", "cancel", "83257c"}}, []string{"task", "ready"}},
	{"blocked", nil, []string{"task", "blocked"}},
	{"list", [][]string{{"task", "claim", "83257c"}, {"task", "complete", "d41e8b"}, {"task", "create", "Low", "--priority", "P4"}}, []string{"task", "list"}},
	{"list_blocked", [][]string{{"task", "create", "Another importer", "--depends-on", "83257c"}}, []string{"task", "list", "--text", "importer"}},
	{"list_gates", [][]string{{"task", "create", "Approved", "--type", "gate", "--gate-type", "human"}}, []string{"task", "list", "--type", "gate", "--status", "open"}},
	{"list_odd_priority", [][]string{{"task", "create", "Odd", "--meta", "priority=urgent"}}, []string{"task", "list"}},
	{"get_odd_priority", [][]string{{"task", "update", "83257c", "--meta", "priority=urgent"}}, []string{"task", "get", "83257c"}},
	{"complete_twice", nil, []string{"task", "complete", "83257c", "83257c"}},
	{"list_none", nil, []string{"task", "list", "--text", "nowhere"}},
	{"get", [][]string{{"finding", "post", "9c1f02", "CSV needs a BOM check\nand more"}, {"task", "claim", "9c1f02", "--aspect", "review"}}, []string{"task", "get", "9c1f02"}},
	{"get_epic", [][]string{{"task", "complete", "83257c", "--outcome", "merged"}}, []string{"task", "get", "0b7a9e", "83257c"}},
	{"why", nil, []string{"task", "why", "9c1f02"}},
	{"why_ready", nil, []string{"task", "why", "83257c"}},
	{"why_stranded", [][]string{{"task", "cancel", "83257c"}, {"task", "complete", "d41e8b"}}, []string{"task", "why", "9c1f02"}},
	{"children", [][]string{{"task", "edge", "upsert", "83257c", "9c1f02", "--type", "parent_child"}}, []string{"task", "children", "0b7a9e", "--recursive"}},
	{"edges", nil, []string{"task", "edge", "list", "9c1f02"}},
	{"complete", [][]string{{"task", "complete", "d41e8b"}}, []string{"task", "complete", "83257c"}},
	{"complete_dry", [][]string{{"task", "complete", "d41e8b"}}, []string{"task", "complete", "83257c", "--dry-run"}},
	{"cancel", nil, []string{"task", "cancel", "83257c"}},
	{"claim", nil, []string{"task", "claim", "83257c", "--ttl", "95"}},
	{"next", nil, []string{"task", "next"}},
	{"next_nothing", nil, []string{"task", "next", "--project", "none"}},
	{"edge_upsert", nil, []string{"task", "edge", "upsert", "83257c", "d41e8b", "--type", "blocks"}},
	{"events", [][]string{{"task", "complete", "83257c", "--outcome", "merged"}}, []string{"events"}},
	{"note_events", [][]string{
		{"note", "write", "Locks", "--content", "New.", "--id", "locks-1"}, {"note", "delete", "queue-1"},
		{"note", "edge", "upsert", "locks-1", "busy-1", "--type", "contradicts", "--namespace", "storage"},
	}, []string{"journal", "--limit", "5"}},
	{"events_archive", [][]string{{"task", "complete", "83257c"}}, []string{"events", "archive", "--before", "2026-03-02"}},
	{"agents", nil, []string{"agent", "list"}},
	{"agent", nil, []string{"agent", "info", "ada"}},
	{"stats", nil, []string{"stats"}},
	{"explain_code", nil, []string{"explain", "claim_failed"}},
	{"claim_failed", [][]string{{"task", "claim", "83257c", "--agent", "ada"}}, []string{"task", "claim", "83257c"}},
	{"cycle", nil, []string{"task", "edge", "upsert", "9c1f02", "83257c", "--type", "blocks"}},
	{"get_markdown", [][]string{{"task", "update", "83257c", "--description", page}}, []string{"task", "get", "83257c"}},
	{"why_far", [][]string{
		{"task", "create", "Announce it", "--depends-on", "9c1f02"}, {"task", "claim", "83257c", "--agent", "ada"},
		{"task", "create", "Thaw", "--type", "gate", "--gate-type", "timer", "--ready-at", "+3d"},
	}, []string{"task", "why", "Announce it"}},
	{"children_work", [][]string{{"task", "claim", "83257c", "--aspect", "review"}}, []string{"task", "children", "0b7a9e"}},
	{"complete_waiting", nil, []string{"task", "complete", "83257c"}},
	{"complete_several", nil, []string{"task", "complete", "83257c", "d41e8b", "9c1f02"}},
	{"bare", nil, nil},
	{"create", nil, []string{"task", "create", "Announce it", "--depends-on", "9c1f02"}},
	{"create_ready", nil, []string{"task", "create", "Announce it"}},
	{"spawn", nil, []string{"task", "spawn", "83257c", "Index the titles"}},
	{"status", nil, []string{"task", "status", "83257c"}},
	{"update", nil, []string{"task", "update", "83257c", "--add-tag", "urgent", "--priority", "P0"}},
	{"reopen", [][]string{{"task", "complete", "83257c", "d41e8b"}}, []string{"task", "reopen", "83257c"}},
	{"renew", [][]string{{"task", "claim", "83257c"}}, []string{"task", "renew", "83257c", "--ttl", "2h"}},
	{"release", [][]string{{"task", "claim", "83257c"}}, []string{"task", "release", "83257c"}},
	{"apply", nil, []string{"task", "apply"}},
	{"edge_delete", nil, []string{"task", "edge", "delete", "83257c", "9c1f02", "--type", "blocks"}},
	{"finding_post", nil, []string{"finding", "post", "83257c", "The index is unused"}},
	{"finding_list", [][]string{{"finding", "post", "83257c", "The index is unused.\n\nIt was for the old list."}}, []string{"finding", "list", "83257c"}},
	{"agent_register", nil, []string{"agent", "register", "kit", "--name", "Kit", "--type", "builder"}},
	{"journal", nil, []string{"journal", "--limit", "3"}},
	{"prime", nil, []string{"prime"}},
	{"explain", nil, []string{"explain"}},
	{"explain_ready", nil, []string{"explain", "ready"}},
	{"explain_gates", nil, []string{"explain", "gates"}},
	{"explain_claims", nil, []string{"explain", "claims"}},
	{"explain_ids", nil, []string{"explain", "ids"}},
	{"explain_edges", nil, []string{"explain", "edges"}},
	{"explain_notes", nil, []string{"explain", "notes"}},
	{"explain_backups", nil, []string{"explain", "backups"}},
	{"explain_unknown", nil, []string{"explain", "somethingelse"}},
	{"explain_scripting", nil, []string{"explain", "scripting"}},
	{"export", nil, []string{"export", "--format", "markdown"}},
	{"import", nil, []string{"import", "-"}},
	{"backup_take", nil, []string{"backup", "take"}},
	{"backup_list", [][]string{{"backup", "take"}, {"backup", "take"}}, []string{"backup", "list"}},
	{"backup_list_none", nil, []string{"backup", "list"}},
	{"backup_verify", [][]string{{"backup", "take"}}, []string{"backup", "verify", takenBackup}},
	{"backup_verify_none", nil, []string{"backup", "verify", "none.db"}},
	{"backup_restore", [][]string{{"backup", "take"}, {"task", "create", "Lost again"}}, []string{"backup", "restore", takenBackup, "--yes"}},
	{"backup_restore_unasked", [][]string{{"backup", "take"}}, []string{"backup", "restore", takenBackup}},
	{"init", nil, []string{"init"}},
	{"migrate", nil, []string{"migrate"}},
	{"doctor", nil, []string{"doctor"}},
	{"doctor_nothing", nil, []string{"doctor", "--db", "elsewhere.db"}},
	{"init_agents", nil, []string{"init", "--agents"}},
	{"where", nil, []string{"where"}},
	{"config", nil, []string{"config"}},
	{"version", nil, []string{"version"}},
	{"help", nil, []string{"help", "task", "list"}},
	{"not_found", nil, []string{"task", "get", "nothing"}},
	{"ambiguous", [][]string{{"import", "-"}}, []string{"task", "get", "twins-"}},
	{"unknown_flag", nil, []string{"task", "ready", "--projct", "core"}},
	{"unknown_word", nil, []string{"task", "list", "--status", "done"}},
	{"moved_on", nil, []string{"task", "update", "83257c", "--title", "x", "--expected-version", "9"}},
	{"no_store", nil, []string{"task", "ready", "--db", "elsewhere.db"}},
	{"note_search", nil, []string{"note", "search", "busy", "lock", "--mode", "fulltext"}},
	{"note_search_linked", nil, []string{"note", "search", "immediate"}},
	{"note_search_begun", nil, []string{"note", "search", "immed"}},
	{"note_search_none", nil, []string{"note", "search", "unheard", "of"}},
	{"note_search_graph", nil, []string{"note", "search", "immediate", "--mode", "graph"}},
	{"note_search_mode", nil, []string{"note", "search", "lock", "--mode", "semantic"}},
	{"note_cache_lookup", nil, []string{"note", "cache-lookup", "busy", "--source-url", "https://example.org/busy"}},
	{"note_cache_stale", nil, []string{"note", "cache-lookup", "fairness"}},
	{"note_cache_none", nil, []string{"note", "cache-lookup", "unheard", "of"}},
	{"note_related", conflicting, []string{"note", "related", "busy-1"}},
	{"note_related_none", nil, []string{"note", "related", "hostile-1"}},
	{"note_related_unknown", nil, []string{"note", "related", "unknown"}},
	{"note_node_stats", [][]string{{"note", "retrieve", "busy"}}, []string{"note", "node-stats", "busy-1"}},
	{"note_edge_list", conflicting, []string{"note", "edge", "list", "--type", "contradicts"}},
	{"note_edge_list_none", nil, []string{"note", "edge", "list", "--namespace", "none"}},
	{"note_edge_upsert", nil, []string{"note", "edge", "upsert", "busy-1", "hostile-1", "--type", "supports", "--namespace", "storage"}},
	{"note_edge_upsert_untyped", nil, []string{"note", "edge", "upsert", "busy-1", "hostile-1", "--namespace", "storage"}},
	{"note_retrieve", conflicting, []string{"note", "retrieve", "busy", "--conflicts"}},
	{"note_write", nil, []string{"note", "write", "Busy again", "--content", "Text.", "--derived-from", "dddddddd-0000-4000-8000-000000000001", "--path", "storage"}},
	{"note_write_update", nil, []string{"note", "write", "Locks", "--content", "New.", "--id", "locks-1", "--expected-version", "1"}},
	{"note_write_taken", nil, []string{"note", "write", "Queue", "--content", "x"}},
	{"note_write_url", nil, []string{"note", "write", "x", "--content", "x", "--source-url", "HTTPS://example.org/busy/"}},
	{"note_write_moved_on", nil, []string{"note", "write", "x", "--content", "x", "--id", "locks-1", "--expected-version", "7"}},
	{"note_update", nil, []string{"note", "update", "busy-1", "--status", "archived", "--meta", "reviewed:=true"}},
	{"note_edit", nil, []string{"note", "edit", "busy-1"}},
	{"note_read", [][]string{{"note", "update", "busy-1", "--meta", "reviewed:=true", "--tag", "db", "--tag", "locks"}}, []string{"note", "read", "busy-1"}},
	{"note_read_hostile", nil, []string{"note", "read", "hostile-1"}},
	{"note_read_unknown", nil, []string{"note", "read", "unknown-1"}},
	{"note_list", nil, []string{"note", "list"}},
	{"note_list_page", nil, []string{"note", "list", "--limit", "2"}},
	{"note_list_none", nil, []string{"note", "list", "--tag", "none"}},
	{"note_tags", [][]string{{"note", "write", "Tagged", "--content", "x", "--tag", "db", "--tag", "a\u202eb"}}, []string{"note", "tags"}},
	{"note_tags_none", nil, []string{"note", "tags", "--prefix", "none"}},
	{"note_delete", nil, []string{"note", "delete", "busy-1"}},
	{"note_reindex", nil, []string{"note", "reindex"}},
	{"note_conflict_unknown", nil, []string{"note", "conflict", "resolve", "edge_000000000000", "--resolution", "merged"}},
}

// conflicting joins notes by typed edges, one of them a contradiction.
var conflicting = [][]string{
	{"note", "edge", "upsert", "locks-1", "busy-1", "--type", "contradicts", "--namespace", "storage", "--weight", "0.7", "--conflict-state", "open"},
	{"note", "edge", "upsert", "busy-1", "nowhere", "--type", "supports", "--namespace", "storage", "--agent", "ada"},
}

// noteFiles are the notes that the cases of notes find.
var noteFiles = map[string]string{
	"storage/busy.md": "---\nid: busy-1\nauthor: ada\ncreated_at: 2026-03-01T08:00:00Z\nupdated_at: 2026-03-01T09:15:00Z\ntags: [db]\n" +
		"source_url: https://example.org/busy\n---\n# SQLite busy handling\n\nBegin writes with **IMMEDIATE**, and wait for the lock:\n\n" +
		"- a busy store answers late, so that whoever waits should say for how long, and what is to be done when that was in vain\n- see [[locks]]\n",
	"storage/locks.md": "---\nid: locks-1\nauthor: mo\ncreated_at: 2026-02-20\nupdated_at: 2026-02-20\nderived_from_ids: [queue-1]\n---\n# Locks\n\nOne writer holds the lock at a time.\n",
	"queue.md":         "---\nid: queue-1\nauthor: mo\ncreated_at: 2026-02-20\nupdated_at: 2026-02-20\nexpires_at: 2026-02-27\n---\n# Queue\n\nFairness among many.\n",
	"hostile.md":       "---\nid: hostile-1\ntitle: \"\\e[2Jclears \\u202e the screen\"\nauthor: mo\ncreated_at: 2026-02-20\nupdated_at: 2026-02-20\n---\nAlone \x1b[31m\u202e.\n",
}

// putNotes writes note files below the data folder.
func putNotes(t *testing.T, folder string, notes map[string]string) {
	t.Helper()
	for name, text := range notes {
		path := filepath.Join(folder, "knowledge", filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

// takenBackup is the backup that a case takes first.
var takenBackup = fmt.Sprintf(".lithos/backups/lithos-20260302T091500Z-s%d.db", cli.SystemEnv().Schema)

// twins is what the cases that read standard input are given.
const twins = `{"id":"twins-one-of-them","title":"One","status":"open","priority":2,"created_at":"2026-03-01T08:00:00Z"}
{"id":"twins-two-of-them","title":"Two","status":"open","priority":2,"created_at":"2026-03-01T08:00:00Z","dependencies":[{"issue_id":"twins-two-of-them","depends_on_id":"twins-one-of-them","type":"blocks"}]}
`

// made is what task apply is given.
const made = `{"op": "create", "as": "a", "title": "Announce it"}
{"op": "create", "title": "Celebrate", "depends_on": ["$a"]}
`

// show runs the case and returns all that it shows, with what differs from run
// to run replaced.
func (c shownCase) show(t *testing.T, w *world) (stdout, text string) {
	t.Helper()
	if strings.HasPrefix(c.name, "note_") {
		putNotes(t, w.env.Dir, noteFiles)
	}
	terminal := w.env
	w.env.StdoutIsTerminal, w.env.StderrIsTerminal, w.env.StdinIsTerminal = false, false, false
	for _, args := range c.prepare {
		w.env.Stdin = strings.NewReader(twins)
		if _, stderr, status := w.run(t, args...); status != 0 {
			t.Fatalf("%q: status %d, %s", args, status, stderr)
		}
	}
	w.env = terminal
	w.env.StdinIsTerminal = false
	w.env.Stdin = strings.NewReader(twins)
	if c.name == "apply" {
		w.env.Stdin = strings.NewReader(made)
	}
	args := slices.Clone(c.args)
	if c.name == "why_far" { // its task has an id of its own
		args[2], _, _ = w.run(t, "task", "list", "--text", args[2], "--jq", ".tasks[0].id")
		args[2] = strings.TrimSpace(args[2])
	}
	stdout, stderr, status := w.run(t, args...)
	text = fmt.Sprintf("$ lithos %s\n%s", strings.Join(c.args, " "), stdout)
	if stderr != "" {
		text += "--- stderr\n" + stderr
	}
	if status != 0 {
		text += fmt.Sprintf("--- status %d\n", status)
	}
	for place, name := range map[string]string{w.env.Dir: "DIR", runtime.Version(): "GO", w.env.EngineVersion: "ENGINE",
		fmt.Sprintf("-s%d", w.env.Schema): "-sN", fmt.Sprintf("schema %d", w.env.Schema): "schema N"} {
		text = strings.ReplaceAll(text, place, name)
	}
	text = fileSize.ReplaceAllString(text, "### kB")
	return stdout, redacted(fileSum.ReplaceAllString(text, "SUM"))
}

// fileSize and fileSum find the size and the sum of a file, which follow the
// schema.
var (
	fileSize = regexp.MustCompile(`\b\d{3} kB\b`)
	fileSum  = regexp.MustCompile(`\b[0-9a-f]{64}\b`)
)

// TestPeople holds what people see of each command to golden files: on
// terminals of three widths, and piped.
func TestPeople(t *testing.T) {
	for _, c := range shownCases {
		for _, width := range []int{60, 80, 140} {
			t.Run(fmt.Sprintf("%s_%d", c.name, width), func(t *testing.T) {
				stdout, text := c.show(t, seeded(t).onTerminal(width))
				if !soft[c.name] {
					checkLines(t, stdout, width)
				}
				golden(t, filepath.Join("people", fmt.Sprintf("%s_%d", c.name, width)), text)
			})
		}
		t.Run(c.name+"_piped", func(t *testing.T) {
			stdout, text := c.show(t, seeded(t))
			if strings.ContainsRune(stdout, '\x1b') {
				t.Errorf("piped, it holds an escape: %q", stdout)
			}
			golden(t, filepath.Join("people", c.name+"_piped"), text)
		})
	}
}

// soft are the cases whose lines a terminal may break: what is there to be
// copied or saved is never cut.
var soft = map[string]bool{"export": true, "where": true, "config": true, "init": true, "init_agents": true, "help": true, "prime": true, "doctor": true, "doctor_nothing": true,
	"backup_take": true, "backup_list": true, "backup_list_none": true, "backup_verify": true, "backup_restore": true, "backup_restore_unasked": true, "backup_verify_none": true,
}

// TestPeople_everyCommand holds that no command is forgotten.
func TestPeople_everyCommand(t *testing.T) {
	elsewhere := map[string]string{
		"lithos tui": "the terminal UI", "lithos mcp": "the server", "lithos completion": "TestCompletion_bash",
	}
	shown := map[string]bool{}
	for _, c := range shownCases {
		shown[strings.Join(c.args, " ")] = true
	}
	for _, page := range cli.HelpPages() {
		words := strings.TrimSpace(strings.TrimPrefix(page.Path, "lithos"))
		covered := elsewhere[page.Path] != ""
		for line := range shown {
			covered = covered || line == words || strings.HasPrefix(line, words+" ")
		}
		if page.Runs && !covered {
			t.Errorf("%s has no golden output", page.Path)
		}
	}
}

// TestPeople_plainTerminals holds that on a terminal that takes nothing but
// text, no command writes an escape, and in a locale that is not UTF-8 nothing
// but ASCII, unless a task's own text does.
func TestPeople_plainTerminals(t *testing.T) {
	for _, c := range shownCases {
		w := seeded(t).onTerminal(80)
		delete(w.variables, "NO_COLOR")
		w.variables["TERM"], w.variables["LC_ALL"] = "dumb", "C"
		stdout, text := c.show(t, w)
		for i, r := range text {
			if r == '\x1b' || r > 0x7e && !soft[c.name] && !ownText[c.name] {
				t.Errorf("%s: %q in %q", c.name, r, text[max(i-30, 0):min(i+30, len(text))])
				break
			}
		}
		if !soft[c.name] {
			checkLines(t, stdout, 80)
		}
	}
}

// ownText are the cases that show text which is not ASCII itself.
var ownText = map[string]bool{"get_markdown": true, "note_related_none": true, "note_read_hostile": true, "note_list": true, "note_list_page": true}

// checkLines holds that nothing is wider than the terminal and nothing reaches
// it raw.
func checkLines(t *testing.T, text string, width int) {
	t.Helper()
	for line := range strings.SplitSeq(text, "\n") {
		if display.Visible(line) != line {
			t.Errorf("raw: %q", line)
		}
		if n := display.Width(line); n > width {
			t.Errorf("%d cells wide on a terminal of %d: %s", n, width, line)
		}
	}
}

// TestHostileText holds that whatever a title holds stays on its row, in its
// column, as marks.
func TestHostileText(t *testing.T) {
	w := newWorld(t)
	if _, stderr, status := w.run(t, "init"); status != 0 {
		t.Fatal(stderr)
	}
	for i, title := range hostile {
		at := time.Date(2026, 3, 1, 8, i, 0, 0, time.UTC)
		w.env.Now = func() time.Time { return at }
		tag := strings.Map(func(r rune) rune {
			if unicode.IsControl(r) { // tags hold none
				return '.'
			}
			return r
		}, string([]rune(title)[:4]))
		if _, stderr, status := w.run(t, "task", "create", title, "--tag", tag); status != 0 {
			t.Fatalf("%q: %s", title, stderr)
		}
	}
	w.env.Now = func() time.Time { return time.Date(2026, 3, 2, 9, 15, 0, 0, time.UTC) }
	piped, _, _ := w.run(t, "task", "list")
	if n := strings.Count(piped, "\n"); n != len(hostile) {
		t.Errorf("%d tasks make %d lines when piped", len(hostile), n)
	}
	for line := range strings.SplitSeq(strings.TrimSuffix(piped, "\n"), "\n") {
		if fields := strings.Split(line, "\t"); len(fields) != 8 || display.Visible(strings.Join(fields, "")) != strings.Join(fields, "") {
			t.Errorf("%d fields, or raw: %q", len(fields), line)
		}
	}
	for _, width := range []int{60, 80, 140} {
		w.onTerminal(width)
		for _, args := range [][]string{{"task", "list"}, {"task", "ready"}, {"events"}} {
			stdout, _, status := w.run(t, args...)
			if status != 0 || strings.Count(stdout, "\n") < len(hostile) {
				t.Errorf("%q: status %d\n%s", args, status, stdout)
			}
			checkLines(t, stdout, width)
		}
	}
	w.onTerminal(80)
	stdout, _, _ := w.run(t, "task", "ready")
	golden(t, filepath.Join("people", "hostile_80"), redacted(stdout))
	// Columns that follow a title stand under one another.
	lines := strings.Split(strings.TrimSuffix(stdout, "\n"), "\n")
	for _, line := range lines[1:] {
		if display.Width(line) != display.Width(lines[0]) {
			t.Errorf("%d cells, the head has %d: %s", display.Width(line), display.Width(lines[0]), line)
		}
	}
}

// shortID matches ids, whole and in the form in which lists show them.
var shortID = regexp.MustCompile(`\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\b|\b[0-9a-f]{6,8}\b`)

// redacted replaces the random ids in a text.
func redacted(text string) string {
	text = drawn.ReplaceAllStringFunc(text, func(id string) string {
		return id[:5] + strings.Repeat("#", len(id)-5)
	})
	return shortID.ReplaceAllStringFunc(text, func(id string) string {
		if strings.HasPrefix(schemaID+" "+importerID+" "+gateID+" "+epicID, id) || strings.Contains(" "+importerID+" "+gateID+" "+epicID, " "+id) {
			return id
		}
		return strings.Repeat("#", len(id))
	})
}

// TestASCII holds that marks and lines are ASCII where the locale or the
// configuration asks for it.
func TestASCII(t *testing.T) {
	for variables, want := range map[string]bool{
		"": false, "LANG=C": true, "LC_ALL=POSIX": true, "LANG=en_US.UTF-8": false, "LANG=C.utf8": false,
		"LC_ALL=C.UTF-8 LANG=C": false, "LANG=de_DE.ISO-8859-1": true, "LC_ALL=C LITHOS_ASCII=0": false, "LITHOS_ASCII=1": true,
	} {
		w := seeded(t).onTerminal(80)
		for pair := range strings.FieldsSeq(variables) {
			name, value, _ := strings.Cut(pair, "=")
			w.variables[name] = value
		}
		for _, args := range [][]string{{"task", "list"}, {"task", "children", "0b7a9e"}, {"task", "get", "9c1f02"}} {
			stdout, _, status := w.run(t, args...)
			if got := !strings.ContainsFunc(stdout, func(r rune) bool { return r > 0x7e }); got != want || status != 0 {
				t.Errorf("%q %q: ASCII %v, want %v, status %d\n%s", variables, args, got, want, status, stdout)
			}
		}
	}
}

// TestColour holds when results carry colour: on a terminal unless something
// speaks against it, elsewhere only when asked for, never in JSON.
func TestColour(t *testing.T) {
	for _, c := range []struct {
		name      string
		terminal  bool
		variables map[string]string
		args      []string
		want      bool
	}{
		{"terminal", true, nil, nil, true},
		{"piped", false, nil, nil, false},
		{"NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, nil, false},
		{"NO_COLOR empty", true, map[string]string{"NO_COLOR": ""}, nil, true},
		{"TERM=dumb", true, map[string]string{"TERM": "dumb"}, nil, false},
		{"flag over NO_COLOR", true, map[string]string{"NO_COLOR": "1"}, []string{"--color", "always"}, true},
		{"flag never", true, nil, []string{"--color=never"}, false},
		{"forced in a pipe", false, map[string]string{"CLICOLOR_FORCE": "1"}, nil, false}, // piped lists carry no looks
		{"JSON", true, nil, []string{"--json", "--color=always"}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := seeded(t)
			if c.terminal {
				w.onTerminal(80)
			}
			delete(w.variables, "NO_COLOR")
			for name, value := range c.variables {
				w.variables[name] = value
			}
			stdout, _, status := w.run(t, append([]string{"task", "ready"}, c.args...)...)
			if got := strings.Contains(stdout, "\x1b["); got != c.want || status != 0 {
				t.Errorf("colour: %v, want %v, status %d\n%q", got, c.want, status, stdout)
			}
		})
	}
}

// TestHostileText_everywhere holds that a title reaches no terminal raw, on
// whatever page, tree, sentence or error it stands.
func TestHostileText_everywhere(t *testing.T) {
	for i, title := range hostile {
		w := newWorld(t)
		var ids []string
		create := func(args ...string) {
			t.Helper()
			stdout, stderr, status := w.run(t, append([]string{"task", "create"}, args...)...)
			if status != 0 {
				t.Fatalf("%q: %s", args, stderr)
			}
			ids = append(ids, strings.TrimSpace(stdout))
		}
		create(title, "--type", "epic", "--description", title)
		create(title, "--parent", ids[0], "--project", "p")
		create(title, "--depends-on", ids[1])
		for _, args := range [][]string{{"task", "claim", ids[1], "--agent", "ada"}, {"finding", "post", ids[2], title}} {
			if _, stderr, status := w.run(t, args...); status != 0 {
				t.Fatal(stderr)
			}
		}
		for _, width := range []int{60, 80, 140} {
			w.onTerminal(width)
			for _, args := range [][]string{
				{"task", "get", ids[0]}, {"task", "get", ids[1]}, {"task", "get", ids[2]}, {"task", "children", ids[0]}, {"task", "why", ids[2]},
				{"task", "blocked"}, {"task", "edge", "list", ids[2]}, {"finding", "list", ids[2]}, {"journal"}, {"agent", "info", "ada"},
				{"task", "complete", ids[1], "--dry-run"}, {"task", "cancel", ids[1], ids[2], "--dry-run"}, {"task", "claim", ids[1]},
				{"task", "edge", "upsert", ids[2], ids[1], "--type", "blocks"}, {"task", "edge", "upsert", ids[2], ids[1], "--type", "parent_child"},
				{"task", "update", ids[1], "--title", "x", "--expected-version", "9"},
			} {
				stdout, stderr, _ := w.run(t, args...)
				if stdout+stderr == "" {
					t.Errorf("title %d: %q shows nothing", i, args)
				}
				checkLines(t, stdout, width)
				for line := range strings.SplitSeq(stderr, "\n") {
					if display.Visible(line) != line {
						t.Errorf("title %d: %q says raw: %q", i, args, line)
					}
				}
			}
		}
	}
}
