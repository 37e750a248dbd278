package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dev.lithos/cli"
)

// TestSaveFilter: a filter saved on the board is there the next time, and what
// else stands in the file stays as it is.
func TestSaveFilter(t *testing.T) {
	for _, c := range []struct {
		name, before, after string // the user's file; "" for none
		beside              string // the file beside the store
		besideAfter         string
		filter, text        string
		refused             string // part of the message
	}{
		{name: "the first", filter: "mine", text: "is:mine", after: "[filters]\nmine = \"is:mine\"\n"},
		{name: "quoted", filter: "two words", text: `"a b" tag:x`, after: "[filters]\n\"two words\" = \"\\\"a b\\\" tag:x\"\n"},
		{
			name: "added", filter: "urgent", text: "p:<2",
			before: "# mine\ntheme = \"mono\" # quiet\n\n[filters]\nmine = \"is:mine\"\n\n[keys]\n\"sort\" = \"Z\"\n",
			after:  "# mine\ntheme = \"mono\" # quiet\n\n[filters]\nmine = \"is:mine\"\nurgent = \"p:<2\"\n\n[keys]\n\"sort\" = \"Z\"\n",
		},
		{
			name: "changed", filter: "mine", text: "is:mine p:0", before: "[filters]\nmine = \"is:mine\" # own\nother = \"x\"\n",
			after: "[filters]\nmine = \"is:mine p:0\"\nother = \"x\"\n",
		},
		{name: "no table yet", filter: "a", text: "b", before: "ascii = true\n", after: "ascii = true\n\n[filters]\na = \"b\"\n"},
		{
			name: "beside the store", filter: "mine", text: "new", before: "ascii = true\n", after: "ascii = true\n",
			beside: "[filters]\nmine = \"old\"\n", besideAfter: "[filters]\nmine = \"new\"\n",
		},
		{
			name: "cannot be edited", filter: "b", text: "c", before: "filters = { a = \"x\" }\n", after: "filters = { a = \"x\" }\n",
			refused: "add it by hand: b = \"c\"",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := seeded(t).onTerminal(80)
			file := filepath.Join(w.env.ConfigHome, "lithos", "config.toml")
			beside := filepath.Join(w.env.Dir, ".lithos", "config.toml")
			write := func(path, text string) {
				if text == "" {
					return
				}
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o640); err != nil {
					t.Fatal(err)
				}
			}
			write(file, c.before)
			write(beside, c.beside)
			w.env.RunTUI = func(_ context.Context, o cli.TUIOptions) error { return o.SaveFilter(c.filter, c.text) }
			_, stderr, status := w.run(t, "tui")
			if c.refused == "" && status != 0 || !strings.Contains(stderr, c.refused) {
				t.Fatalf("status %d, %s", status, stderr)
			}
			for path, want := range map[string]string{file: c.after, beside: c.besideAfter} {
				got, err := os.ReadFile(path)
				if want != "" && (err != nil || string(got) != want) {
					t.Errorf("%s: %v\n%s", path, err, got)
				}
			}
			if c.refused != "" {
				return
			}
			var saved map[string]string
			w.env.RunTUI = func(_ context.Context, o cli.TUIOptions) error {
				saved = o.Filters
				return nil
			}
			if _, stderr, status := w.run(t, "tui"); status != 0 || saved[c.filter] != c.text {
				t.Errorf("the next time: status %d, %q, %s", status, saved, stderr)
			}
		})
	}
}

// TestSaveFilter_refused: a failure is told and loses nothing.
func TestSaveFilter_refused(t *testing.T) {
	w := seeded(t).onTerminal(80)
	folder := filepath.Join(w.env.ConfigHome, "lithos")
	if err := os.MkdirAll(filepath.Dir(folder), 0o700); err != nil {
		t.Fatal(err)
	}
	w.env.RunTUI = func(_ context.Context, o cli.TUIOptions) error {
		if err := os.WriteFile(folder, []byte("in the way"), 0o600); err != nil {
			t.Error(err)
		}
		return o.SaveFilter("a", "b")
	}
	_, stderr, status := w.run(t, "tui")
	if status == 0 || !strings.Contains(stderr, "The filter cannot be saved in "+filepath.Join(folder, "config.toml")) {
		t.Errorf("status %d, %s", status, stderr)
	}
}

// TestDropFilter: a filter that is deleted on the board is gone the next time,
// from every file that had it, and what else stands there stays as it is.
func TestDropFilter(t *testing.T) {
	for _, c := range []struct{ name, before, after, beside, besideAfter, refused string }{
		{
			name:   "one of two",
			before: "# mine\n[filters]\nmine = \"is:mine\" # own\nold = \"x\"\n\n[keys]\n\"sort\" = \"Z\"\n",
			after:  "# mine\n[filters]\nmine = \"is:mine\" # own\n\n[keys]\n\"sort\" = \"Z\"\n",
		},
		{name: "the last", before: "[filters]\nold = \"x\"\n", after: "[filters]\n"},
		{
			name: "in both files", before: "[filters]\nold = \"x\"\n", after: "[filters]\n",
			beside: "[filters]\na = \"b\"\nold = \"y\"\n", besideAfter: "[filters]\na = \"b\"\n",
		},
		{name: "in none", before: "ascii = true\n", after: "ascii = true\n"},
		{
			name: "cannot be edited", before: "filters = { old = \"x\" }\n", after: "filters = { old = \"x\" }\n",
			refused: "take old out by hand",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := seeded(t).onTerminal(80)
			file := filepath.Join(w.env.ConfigHome, "lithos", "config.toml")
			beside := filepath.Join(w.env.Dir, ".lithos", "config.toml")
			for path, text := range map[string]string{file: c.before, beside: c.beside} {
				if text == "" {
					continue
				}
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			w.env.RunTUI = func(_ context.Context, o cli.TUIOptions) error {
				if o.FilterPath != file {
					t.Errorf("filters are said to be in %s", o.FilterPath)
				}
				return o.DropFilter("old")
			}
			_, stderr, status := w.run(t, "tui")
			if c.refused == "" && status != 0 || !strings.Contains(stderr, c.refused) {
				t.Fatalf("status %d, %s", status, stderr)
			}
			for path, want := range map[string]string{file: c.after, beside: c.besideAfter} {
				got, err := os.ReadFile(path)
				if want != "" && (err != nil || string(got) != want) {
					t.Errorf("%s: %v\n%s", path, err, got)
				}
			}
		})
	}
}
