package tui

import (
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"dev.lithos/themes"
)

// studio is a fuller graph, for pictures.
func studio() fixture {
	f := acme
	f.tasks = slices.Concat(acme.tasks, []fixtureTask{
		{id: "e81b02", title: "Fuzz the JSONL importer", age: 50 * time.Minute, metadata: `{"priority":"medium"}`, tags: []string{"io"}},
		{id: "2f7ac9", title: "Golden frames for 44x16", age: 7 * hour, metadata: `{"priority":"medium"}`, tags: []string{"tui"}},
		{id: "c01d57", title: "Shorten ids in log lines", age: 9 * hour},
		{id: "8a64e0", title: "Time out stalled readers", age: 11 * hour, tags: []string{"store"}},
		{id: "d93f1a", title: "Explain version_conflict", age: day, tags: []string{"docs"}},
		{id: "1b90ce", title: "Contrast of light themes", age: 2 * day, metadata: `{"priority":"low"}`, tags: []string{"tui"}},
		{id: "f4a8d3", title: "Man page examples", age: 3 * day, metadata: `{"priority":"low"}`, tags: []string{"docs"}},
		{id: "6e0b71", title: "Notarise the macOS build", age: 3 * day, metadata: `{"priority":"low"}`},
		{id: "b73c4d", title: "Dry run for imports", age: 4 * day, metadata: `{"priority":"lowest"}`},
		{id: "5f1e66", title: "Stream events as JSONL", age: 20 * hour, metadata: `{"priority":"high"}`, tags: []string{"cli"}},
		{id: "0a9d38", title: "Palette remembers verbs", age: 6 * hour, tags: []string{"tui"}},
		{id: "93d0f5", title: "Replay a day of claims", age: 30 * hour},
		{id: "ab41c7", title: "Bench ready at 100k", age: 26 * hour, metadata: `{"priority":"medium"}`},
	})
	f.edges = append(slices.Clone(acme.edges), "5f1e66 > 93d0f5", "ab41c7 > 93d0f5", "3f9a1c > 93d0f5")
	f.holds = append(slices.Clone(acme.holds), "5f1e66 mira code 1h41m", "0a9d38 build-2 code 24m", "ab41c7 dana review 3m")
	return f
}

// screenFolder holds the pictures of the documents.
var screenFolder = filepath.Join("..", "docs", "screens")

// TestScreens holds the pictures of the documents equal to what the program
// shows; -update draws them.
func TestScreens(t *testing.T) {
	for _, s := range []struct {
		name, title, theme string
		w, h               int
		keys, wait         string // the screen is there once it shows the text
	}{
		{"board", "The board: ready, blocked, claimed, and a task in detail", "catppuccin-mocha", 140, 33, "", "Unblocks"},
		{"board-light", "The board on a small light terminal", "catppuccin-latte", 80, 24, "", "background daemon"},
		{"why", "Why a task is blocked, and what frees it", "catppuccin-mocha", 96, 26, "2wjj" + rightKey, "9b02a7 API"},
		{"tree", "The tree of tasks with its progress", "catppuccin-mocha", 110, 28, "gt**", "Query-time"},
		{"graph", "The graph around a task, with its longest chain", "catppuccin-mocha", 120, 30, "2gdz", "Graph"},
		{"cancel", "Cancelling a task lists the consequences first", "catppuccin-mocha", 96, 26, "X", "would be STUCK"},
	} {
		t.Run(s.name, func(t *testing.T) {
			t.Parallel()
			theme, err := themes.Load(s.theme, "", true)
			if err != nil {
				t.Fatal(err)
			}
			x := openTerminal(t, studio(), s.w, s.h, childOptions{Theme: s.theme})
			x.shows("3f9a1c", "● live")
			x.send(s.keys)
			x.shows(s.wait)
			x.settle(200 * time.Millisecond)
			path := filepath.Join(screenFolder, s.name+".svg")
			if *update {
				if err := os.WriteFile(path, []byte(x.picture(s.title, theme)), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			for end := time.Now().Add(patience); x.picture(s.title, theme) != string(want); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(end) {
					t.Fatalf("%s shows something else than the program; see it, then make screens:\n%s", path, x.screen())
				}
			}
		})
	}
}
