package cli_test

import (
	"os"
	"testing"

	"dev.lithos/cli"
)

// TestDocumentation_man holds docs/lithos.1 equal to the tree of commands.
func TestDocumentation_man(t *testing.T) {
	compareDocument(t, "../docs/lithos.1", cli.Manual())
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
