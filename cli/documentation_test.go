package cli_test

import (
	"bufio"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestDocumentedCommands runs every command that README and docs show: in each
// document the lines of its console blocks that begin with "$ ", in order, by
// one shell in an empty folder.
func TestDocumentedCommands(t *testing.T) {
	documents, err := filepath.Glob("../docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, document := range append(documents, "../README.md") {
		commands := consoleCommands(t, document)
		if len(commands) == 0 {
			continue
		}
		t.Run(filepath.Base(document), func(t *testing.T) {
			home := t.TempDir()
			project := filepath.Join(home, "project")
			if err := os.Mkdir(project, 0o755); err != nil {
				t.Fatal(err)
			}
			// PATH holds lithos: the test binary under another name, put there
			// by TestMain.
			shell := exec.Command("sh", "-e")
			shell.Dir = project
			shell.Stdin = strings.NewReader(strings.Join(commands, "\n") + "\n")
			shell.Env = append(os.Environ(),
				"HOME="+home, "XDG_DATA_HOME="+home, "XDG_CONFIG_HOME="+home, "LITHOS_AGENT=me",
				"LITHOS_DB=", "LITHOS_DATA_DIR=", "PS4=$ ")
			out, err := shell.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// consoleCommands are the commands of a document's console blocks.
func consoleCommands(t *testing.T, path string) []string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var commands []string
	inside := false
	for lines := bufio.NewScanner(strings.NewReader(string(text))); lines.Scan(); {
		line := lines.Text()
		switch {
		case strings.HasPrefix(line, "```"):
			inside = line == "```console"
		case inside && strings.HasPrefix(line, "$ "):
			commands = append(commands, strings.TrimPrefix(line, "$ "))
		case inside && strings.HasPrefix(line, "> "):
			commands = append(commands, strings.TrimPrefix(line, "> "))
		}
	}
	return commands
}
