package display_test

import (
	"os/exec"
	"testing"

	"dev.lithos/core/display"
)

func TestEditorFault(t *testing.T) {
	for _, c := range []struct{ command, want string }{
		{"/nowhere/vim", "The editor '/nowhere/vim' could not be started: no such file or directory. Name another with $VISUAL or $EDITOR."},
		{"no-such-editor", `The editor 'no-such-editor' could not be started: exec: "no-such-editor": executable file not found in $PATH. Name another with $VISUAL or $EDITOR.`},
		{"false", "The editor 'false' failed: exit status 1."},
	} {
		err := exec.Command(c.command).Run()
		if err == nil {
			t.Fatalf("%s succeeds", c.command)
		}
		if got := display.EditorFault(c.command, err); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}
