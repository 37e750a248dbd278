package knowledge_test

import (
	"cmp"
	"database/sql"
	"encoding/binary"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	_ "github.com/mattn/go-sqlite3" // the engine by itself

	"dev.lithos/store/files"
)

// raw is the least that the engine and the file system have to do for an
// operation, on the same store: one prepared statement each, nothing judged,
// nothing encoded.
type raw struct {
	folder string
	db     *sql.DB
	disk   files.Disk

	note, page, count, match, event, agent, words, dropWords, usage, access, update *sql.Stmt
}

const rawColumns = "seq, id, title, path, updated_at, tags, source_url, derived_from, metadata"

func openRaw(b *testing.B, folder string) *raw {
	b.Helper()
	db, err := sql.Open("sqlite3", "file:"+filepath.Join(folder, "lithos.db")+"?_synchronous=NORMAL&_busy_timeout=10000&_txlock=immediate")
	if err != nil {
		b.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	b.Cleanup(func() {
		if err := db.Close(); err != nil {
			b.Error(err)
		}
	})
	prepare := func(query string) *sql.Stmt {
		statement, err := db.Prepare(query)
		if err != nil {
			b.Fatal(err)
		}
		return statement
	}
	return &raw{
		folder: folder, db: db,
		note:  prepare("SELECT " + rawColumns + " FROM notes WHERE id = ?"),
		page:  prepare("SELECT " + rawColumns + " FROM notes NOT INDEXED ORDER BY seq LIMIT ? OFFSET ?"),
		count: prepare("SELECT count(*) FROM notes"),
		match: prepare("SELECT docid, matchinfo(note_words, 'pcnaly') FROM note_words WHERE note_words MATCH ? ORDER BY docid DESC"),
		usage: prepare("INSERT INTO note_usage (note_id, salience, read_count, retrieval_count, cited_count, ignored_count, misleading_count)" +
			" VALUES (?, 0.5, 1, 0, 0, 0, 0) ON CONFLICT (note_id) DO UPDATE SET read_count = read_count + 1"),
		access:    prepare("INSERT INTO note_access (at, kind, agent, note_id) VALUES (?, 1, 'unknown', ?)"),
		update:    prepare("UPDATE notes SET updated_at = ?, version = version + 1 WHERE id = ?"),
		dropWords: prepare("DELETE FROM note_words WHERE docid = (SELECT seq FROM notes WHERE id = ?)"),
		words:     prepare("INSERT INTO note_words (docid, title, body) SELECT seq, title, ? FROM notes WHERE id = ?"),
		agent:     prepare("UPDATE agents SET last_seen_at = ? WHERE id = 'a'"),
		event:     prepare("INSERT INTO events (id, type, timestamp, agent, tags, payload) VALUES (?, 'note.updated', ?, 'a', '[]', ?)"),
	}
}

func (r *raw) place(n int) string {
	return filepath.Join(r.folder, "knowledge", fmt.Sprintf("d%03d", n/1000), fmt.Sprintf("note-%06d.md", n))
}

// file reads a note's file.
func (r *raw) file(n int) error {
	_, err := r.disk.ReadAtMost(r.place(n), 1<<20)
	return err
}

// row reads what rawColumns name.
func row(scan func(...any) error) (seq int64, id string, err error) {
	var title, path, tags, derived, metadata string
	var url *string
	var updated int64
	err = scan(&seq, &id, &title, &path, &updated, &tags, &url, &derived, &metadata)
	return seq, id, err
}

// read finds a note, reads its file and notes that, as the contract wants it.
func (r *raw) read(n int) error {
	id := noteID(n)
	if _, _, err := row(r.note.QueryRow(id).Scan); err != nil {
		return err
	}
	if err := r.file(n); err != nil {
		return err
	}
	tx, err := r.db.Begin()
	if err != nil {
		return err
	}
	if _, err := tx.Stmt(r.usage).Exec(id); err != nil {
		return err
	}
	if _, err := tx.Stmt(r.access).Exec(time.Now().UnixMicro(), id); err != nil {
		return err
	}
	return tx.Commit()
}

// list reads a page and counts.
func (r *raw) list(limit, offset int) error {
	rows, err := r.page.Query(limit, offset)
	if err != nil {
		return err
	}
	for rows.Next() {
		if _, _, err := row(rows.Scan); err != nil {
			return err
		}
	}
	if err := rows.Close(); err != nil {
		return err
	}
	var total int64
	return r.count.QueryRow().Scan(&total)
}

// search ranks all notes with a word by BM25, reads the best ten and their
// files, and notes that.
func (r *raw) search(word string) error {
	type hit struct {
		key   int64
		score float64
	}
	rows, err := r.match.Query(word)
	if err != nil {
		return err
	}
	var hits []hit
	for rows.Next() {
		var key int64
		var info sql.RawBytes
		if err := rows.Scan(&key, &info); err != nil {
			return err
		}
		at := func(i int) float64 { return float64(binary.NativeEndian.Uint32(info[4*i:])) }
		often, long := at(8), 0.25+0.75*at(6)/max(at(4), 1) // of the content
		hits = append(hits, hit{key, often * 2.2 / (often + 1.2*long)})
	}
	if err := rows.Close(); err != nil {
		return err
	}
	slices.SortFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	tx, err := r.db.Begin()
	if err != nil {
		return err
	}
	for _, hit := range hits[:10] {
		// The keys of a rebuilt index are those of the files in their order.
		n := int(hit.key) - 1
		id := noteID(n)
		if _, _, err := row(tx.Stmt(r.note).QueryRow(id).Scan); err != nil {
			return err
		}
		if err := r.file(n); err != nil {
			return err
		}
		if _, err := tx.Stmt(r.access).Exec(time.Now().UnixMicro(), id); err != nil {
			return err
		}
	}
	return tx.Commit()
}

// write replaces a file and writes a note's row, its words and the event.
func (r *raw) write(n int, text string) error {
	id, now := noteID(n), time.Now().UnixMicro()
	tx, err := r.db.Begin()
	if err != nil {
		return err
	}
	if _, _, err := row(tx.Stmt(r.note).QueryRow(id).Scan); err != nil {
		return err
	}
	if err := r.disk.Replace(filepath.Join(r.folder, "raw.md"), []byte(text), 0o600); err != nil {
		return err
	}
	for _, step := range []struct {
		statement *sql.Stmt
		args      []any
	}{
		{r.update, []any{now, id}}, {r.dropWords, []any{id}}, {r.words, []any{text, id}},
		{r.agent, []any{now}}, {r.event, []any{fmt.Sprint("event", now), now, `{"id":"` + id + `"}`}},
	} {
		if _, err := tx.Stmt(step.statement).Exec(step.args...); err != nil {
			return err
		}
	}
	return tx.Commit()
}
