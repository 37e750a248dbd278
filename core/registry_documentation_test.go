package core_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dev.lithos/core"
)

var update = flag.Bool("update", false, "rewrite generated files")

// TestDocumentation_errors holds docs/errors.md equal to the registry.
func TestDocumentation_errors(t *testing.T) {
	var b strings.Builder
	b.WriteString("# Error codes\n\n")
	b.WriteString("Generated from the registry (`make docs`). A failure is one JSON object: `status` (`\"error\"`), `code`, `message`,\n")
	b.WriteString("then the extras of the code in this order; `?` marks one that can be absent. Branch on `code`; `message` is for people.\n\n")
	b.WriteString("## Exit status\n\n| exit | category |\n|---|---|\n| 0 | success, also of an empty list |\n")
	seen := map[core.Category]bool{}
	for _, info := range core.Registry {
		if !seen[info.Category] {
			seen[info.Category] = true
			fmt.Fprintf(&b, "| %d | %s |\n", info.Exit(), info.Category)
		}
	}
	b.WriteString("| 74 | standard output cannot be written; the operation itself had succeeded |\n| 128 + n | ended by signal n |\n\n")
	b.WriteString("## Codes\n\n| code | exit | HTTP | extras | when | what to do |\n|---|---|---|---|---|---|\n")
	for _, info := range core.Registry {
		extras := "none"
		if len(info.Extras) > 0 {
			extras = "`" + strings.Join(info.Extras, "`, `") + "`"
		}
		if info.Outcome {
			extras = "those of the note write"
		}
		fmt.Fprintf(&b, "| `%s` | %d | %d | %s | %s | %s |\n", info.Code, info.Exit(), info.HTTP, extras, info.When, info.Remedy)
	}
	compareFile(t, filepath.Join("..", "docs", "errors.md"), b.String())
}

// compareFile holds a generated file equal to what it is generated from.
func compareFile(t *testing.T, path, want string) {
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
