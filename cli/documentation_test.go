package cli_test

import (
	"bufio"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// TestDocumentation_commands runs every command that README and docs show, as
// a reader would: those of a document in order, in one shell, in an empty
// folder, on a terminal of 80 columns. What a document shows as their output
// must be what they print; see transcript. -update rewrites what is not.
func TestDocumentation_commands(t *testing.T) {
	for _, path := range documentPaths(t) {
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

// documentPaths are README and docs.
func documentPaths(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	return append(paths, "../README.md")
}

func readText(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// compareDocument holds a generated document equal to what it is generated
// from.
func compareDocument(t *testing.T, path, want string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is not what the program says; run `make docs`", path)
	}
}

// document is a file with console blocks. In these a line that begins with
// "$ " is a command, one that begins with "> " continues it, and what follows
// is its output. A block whose fence names a file, such as "```sh work.sh", is
// that file, there for the commands that follow.
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
	d := &document{lines: strings.Split(readText(t, path), "\n")}
	inside, block := false, 0
	var file *documented
	for i, line := range d.lines {
		switch {
		case line == "```" && file != nil:
			file.text += endOfFile
			file.from, file.to = i, i
			file = nil
		case file != nil:
			file.text += line + "\n"
		case strings.HasPrefix(line, "```"):
			if inside {
				d.endBlock(block)
			}
			inside, block = line == "```console", len(d.commands)
			if _, name, named := strings.Cut(line, " "); named {
				file = &documented{line: i + 1, text: fmt.Sprintf("cat >'%s' <<'%s'\n", name, endOfFile)}
				d.commands = append(d.commands, file)
			}
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

// endOfFile ends the text of a file in the command that writes it.
const endOfFile = "--- end of file ---"

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
	sh.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
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
			select {
			case s.out <- strings.TrimSuffix(part, string(endMark)):
			case <-t.Context().Done():
				return // the test has ended before the shell
			}
		}
	}()
	t.Cleanup(func() {
		if err := send.Close(); err != nil {
			t.Error(err)
		}
		if t.Failed() {
			// It may be waiting for what does not end.
			if err := syscall.Kill(-sh.Process.Pid, syscall.SIGKILL); err != nil {
				t.Error(err)
			}
		}
		if err := sh.Wait(); err != nil && !t.Failed() {
			t.Errorf("the shell: %v", err)
		}
		// What it has left in the background ends too.
		if err := syscall.Kill(-sh.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
			t.Error(err)
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
