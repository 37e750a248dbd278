package store_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"dev.lithos/core"
)

// notesService is a store with a folder of notes, and its path.
func notesService(t *testing.T) (*core.Service, string) {
	t.Helper()
	folder := t.TempDir()
	s, err := openForSuite(folder)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return core.New(core.Config{Store: s, Folder: s.Folder}), filepath.Join(folder, "lithos.db")
}

// answerOf is the JSON text of an answer, whatever it is.
func answerOf(t *testing.T, s *core.Service, operation, arguments string) string {
	t.Helper()
	op, ok := core.OperationNamed(operation)
	if !ok {
		t.Fatalf("there is no operation %s", operation)
	}
	var answer any
	answer, err := op.Call(context.Background(), s, []byte(arguments))
	if err != nil {
		answer = core.AsError(err)
	}
	text, err := core.EncodeJSON(answer)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWords_damage holds that a damaged full-text index has a code of its own,
// hinders nothing else, and is made whole by a reindex.
func TestWords_damage(t *testing.T) {
	s, path := notesService(t)
	answerOf(t, s, "write", `{"title":"Locks","content":"busy","agent":"mo"}`)
	for _, damage := range []string{
		"UPDATE note_words_segdir SET root = x'0102030405'",
		"DROP TABLE note_words_docsize",
		"DROP TABLE note_words_segdir",
		"DROP TABLE note_words",
	} {
		if err := execute(path, damage); err != nil {
			t.Fatal(err)
		}
		for operation, arguments := range map[string]string{
			"search": `{"query":"busy"}`, "cache_lookup": `{"query":"busy"}`, "retrieve": `{"query":"busy"}`, "list": `{"content_query":"busy"}`,
		} {
			if got := answerOf(t, s, operation, arguments); !strings.HasPrefix(got, `{"status":"error","code":"search_backend_error","message":`) ||
				strings.Contains(got, "note_words") {
				t.Errorf("%s: %s answers %s", damage, operation, got)
			}
		}
		if got := answerOf(t, s, "read", `{"path":"locks"}`); !strings.Contains(got, `"content":"busy"`) {
			t.Errorf("%s: read answers %s", damage, got)
		}
		if got := answerOf(t, s, "stats", `{}`); !strings.Contains(got, `"documents":1`) {
			t.Errorf("%s: stats answers %s", damage, got)
		}
		if got := answerOf(t, s, "note_reindex", `{}`); !strings.Contains(got, `"notes":1`) {
			t.Fatalf("%s: reindex answers %s", damage, got)
		}
		if got := answerOf(t, s, "search", `{"query":"busy"}`); !strings.Contains(got, `"title":"Locks"`) {
			t.Errorf("%s: after a reindex search answers %s", damage, got)
		}
	}
	if err := execute(path, "DROP TABLE note_words_docsize"); err != nil {
		t.Fatal(err)
	}
	if got := answerOf(t, s, "stats", `{}`); !strings.Contains(got, `"tantivy_doc_count":null`) {
		t.Errorf("stats answers %s", got)
	}
}

// TestWords_common holds that of words that very many notes hold the best are
// found although not all are ranked, and that filters find what is ranked
// nowhere.
func TestWords_common(t *testing.T) {
	s, path := notesService(t)
	answerOf(t, s, "write", `{"title":"Common","content":"filler","agent":"mo","tags":["rare"]}`) // the title alone
	answerOf(t, s, "write", `{"title":"Both","content":"common other","agent":"mo"}`)
	answerOf(t, s, "write", `{"title":"Seldom","content":"common seldom","agent":"mo"}`)
	answerOf(t, s, "write", `{"title":"Tagged","content":"common and more than that","agent":"mo","tags":["rare"]}`)
	// 6,000 newer notes that hold the common words, one of them each.
	const many = 6_000
	statements := []string{"BEGIN"}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range many {
		word := "common"
		if i%2 == 1 {
			word = "other"
		}
		seq := 1000 + i
		statements = append(statements,
			fmt.Sprintf("INSERT INTO notes SELECT %d, 'id-%d', 'old/%d.md', 'old', 0, 'x', author, created_at, updated_at, version, expires_at, confidence, namespace,"+
				" access_scope, note_type, status, source, source_url, file_size, file_time, file_number, file_hash, own_id, '[]', derived_from, entities, aliases, metadata"+
				" FROM notes WHERE title = 'Both'", seq, i, i),
			fmt.Sprintf("INSERT INTO note_words (docid, title, body) VALUES (%d, '', '%s%s')", seq, word, strings.Repeat(" filler", r.IntN(9))))
	}
	if err := execute(path, append(statements, "COMMIT")...); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ arguments, title string }{
		{`{"query":"common"}`, "Common"},
		{`{"query":"common other"}`, "Both"},
		{`{"query":"common other seldom"}`, "Seldom"},
		{`{"query":"common","tags":["rare"]}`, "Common"},
	} {
		got := answerOf(t, s, "search", strings.Replace(c.arguments, "{", `{"mode":"fulltext","limit":1,`, 1))
		if !strings.Contains(got, `"title":"`+c.title+`"`) {
			t.Errorf("%s finds %s, want %s", c.arguments, got, c.title)
		}
	}
	got := answerOf(t, s, "search", `{"query":"common","mode":"fulltext","tags":["rare"]}`)
	if !strings.Contains(got, `"title":"Common"`) || !strings.Contains(got, `"title":"Tagged"`) {
		t.Errorf("of all notes with the tag it finds %s", got)
	}
	if got := answerOf(t, s, "list", `{"content_query":"common other","limit":0}`); got != fmt.Sprintf(`{"items":[],"total":%d}`, many+4) {
		t.Errorf("list counts %s", got)
	}
}
