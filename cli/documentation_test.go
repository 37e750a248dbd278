package cli_test

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestDocumentation_commands runs every command that README and docs show, as
// a reader would: those of a document in order, in one shell, in an empty
// folder, on a terminal of 80 columns. What a document shows as their output
// must be what they print; see transcript. -update rewrites what is not.
func TestDocumentation_commands(t *testing.T) {
	paths, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range append(paths, "../README.md") {
		document := readDocument(t, path)
		if len(document.commands) == 0 {
			continue
		}
		t.Run(filepath.Base(path), func(t *testing.T) {
			t.Parallel()
			document.run(t)
			if document.changed {
				if err := os.WriteFile(path, []byte(document.text()), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// document is a file with console blocks. In these a line that begins with
// "$ " is a command, one that begins with "> " continues it, and what follows
// is its output.
type document struct {
	lines    []string
	commands []*documented
	changed  bool
}

// documented is a command as a document shows it.
type documented struct {
	line     int // of the command, from 1
	text     string
	from, to int      // its output: these lines of the document, from 0
	output   []string // what it was to print, or did
	compared bool     // false in a block that shows no output at all
}

// readDocument finds the commands of a document.
func readDocument(t *testing.T, path string) *document {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	d := &document{lines: strings.Split(string(text), "\n")}
	inside, block := false, 0
	for i, line := range d.lines {
		switch {
		case strings.HasPrefix(line, "```"):
			if inside {
				d.endBlock(block)
			}
			inside, block = line == "```console", len(d.commands)
		case !inside:
		case strings.HasPrefix(line, "$ "):
			d.commands = append(d.commands, &documented{line: i + 1, text: line[2:], from: i + 1, to: i + 1})
		case len(d.commands) == block:
			t.Fatalf("%s:%d: output of no command", path, i+1)
		case strings.HasPrefix(line, "> "):
			last := d.commands[len(d.commands)-1]
			last.text += "\n" + line[2:]
			last.from, last.to = i+1, i+1
		default:
			last := d.commands[len(d.commands)-1]
			last.output = append(last.output, line)
			last.to = i + 1
		}
	}
	return d
}

// endBlock ends the block that begins with a command.
func (d *document) endBlock(first int) {
	compared := false
	for _, c := range d.commands[first:] {
		compared = compared || c.output != nil
	}
	for _, c := range d.commands[first:] {
		c.compared = compared
	}
}

// text is the document with the outputs its commands have now.
func (d *document) text() string {
	var lines []string
	at := 0
	for _, c := range d.commands {
		lines = append(append(lines, d.lines[at:c.from]...), c.output...)
		at = c.to
	}
	return strings.Join(append(lines, d.lines[at:]...), "\n")
}

// run runs the commands and compares what they print.
func (d *document) run(t *testing.T) {
	shell := startShell(t)
	ids := &transcript{}
	for i, c := range d.commands {
		printed, status := shell.run(t, ids.actual(c.text))
		if t.Failed() {
			return
		}
		if asked := i+1 < len(d.commands) && d.commands[i+1].text == "echo $?"; status != 0 && !asked {
			t.Fatalf("line %d: $ %s\nends with status %d, which no 'echo $?' shows\n%s", c.line, c.text, status, strings.Join(printed, "\n"))
		}
		if !c.compared {
			continue
		}
		err := ids.match(c.output, printed)
		if err != nil && *update {
			c.output, d.changed = ids.documented(printed), true
			continue
		}
		if err != nil {
			t.Errorf("line %d: $ %s\n%v\n--- shown\n%s\n--- printed\n%s", c.line, c.text, err,
				strings.Join(c.output, "\n"), strings.Join(ids.documented(printed), "\n"))
		}
	}
}

// shell is a running sh whose output goes to a terminal. PATH holds lithos:
// the test binary under another name, put there by TestMain.
type shell struct {
	in     *os.File
	out    chan string // what it prints, up to each end of a command
	folder string      // for the commands' files
	home   string
}

// commandLimit bounds one command of a document.
const commandLimit = 30 * time.Second

// endMark stands in the output between the commands, around the status of
// the one before.
const endMark = '\x1e'

func startShell(t *testing.T) *shell {
	t.Helper()
	s := &shell{out: make(chan string), folder: t.TempDir(), home: t.TempDir()}
	project := filepath.Join(s.home, "project")
	if err := os.Mkdir(project, 0o755); err != nil {
		t.Fatal(err)
	}
	terminal, end, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	if err := pty.Setsize(terminal, &pty.Winsize{Cols: 80, Rows: 40}); err != nil {
		t.Fatal(err)
	}
	in, send, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	s.in = send
	sh := exec.Command("sh")
	sh.Dir = project
	sh.Stdin, sh.Stdout, sh.Stderr = in, end, end
	sh.Env = append(os.Environ(),
		"HOME="+s.home, "XDG_DATA_HOME="+s.home+"/.local/share", "XDG_CONFIG_HOME="+s.home+"/.config", "XDG_STATE_HOME="+s.home+"/.local/state",
		"LITHOS_AGENT=me", "LITHOS_DB=", "LITHOS_DATA_DIR=", "TERM=xterm", "NO_COLOR=1", "LC_ALL=C.UTF-8", "PWD="+project)
	if err := sh.Start(); err != nil {
		t.Fatal(err)
	}
	for _, f := range []*os.File{in, end} {
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	go func() {
		defer close(s.out)
		for printed := bufio.NewReader(terminal); ; {
			part, err := printed.ReadString(endMark)
			if err != nil {
				return // the shell has ended: nobody holds the terminal any more
			}
			s.out <- strings.TrimSuffix(part, string(endMark))
		}
	}()
	t.Cleanup(func() {
		if err := send.Close(); err != nil {
			t.Error(err)
		}
		if err := sh.Wait(); err != nil {
			t.Errorf("the shell: %v", err)
		}
		if err := terminal.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// run runs one command and returns the lines it printed and its status.
func (s *shell) run(t *testing.T, command string) (lines []string, status int) {
	t.Helper()
	file := filepath.Join(s.folder, "command")
	if err := os.WriteFile(file, []byte(command+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	// The last line hands the status on to a following echo $?.
	call := fmt.Sprintf(". '%s' </dev/null\nstatus=$?\nprintf '\\036%%d\\036' $status\n(exit $status)\n", file)
	if _, err := s.in.WriteString(call); err != nil {
		t.Fatal(err)
	}
	parts := make([]string, 2)
	for i := range parts {
		select {
		case part, open := <-s.out:
			if !open {
				t.Fatalf("$ %s\nends the shell", command)
			}
			parts[i] = part
		case <-time.After(commandLimit):
			t.Fatalf("$ %s\ndoes not end within %s", command, commandLimit)
		}
	}
	status, err := strconv.Atoi(parts[1])
	if err != nil {
		t.Fatalf("$ %s\nprints the mark between commands", command)
	}
	printed := strings.ReplaceAll(strings.ReplaceAll(parts[0], "\r\n", "\n"), s.home, "/home/me")
	if printed == "" {
		return nil, status
	}
	return strings.Split(strings.TrimSuffix(printed, "\n"), "\n"), status
}

// TestTranscript holds the comparison of outputs against outputs that agree
// and that do not.
func TestTranscript(t *testing.T) {
	for _, c := range []struct {
		name, shown, printed string
		differ               bool
	}{
		{name: "equal", shown: "one\ntwo", printed: "one\ntwo"},
		{name: "other ids", shown: "○ 1a2b3c A\n○ 4d5e6f B", printed: "○ aaaaaa A\n○ bbbbbb B"},
		{name: "an id that is two", shown: "1a2b3c A\n1a2b3c B", printed: "aaaaaa A\nbbbbbb B", differ: true},
		{name: "two ids that are one", shown: "1a2b3c A\n4d5e6f B", printed: "aaaaaa A\naaaaaa B", differ: true},
		{name: "a prefix", shown: "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21\n83257c", printed: "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11\n9c1f02"},
		{name: "no prefix", shown: "83257ced-41a0-4f0e-9a55-0d5f0c1b7e21\n83257c", printed: "9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11\nd41e8b", differ: true},
		{name: "other times", shown: "2026-03-01T08:00:00+00:00 1h left", printed: "2027-11-30T13:08:26.008892+00:00 59m left"},
		{name: "other spaces", shown: "A   B", printed: "A  B"},
		{name: "a word less", shown: "A B C", printed: "A C", differ: true},
		{name: "a line less", shown: "A\nB", printed: "A", differ: true},
		{name: "a line more", shown: "A", printed: "A\nB", differ: true},
		{name: "left out", shown: "A\n…\nD", printed: "A\nB\nC\nD"},
		{name: "left out, nothing", shown: "A\n…\nB", printed: "A\nB"},
		{name: "left out, other end", shown: "A\n…\nD", printed: "A\nB\nC", differ: true},
		{name: "other status", shown: "6", printed: "4", differ: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := new(transcript).match(strings.Split(c.shown, "\n"), strings.Split(c.printed, "\n"))
			if (err != nil) != c.differ {
				t.Errorf("got %v", err)
			}
		})
	}
	ids := &transcript{}
	if err := ids.match([]string{"Created 83257ced-41a0-4f0e-9a55-0d5f0c1b7e21"}, []string{"Created 9c1f02ab-77d3-4c1e-8f60-2b9a6e5d4c11"}); err != nil {
		t.Fatal(err)
	}
	if got := ids.actual("claim 83257c 000000"); got != "claim 9c1f02 000000" {
		t.Errorf("the command became %q", got)
	}
	if got := ids.documented([]string{"Claimed 9c1f02ab"}); !bytes.Equal([]byte(strings.Join(got, "")), []byte("Claimed 83257ced")) {
		t.Errorf("the output became %q", got)
	}
}
