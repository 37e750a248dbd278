package store

import (
	"encoding/binary"
	"errors"
	"strconv"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/search"
)

// wordsWritten is the row of meta with the moment of the last write to the
// full-text index.
const wordsWritten = "words_written_at"

// putWords puts the words of a note into the full-text index, in place of
// those that are there unless it is new. Where they are the same nothing is
// written.
func (t *tx) putWords(key core.NoteKey, title, content string, isNew bool, at core.Stamp) error {
	title, content = markTitle(title), search.Index(content)
	if !isNew {
		same := false
		_, err := t.one("SELECT title, body FROM note_words WHERE docid = ?", func(r *row) {
			same = r.text(0) == title && r.text(1) == content
		}, int64(key))
		if err != nil || same {
			return err
		}
		if err := t.run("DELETE FROM note_words WHERE docid = ?", int64(key)); err != nil {
			return err
		}
	}
	err := t.run("INSERT INTO note_words (docid, title, body) VALUES (?, ?, ?)", int64(key), title, content)
	if err != nil {
		return err
	}
	return t.wordsWereWritten(at)
}

// dropWords takes a note out of the full-text index.
func (t *tx) dropWords(key core.NoteKey, at core.Stamp) error {
	if err := t.run("DELETE FROM note_words WHERE docid = ?", int64(key)); err != nil {
		return err
	}
	return t.wordsWereWritten(at)
}

// clearWords empties the full-text index. It is made anew, so that also a
// damaged one can be rebuilt.
func (t *tx) clearWords(at core.Stamp) error {
	if err := t.script("DROP TABLE IF EXISTS note_words; " + createWords); err != nil {
		return err
	}
	return t.wordsWereWritten(at)
}

// createWords is the statement of the migration that made the table.
const createWords = "CREATE VIRTUAL TABLE note_words USING fts4 (title, body, tokenize=simple, order=desc)"

func (t *tx) wordsWereWritten(at core.Stamp) error {
	return t.run("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value", wordsWritten, at)
}

// WordsState implements [core.SearchReader].
func (t *tx) WordsState() (notes *int64, written *core.Stamp, err error) {
	_, err = t.one("SELECT value FROM meta WHERE key = ?", func(r *row) { written = r.optionalStamp(0) }, wordsWritten)
	if err != nil {
		return nil, nil, err
	}
	// The sizes of the rows are a narrow table of the index, one row a note.
	count, err := t.number("SELECT count(*) FROM note_words_docsize")
	if err = searchError(err); err != nil {
		if isSearchError(err) {
			return nil, written, nil // which is what null says
		}
		return nil, nil, err
	}
	return &count, written, nil
}

// searchError makes what says that the full-text index cannot be read the
// error of the contract for it.
func searchError(err error) error {
	var e *core.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &e) && !(e.Code == core.CodeStoreUnavailable && e.Extra("reason") == ReasonCorrupt) &&
		e.Code != core.CodeInternalError:
		return err
	}
	return core.NewError(core.CodeSearchBackendError,
		"The full-text index cannot be read; it has to be rebuilt from the files of the notes.").Because(err)
}

func isSearchError(err error) bool {
	var e *core.Error
	return errors.As(err, &e) && e.Code == core.CodeSearchBackendError
}

// The parts of what matchinfo tells with the format below: the numbers of
// phrases and columns, the lengths of the columns of the note, then for each
// phrase and column the hits in it. What is the same for all notes is not asked
// of each: see wordTotals.
const (
	matchFormat  = "pcly"
	matchLengths = 2
	matchHits    = 4
	wordColumns  = 2
)

// wordTotals are the number of notes in the full-text index and the average
// lengths of title and content in words. They are kept in a row of it, as
// variable-length numbers: notes, then the words of each column.
func (t *tx) wordTotals() (notes, title, content float64, err error) {
	_, err = t.one("SELECT value FROM note_words_stat WHERE id = 0", func(r *row) {
		blob, _ := r.values[0].([]byte)
		var totals [1 + wordColumns]uint64
		for i := range totals {
			n, size := binary.Uvarint(blob)
			if size <= 0 {
				r.misfit(0)
				return
			}
			totals[i], blob = n, blob[size:]
		}
		count := max(totals[0], 1)
		average := func(words uint64) float64 { return float64((words + count/2) / count) }
		notes, title, content = float64(totals[0]), average(totals[1]), average(totals[2])
	})
	return notes, title, content, err
}

// EachTextHit implements [core.SearchReader].
func (t *tx) EachTextHit(q core.TextQuery, yield func(core.TextHit) bool) error {
	notes, title, content, err := t.wordTotals()
	if err != nil {
		return searchError(err)
	}
	m := matchOf(q)
	sql := "SELECT docid, matchinfo(note_words, '" + matchFormat + "') FROM note_words WHERE note_words MATCH ? ORDER BY docid DESC"
	args := []any{m.expression}
	if q.Limit > 0 {
		sql += " LIMIT ?"
		args = append(args, q.Limit)
	}
	phrases := make([]core.PhraseHit, len(q.Phrases))
	return searchError(t.eachShort(sql, func(r *row) error {
		info, ok := r.values[1].([]byte)
		if !ok || len(info) != 4*(matchHits+wordColumns*m.phrases) {
			r.misfit(1)
			return errStop
		}
		at := func(i int) uint32 { return binary.NativeEndian.Uint32(info[4*i:]) }
		hit := core.TextHit{
			Key: core.NoteKey(r.int(0)), Notes: notes,
			Title:   core.TextField{Length: float64(at(matchLengths)), Average: title},
			Content: core.TextField{Length: float64(at(matchLengths + 1)), Average: content},
			Phrases: phrases,
		}
		for i := range phrases {
			phrases[i] = core.PhraseHit{}
			if place := m.title[i]; place >= 0 {
				phrases[i].Title = at(matchHits + wordColumns*place)
			}
			if place := m.content[i]; place >= 0 {
				phrases[i].Content = at(matchHits + wordColumns*place + 1)
			}
		}
		if !yield(hit) {
			return errStop
		}
		return nil
	}, args...))
}

// titleMark begins each word of a title in the index. Words of titles so have
// entries of their own, which are short also where every content holds the
// word. It is no letter, so no word begins with it by itself.
const titleMark = "\ue000"

// match is a query in the language of the index. Each phrase stands in it
// twice, as titles and as contents hold it. Words hold letters, marks and
// digits only and stand in quotes, so none is an operator.
type match struct {
	expression     string
	phrases        int   // how many stand in it
	title, content []int // the places of the phrases of the query, -1 where it is left out
}

func matchOf(q core.TextQuery) match {
	var m match
	add := func(p search.Phrase, mark string) (text string, place int) {
		m.phrases++
		return matchPhrase(p, mark), m.phrases - 1
	}
	var limits []string
	for _, i := range q.Of {
		for _, mark := range []string{titleMark, ""} {
			text, _ := add(q.Phrases[i], mark)
			limits = append(limits, text)
		}
	}
	operator := " OR "
	if q.All {
		operator = " AND "
	}
	var list []string
	for _, p := range q.Phrases {
		title, place := add(p, titleMark)
		m.title = append(m.title, place)
		if q.InTitle {
			m.content = append(m.content, -1)
			list = append(list, title)
			continue
		}
		content, place := add(p, "")
		m.content = append(m.content, place)
		list = append(list, "("+title+" OR "+content+")")
	}
	m.expression = strings.Join(list, operator)
	if len(limits) > 0 {
		m.expression = "(" + strings.Join(limits, " OR ") + ") AND (" + m.expression + ")"
	}
	return m
}

func matchPhrase(p search.Phrase, mark string) string {
	text := `"` + mark + strings.Join(p.Words, " "+mark)
	if p.Open {
		text += "*"
	}
	return text + `"`
}

// markTitle is the words of a title as the index holds them.
func markTitle(title string) string {
	list := strings.Fields(search.Index(title))
	for i, word := range list {
		list[i] = titleMark + word
	}
	return strings.Join(list, " ")
}

// NoteIDs implements [core.SearchReader].
func (t *tx) NoteIDs(keys []core.NoteKey) (map[core.NoteKey]string, error) {
	ids := make(map[core.NoteKey]string, len(keys))
	err := t.eachShort("SELECT n.seq, n.id FROM "+keySource+" CROSS JOIN notes n ON n.seq = j.value", func(r *row) error {
		ids[core.NoteKey(r.int(0))] = r.text(1)
		return nil
	}, noteKeyList(keys))
	return ids, err
}

// NoteKeys implements [core.SearchReader].
func (t *tx) NoteKeys(ids []string) (map[string]core.NoteKey, error) {
	keys := make(map[string]core.NoteKey, len(ids))
	err := t.eachShort("SELECT n.id, n.seq FROM "+keySource+" CROSS JOIN notes n ON n.id = j.value", func(r *row) error {
		keys[r.text(0)] = core.NoteKey(r.int(1))
		return nil
	}, core.MakeTags(ids))
	return keys, err
}

// NoteKeysPassing implements [core.SearchReader].
func (t *tx) NoteKeysPassing(q core.NoteFilter) (map[core.NoteKey]bool, error) {
	var f filter
	keep := f.notes(q)
	list, err := t.keysPassing(f, keep)
	keys := make(map[core.NoteKey]bool, len(list))
	for _, key := range list {
		keys[key] = true
	}
	return keys, err
}

// noteKeyList is a list of keys as the JSON text that json_each takes.
func noteKeyList(keys []core.NoteKey) string {
	dst := make([]byte, 0, 8*len(keys)+2)
	dst = append(dst, '[')
	for i, key := range keys {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = strconv.AppendInt(dst, int64(key), 10)
	}
	return string(append(dst, ']'))
}
