package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestNotes runs every measurement of notes on small folders.
func TestNotes(t *testing.T) {
	b := &bench{settings: settings{sizes: []int{1000, 2000}, turns: 1, out: filepath.Join(t.TempDir(), "report.md")}, ctx: t.Context(), dir: t.TempDir()}
	defer failed(t)
	b.measureNotes()
	if err := b.write(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(b.out)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"\n| what | notes | measured | limit | kept | of it |\n", "\n| `list`, 50 notes | 200 | ", "\n| `write` of another text, durable | 200 | ",
		"\n| index made of the files alone | 100 | ", "\n| | 100 | 200 | exponent |\n", "\n| `note_update` its tags | ", "\n| `note_reindex` of a store without an index | ",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("the report lacks %q:\n%s", want, text)
		}
	}
}

// TestNotes_answers holds that both sides of a comparison do the same work.
func TestNotes_answers(t *testing.T) {
	b := &bench{ctx: t.Context(), dir: t.TempDir()}
	defer failed(t)
	l := b.library(300)
	l.open()
	l.raw = openRaw(l.path)
	defer l.close()
	l.call("note_reindex", `{}`)
	for query, want := range map[string]int{rareWord(45): 10, commonWord(45): 3, everyWord: 300} {
		found := strings.Count(string(l.call("search", fmt.Sprintf(`{"query":%q,"mode":"fulltext","limit":1000}`, query))), `"score":`)
		if hits := l.raw.query(wordHits, query); hits != want || found != want {
			t.Errorf("%s is found %d times, and %d times by the reference, not %d", query, found, hits, want)
		}
	}
	if n := l.raw.query(notePage); n != 50 {
		t.Errorf("a page of %d notes", n)
	}
	ids := map[string]bool{}
	for n := range l.notes {
		ids[noteID(n)[:8]] = true
	}
	if len(ids) != l.notes {
		t.Errorf("%d notes share their first characters with others", l.notes-len(ids))
	}
}
