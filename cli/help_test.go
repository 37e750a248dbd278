package cli_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dev.lithos/cli"
	"dev.lithos/core/display"
)

// widestHelp is how wide help for a pager may be, in cells, but for examples.
const widestHelp = 80

// TestHelp holds the help of every level, as a pager shows it, to its golden
// file, and to what each help owes.
func TestHelp(t *testing.T) {
	for _, page := range cli.HelpPages() {
		t.Run(page.Name(), func(t *testing.T) {
			stdout, stderr, status := newWorld(t).run(t, append(strings.Fields(page.Path)[1:], "--help")...)
			if stdout != page.Text || stderr != "" || status != 0 {
				t.Errorf("--help prints %q, %q, status %d", stdout, stderr, status)
			}
			golden(t, filepath.Join("help", page.Name()), page.Text)
			if page.Summary == "" || strings.HasSuffix(page.Summary, ".") || len(page.Examples) == 0 || page.Undocumented != nil {
				t.Errorf("%s needs a purpose without a full stop, an example, and help for %q", page.Path, page.Undocumented)
			}
			for line := range strings.SplitSeq(page.Text, "\n") {
				if n := display.Width(line); n > widestHelp && !slices.Contains(page.Examples, strings.TrimSpace(line)) || n > 140 {
					t.Errorf("a line is %d cells wide: %s", n, line)
				}
				if strings.TrimRight(line, " ") != line {
					t.Errorf("a line ends in a blank: %q", line)
				}
			}
		})
	}
}

// needTerminals are the commands whose examples cannot run in a test's shell.
var needTerminals = map[string]bool{"lithos tui": true, "lithos note edit": true}

// needRecords are the commands that can do nothing in an empty store.
var needRecords = map[string]bool{"lithos note conflict": true, "lithos note conflict resolve": true}

// exampleNotes are the notes that the examples speak of, and exampleEdge the
// edge between them.
var exampleNotes = map[string]string{
	"storage/sqlite-busy-handling.md": "---\nid: 5f0d3c2a-9b1e-4a6d-8c7f-1e2d3c4b5a69\n---\n# SQLite busy handling\n\nBegin writes with IMMEDIATE.\n",
	"storage-notes.md":                "---\nid: 6a1e4d3b-0c2f-4b7e-9d80-2f3e4d5c6b7a\n---\n# Storage notes\n\nSee [[sqlite-busy-handling]].\n",
}

const exampleEdge = "edge_0a1b2c3d4e5f"

// TestExamples runs every example of every help, in a shell, in a store with
// the ids that the examples use; and at least one of each command works
// wherever it is typed, in an empty store.
func TestExamples(t *testing.T) {
	if testing.Short() {
		t.Skip("-short: examples are run by shells")
	}
	shell := func(t *testing.T, dir, line string) error {
		t.Helper()
		cmd := exec.Command("sh", "-ec", line)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_DATA_HOME="+dir, "XDG_CONFIG_HOME="+dir, "LITHOS_AGENT=mo", "LITHOS_DB=", "LITHOS_DATA_DIR=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Logf("%s\n%s", line, out)
		}
		return err
	}
	for _, page := range cli.HelpPages() {
		if needTerminals[page.Path] {
			continue
		}
		t.Run(page.Name(), func(t *testing.T) {
			t.Parallel()
			seeded, empty := t.TempDir(), t.TempDir()
			seed(t, filepath.Join(seeded, ".lithos", "lithos.db"))
			putNotes(t, seeded, exampleNotes)
			if err := shell(t, empty, "lithos init"); err != nil {
				t.Fatal(err)
			}
			working := 0
			for _, line := range page.Examples {
				line = strings.ReplaceAll(line, exampleEdge, "$(lithos note edge upsert 5f0d3c 6a1e4d --type contradicts --namespace n)")
				if err := shell(t, seeded, line); err != nil {
					t.Errorf("%s: %v", line, err)
				}
			}
			for _, line := range page.Examples {
				if working == 0 && !strings.Contains(line, " 9c1f02") && !strings.Contains(line, " 0b7a9e") && shell(t, empty, line) == nil {
					working++
				}
			}
			if working == 0 && !needRecords[page.Path] {
				t.Errorf("no example of %s works in an empty store", page.Path)
			}
		})
	}
}
