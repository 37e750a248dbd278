package main

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
	"dev.lithos/store/files"
	"dev.lithos/store/knowledge"
)

// library is a folder of notes with the store beside it that indexes them.
type library struct {
	*fixture
	folder string // of the note files
	notes  int
}

// notesPerFolder is how many notes lie in one folder.
const notesPerFolder = 1000

// noteTags and noteAuthors are how many different ones the notes have.
const (
	noteTags    = 50
	noteAuthors = 8
)

// noteSizes are the numbers of notes that are measured: a tenth of the sizes of
// the graphs, at most a hundred thousand.
func (b *bench) noteSizes() (sizes []int) {
	for _, size := range b.sizes {
		n := min(max(size/10, 100), 100_000)
		if len(sizes) == 0 || sizes[len(sizes)-1] != n {
			sizes = append(sizes, n)
		}
	}
	return sizes
}

// noteID is the id of a note. The first eight characters are of one note alone.
func noteID(n int) string {
	return fmt.Sprintf("%08x-0000-4000-8000-%012x", uint32(n)*2654435761, n)
}

// noteName is the file name of a note without its ending; its title has the
// same words.
func noteName(n int) string { return fmt.Sprintf("finding-%06d", n) }

func noteTitle(n int) string { return fmt.Sprintf("Finding %06d", n) }

func notePath(n int) string { return fmt.Sprintf("area-%03d/%s.md", n/notesPerFolder, noteName(n)) }

// rareWord is a word that ten notes hold, commonWord one that every hundredth
// holds, everyWord one that all hold.
func rareWord(n int) string   { return fmt.Sprintf("case%d", n/10) }
func commonWord(n int) string { return fmt.Sprintf("part%d", n%100) }

const everyWord = "measured"

// noteFile is the file of a note of so many, as a tool writes it.
func noteFile(n, of int) string {
	var f strings.Builder
	author, at := fmt.Sprintf("agent-%02d", n%noteAuthors), fmt.Sprintf("2026-%02d-%02dT09:30:00.%06d+00:00", n%12+1, n%28+1, n)
	fmt.Fprintf(&f, "---\naccess_scope: shared\naliases: []\nauthor: %s\nconfidence: 1.0\ncontributors: []\ncreated_at: '%s'\n", author, at)
	if n%3 == 1 {
		fmt.Fprintf(&f, "derived_from_ids:\n  - %s\n", noteID(n-1))
	}
	fmt.Fprintf(&f, "id: %s\nnote_type: observation\n", noteID(n))
	if n%4 == 0 {
		f.WriteString("reviewed: true\n")
	}
	fmt.Fprintf(&f, "schema_version: 1\nsource: null\nstatus: active\nsupersedes: null\ntags:\n  - tag%02d\n  - tag%02d\ntitle: %s\nupdated_at: '%s'\nversion: 1\n---\n\n# %s\n\n%s",
		n%noteTags, (n/noteTags+1+n)%noteTags, noteTitle(n), at, noteTitle(n), noteContent(n, of))
	return f.String()
}

// noteContent is some 800 bytes of text, now more, now less, whose words are as
// unevenly frequent as those of a language, with two links.
func noteContent(n, of int) string {
	random := rand.New(rand.NewPCG(uint64(n), 11))
	var text strings.Builder
	for line := range 5 + random.IntN(10) {
		for range 8 + random.IntN(9) {
			// The rank of the next word: few words are frequent, most are rare.
			fmt.Fprintf(&text, "w%d ", int(math.Pow(20_000, random.Float64())))
		}
		if line == 4 {
			fmt.Fprintf(&text, "%s %s %s ", everyWord, rareWord(n), commonWord(n))
		}
		text.WriteString("and so on.\n")
	}
	fmt.Fprintf(&text, "See [[%s]] and [[%s]].", noteName(random.IntN(of)), noteName(n*7%of))
	return text.String()
}

// library makes a folder of so many notes, for which there is no index yet.
func (b *bench) library(notes int) *library {
	place := filepath.Join(b.dir, fmt.Sprintf("notes-%d", notes))
	l := &library{fixture: &fixture{path: filepath.Join(place, "lithos.db")}, folder: filepath.Join(place, "knowledge"), notes: notes}
	start := time.Now()
	for n := range notes {
		path := filepath.Join(l.folder, notePath(n))
		if n%notesPerFolder == 0 {
			check(os.MkdirAll(filepath.Dir(path), 0o755))
		}
		check(os.WriteFile(path, []byte(noteFile(n, notes)), 0o600))
	}
	b.progress("made a folder of %s notes in %s", count(notes), short(time.Since(start)))
	return l
}

// open opens store and folder in this process.
func (l *library) open() {
	opened, err := store.Open(context.Background(), store.Options{Path: l.path, Create: true})
	check(err)
	folder := knowledge.New(func() string { return l.folder }, files.Disk{})
	l.store, l.service = opened, core.New(core.Config{Store: opened, Folder: folder})
}

// notesText says what the references of notes are.
const notesText = `Files and their index, a thousand notes of some 1,300 bytes a folder. The references do by bare statements and system calls what the
operation cannot do without, on the same store and folder, in the same run, with nothing judged, parsed or encoded. To list and to search
includes for both sides a look at each folder, by which files that people added, renamed or deleted show. A read and a search log who was
shown what in a transaction that does not wait for the disk. A durable write is a draft written and forced to the disk, its new name, the
folder forced to the disk, and one durable transaction with the same rows: note, names, tags, links, words, folder, agent, event. Every so
often lithos looks at each single file, for a twentieth of its time at most; medians do not show that, and the reference does not do it.`

// measureNotes measures every operation on notes at every size, and at the
// largest against what engine and file system have to do for it at least.
func (b *bench) measureNotes() {
	sizes := b.noteSizes()
	var cold []time.Duration
	times := make([][]time.Duration, len(noteExercises))
	for _, size := range sizes {
		l := b.library(size)
		l.open()
		start := time.Now()
		l.call("note_reindex", `{}`)
		took := time.Since(start)
		cold = append(cold, took)
		l.raw = openRaw(l.path)
		b.report.add("notes", figure{what: "index made of the files alone", size: count(size), value: float64(size) / took.Seconds(), unit: "notes a second",
			detail: fmt.Sprintf("%s; the index has %.0f MB, the files %.0f MB", short(took), float64(sizeOf(l.path))/1e6, float64(size*len(noteFile(0, size)))/1e6)})
		l.call("agent_register", `{"id":"bench"}`)
		largest := size == sizes[len(sizes)-1]
		if largest {
			b.compareNoteReads(l)
		}
		for i, e := range noteExercises {
			times[i] = append(times[i], median(b.exercise(&subject{fixture: l.fixture, notes: size}, e)))
		}
		if largest {
			b.compareNoteWrites(l)
		}
		l.close()
		check(os.RemoveAll(filepath.Dir(l.path)))
	}
	for i, e := range noteExercises {
		b.report.noteGrowth(e.name(), sizes, times[i])
	}
	b.report.noteGrowth("`note_reindex` of a store without an index", sizes, cold)
}
