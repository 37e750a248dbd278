package main

import (
	"cmp"
	"database/sql/driver"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// The references are the least that engine and file system have to do for an
// operation on notes, written here anew.
const (
	noteRow    = `n.seq, n.id, n.title, n.path, n.updated_at, n.expires_at, n.tags, n.source_url, n.derived_from, n.metadata`
	noteByID   = `SELECT ` + noteRow + ` FROM notes n WHERE n.id = ?`
	noteByKey  = `SELECT ` + noteRow + ` FROM notes n WHERE n.seq = ?`
	notePage   = `SELECT ` + noteRow + ` FROM notes n NOT INDEXED ORDER BY n.seq LIMIT 50`
	noteCount  = `SELECT count(*) FROM notes`
	folderList = `SELECT path, folder_time, marks FROM note_folders`
	// wordHits are the notes with a word, with what BM25 needs of each: how often
	// title and content hold it and how long they are. wordNotes are the number of
	// notes and the average lengths, which are the same for all.
	wordHits  = `SELECT docid, matchinfo(note_words, 'pcyl') FROM note_words WHERE note_words MATCH ? ORDER BY docid DESC`
	wordNotes = `SELECT matchinfo(note_words, 'na') FROM note_words WHERE note_words MATCH ? LIMIT 1`

	countRead = `INSERT INTO note_usage (note_id, salience, read_count, retrieval_count, cited_count, ignored_count, misleading_count)
		VALUES (?, 0.5, 1, 0, 0, 0, 0) ON CONFLICT (note_id) DO UPDATE SET read_count = read_count + 1`
	logRead = `INSERT INTO note_access (at, kind, agent, note_id) VALUES (?, ?, 'unknown', ?)`

	insertNoteRow = `INSERT INTO notes (id, path, folder, title_named, title, author, created_at, updated_at, version, confidence, namespace,
		access_scope, note_type, status, file_size, file_time, file_number, file_hash, own_id, tags, derived_from, entities, aliases, metadata)
		VALUES (?1, ?2, 'raw', 1, ?3, 'bench', ?4, ?4, 1, 1.0, 'raw', 'shared', 'observation', 'active', ?5, ?4, ?4, ?4, 1,
		'["tag01","tag02"]', '[]', '[]', '[]', '{}')`
	updateNoteRow = `UPDATE notes SET updated_at = ?1, version = version + 1, file_size = ?2, file_time = ?1, file_number = ?1, file_hash = ?1
		WHERE seq = ?3`
	insertNoteName = `INSERT INTO note_names (name, kind, seq) VALUES (?, ?, ?)`
	insertNoteTag  = `INSERT INTO note_tags (seq, tag) VALUES (?, ?)`
	insertNoteLink = `INSERT INTO note_links (seq, name) VALUES (?, ?)`
	dropNoteLinks  = `DELETE FROM note_links WHERE seq = ?`
	insertWords    = `INSERT INTO note_words (docid, title, body) VALUES (?, ?, ?)`
	dropWords      = `DELETE FROM note_words WHERE docid = ?`
	// updateFolder writes the row anew with what it has, for lithos goes by it.
	updateFolder = `UPDATE note_folders SET folder_time = folder_time, marks = marks WHERE path = 'area-000'`
	lastInserted = `SELECT last_insert_rowid()`
)

// noteReference does what the references do, on a library.
type noteReference struct {
	*library
	fast  *raw // does not wait for the disk, as what notes who read what
	top   int  // the folder of notes, open
	place string
	ids   *rand.Rand
}

// reference opens a library for the references. Their files lie beside the
// folder of notes, where lithos does not find them changed.
func (l *library) reference() *noteReference {
	r := &noteReference{library: l, fast: openRaw(l.path), place: filepath.Join(filepath.Dir(l.path), "raw"), ids: rand.New(rand.NewPCG(7, 8))}
	r.fast.script("PRAGMA synchronous = NORMAL")
	var err error
	r.top, err = unix.Open(l.folder, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	check(err)
	// As many files as the folders of the notes have.
	check(os.MkdirAll(r.place, 0o755))
	for n := range min(l.notes, notesPerFolder) {
		check(os.WriteFile(r.file(n), []byte(noteFile(n, l.notes)), 0o600))
	}
	return r
}

func (r *noteReference) close() {
	check(unix.Close(r.top))
	r.fast.close()
}

// file is where the reference writes the file of a note.
func (r *noteReference) file(n int) string {
	return filepath.Join(r.place, fmt.Sprintf("%s.md", noteName(n%notesPerFolder)))
}

// look looks at each known folder, by which new, renamed and deleted files show.
func (r *noteReference) look() {
	r.fast.each(folderList, func(row []driver.Value) {
		path, _ := row[0].(string)
		var stat unix.Stat_t
		check(unix.Fstatat(r.top, cmp.Or(path, "."), &stat, unix.AT_SYMLINK_NOFOLLOW))
		if before, _ := row[1].(int64); stat.Ctim.Nano() != before {
			check(fmt.Errorf("folder '%s' is not as it was known", path))
		}
	})
}

// readFile reads the file of a note.
func (r *noteReference) readFile(path string) {
	file, err := os.Open(filepath.Join(r.folder, path))
	check(err)
	info, err := file.Stat()
	check(err)
	text := make([]byte, info.Size())
	_, err = io.ReadFull(file, text)
	check(err)
	check(file.Close())
}

// read finds a note, reads its file, and counts and logs that.
func (r *noteReference) read(n int) {
	id := noteID(n)
	r.fast.each(noteByID, func(row []driver.Value) {
		path, _ := row[3].(string)
		r.readFile(path)
	}, id)
	r.fast.exec("BEGIN IMMEDIATE")
	r.fast.exec(countRead, id)
	r.fast.exec(logRead, now(), int64(0), id)
	r.fast.exec("COMMIT")
}

// list reads a page and counts, after a look at the folders.
func (r *noteReference) list() {
	r.look()
	r.fast.query(notePage)
	r.fast.number(noteCount)
}

// search ranks all notes with a word, reads rows and files of the best ten and
// logs that, after a look at the folders.
func (r *noteReference) search(word string) {
	r.look()
	type hit struct {
		key   int64
		score float64
	}
	numbers := func(value driver.Value) func(int) float64 {
		info, _ := value.([]byte)
		return func(i int) float64 { return float64(binary.NativeEndian.Uint32(info[4*i:])) }
	}
	var hits []hit
	var notes, title, content float64
	r.fast.each(wordNotes, func(row []driver.Value) {
		at := numbers(row[0])
		notes, title, content = at(0), max(at(1), 1), max(at(2), 1)
	}, word)
	r.fast.each(wordHits, func(row []driver.Value) {
		at := numbers(row[1])
		key, _ := row[0].(int64)
		often := 5*at(2)/(0.25+0.75*at(4)/title) + at(3)/(0.25+0.75*at(5)/content)
		hits = append(hits, hit{key, often * 2.2 / (often + 1.2)})
	}, word)
	rarity := math.Log(1 + (notes-float64(len(hits))+0.5)/(float64(len(hits))+0.5))
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(rarity*b.score, rarity*a.score) })
	ids := make([]string, 0, 10)
	for _, hit := range hits[:min(10, len(hits))] {
		r.fast.each(noteByKey, func(row []driver.Value) {
			id, _ := row[1].(string)
			path, _ := row[3].(string)
			ids = append(ids, id)
			r.readFile(path)
		}, hit.key)
	}
	r.fast.exec("BEGIN IMMEDIATE")
	for _, id := range ids {
		r.fast.exec(logRead, now(), int64(1), id)
	}
	r.fast.exec("COMMIT")
}

// replace writes a file beside its place, durably, and gives it the name.
func (r *noteReference) replace(path, text string) {
	draft := filepath.Join(r.place, ".draft")
	file, err := os.OpenFile(draft, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	check(err)
	_, err = file.WriteString(text)
	check(err)
	check(file.Sync())
	check(file.Close())
	check(os.Rename(draft, path))
	folder, err := os.Open(r.place)
	check(err)
	check(folder.Sync())
	check(folder.Close())
}

// durable runs statements in one durable transaction, with those that every
// write of a note needs.
func (r *noteReference) durable(id string, write func(at int64)) {
	at := now()
	r.raw.exec("BEGIN IMMEDIATE")
	write(at)
	r.raw.exec(updateFolder)
	r.raw.exec(seen, at, "bench")
	r.raw.exec(insertEvent, newID(r.ids), "note.updated", at, "bench", nil, fmt.Sprintf(`{"id":%q,"title":"Finding 000000","path":"area-000/finding-000000.md","version":2}`, id))
	r.raw.exec("COMMIT")
}

// create makes a file and the rows of a new note.
func (r *noteReference) create(turn int) {
	id, title, content := newID(r.ids), fmt.Sprintf("One more %d", turn), noteText(turn)
	name := fmt.Sprintf("one-more-%d", turn)
	r.durable(id, func(at int64) {
		text := noteFile(0, 1)
		r.replace(filepath.Join(r.place, name+".md"), text)
		r.raw.exec(insertNoteRow, id, "raw/"+name+".md", title, at, int64(len(text)))
		key := r.raw.number(lastInserted)
		for kind, called := range []string{"raw/" + name, name, id} {
			r.raw.exec(insertNoteName, called, int64(kind), key)
		}
		r.raw.exec(insertNoteTag, key, "tag01")
		r.raw.exec(insertNoteTag, key, "tag02")
		r.raw.exec(insertNoteLink, key, noteName(0))
		r.raw.exec(insertWords, key, title, plainWords(content))
	})
}

// plainWords are the words of a text as the index holds them.
func plainWords(text string) string {
	return strings.Map(func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' {
			return c
		}
		return ' '
	}, text)
}

// update finds a note, reads its file, and gives file and rows another text.
func (r *noteReference) update(n, turn int) {
	id, content := noteID(n), noteText(turn)
	r.durable(id, func(at int64) {
		var key int64
		r.raw.each(noteByID, func(row []driver.Value) {
			key, _ = row[0].(int64)
			path, _ := row[3].(string)
			r.readFile(path)
		}, id)
		text := noteFile(n, r.notes)
		r.replace(r.file(n), text)
		r.raw.exec(updateNoteRow, at, int64(len(text)), key)
		r.raw.exec(dropNoteLinks, key)
		r.raw.exec(insertNoteLink, key, noteName(0))
		r.raw.exec(dropWords, key)
		r.raw.exec(insertWords, key, noteTitle(n), plainWords(content))
	})
}

// compareNoteReads measures reads of notes against their references.
func (b *bench) compareNoteReads(l *library) {
	r := l.reference()
	defer r.close()
	n := b.turns * 10
	spread := func(turn int) int { return turn * 7919 % l.notes }
	b.noteFigure(l, "`read`", "row, file, and the row that logs it", 1.6, turns(n, clocked(func(turn int) {
		l.call("read", fmt.Sprintf(`{"id":%q}`, noteID(spread(turn))))
	}), clocked(func(turn int) { r.read(spread(turn)) })))
	b.noteFigure(l, "`list`, 50 notes", "a page and a count, after a look at each folder", 1.6, turns(n, clocked(func(int) {
		l.call("list", `{}`)
	}), clocked(func(int) { r.list() })))
	for _, search := range []struct {
		what string
		word func(int) string
	}{{"ten notes", rareWord}, {"one of 100 notes", commonWord}, {"every note", ofEveryNote}} {
		most := n
		if search.what == "every note" {
			most = max(b.turns/2, 3)
		}
		b.noteFigure(l, "`search` for a word in "+search.what+", the best 10", "all matches ranked, rows, files, and the rows that log it, after a look at each folder", 2,
			turns(most, clocked(func(turn int) {
				l.call("search", fmt.Sprintf(`{"query":%q,"mode":"fulltext"}`, search.word(spread(turn))))
			}), clocked(func(turn int) { r.search(search.word(spread(turn))) })))
	}
}

// compareNoteWrites measures durable writes of notes against their references.
// Each side has notes of its own.
func (b *bench) compareNoteWrites(l *library) {
	r := l.reference()
	defer r.close()
	n := min(b.turns*10, l.notes/2-1)
	of := "file and rows, both durable"
	b.noteFigure(l, "`write` of a new note, durable", of, 1.3, turns(n, clocked(func(turn int) {
		l.call("write", newNote(&subject{fixture: l.fixture, turn: turn}))
	}), clocked(func(turn int) { r.create(turn) })))
	b.noteFigure(l, "`write` of another text, durable", of, 1.3, turns(n, clocked(func(turn int) {
		l.call("write", writeArguments(map[string]any{
			"id": noteID(turn), "title": noteTitle(turn), "content": noteText(turn), "agent": "bench",
		}))
	}), clocked(func(turn int) { r.update(l.notes-1-turn, turn) })))
}

func (b *bench) noteFigure(l *library, what, of string, limit float64, c contest) {
	b.report.add("notes", figure{what: what, size: count(l.notes), value: c.ratio(), limit: limit, unit: "×",
		detail: fmt.Sprintf("%s; %s %s", short(median(c.ours)), of, short(median(c.theirs)))})
}
