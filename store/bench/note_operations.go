package main

import (
	"encoding/json"
	"fmt"
)

// note is the id of a note, another one in every turn.
func (s *subject) note() string { return noteID(s.noteNumber()) }

func (s *subject) noteNumber() int { return s.turn * 7919 % s.notes }

// onNote makes the arguments of an exercise on a note.
func onNote(format string) func(*subject) string {
	return func(s *subject) string { return fmt.Sprintf(format, s.note()) }
}

// noteText is what is written in a turn: of the kind of the notes that are
// there, and no two alike.
func noteText(turn int) string { return noteContent(-1-turn, 1) }

// newNote are the arguments that make one more note, another in every turn.
func newNote(s *subject) string {
	return writeArguments(map[string]any{
		"title": fmt.Sprintf("One more %d", s.turn), "content": noteText(s.turn), "agent": "bench", "path": "new", "tags": []string{"tag01", "tag02"},
	})
}

func writeArguments(members map[string]any) string {
	text, err := json.Marshal(members)
	check(err)
	return string(text)
}

// deleteWritten deletes the note that an answer names.
func (s *subject) deleteWritten(answer []byte) {
	var written struct{ ID string }
	check(json.Unmarshal(answer, &written))
	s.call("delete", fmt.Sprintf(`{"id":%q,"agent":"bench"}`, written.ID))
}

// contradiction puts an edge between two notes that conflict and returns its
// id.
func (s *subject) contradiction() string {
	var edge struct {
		ID string `json:"edge_id"`
	}
	answer := s.call("edge_upsert", fmt.Sprintf(`{"from_id":%q,"to_id":%q,"type":"contradicts","weight":0.5,"namespace":"n","provenance_actor":"bench"}`,
		s.note(), noteID((s.noteNumber()+1)%s.notes)))
	check(json.Unmarshal(answer, &edge))
	return edge.ID
}

// searchFor makes the arguments of a search for a word that depends on a note.
func searchFor(word func(int) string, rest string) func(*subject) string {
	return func(s *subject) string { return fmt.Sprintf(`{"query":%q%s}`, word(s.noteNumber()), rest) }
}

func ofEveryNote(int) string { return everyWord }

// noteExercises are those of the operations on notes. What reads comes first.
var noteExercises = []exercise{
	{operation: "read", arguments: onNote(`{"id":%q}`)},
	{operation: "read", form: "by 8 characters", arguments: func(s *subject) string { return fmt.Sprintf(`{"id":%q}`, s.note()[:8]) }},
	{operation: "read", form: "by path", arguments: func(s *subject) string { return fmt.Sprintf(`{"path":%q}`, notePath(s.noteNumber())) }},
	{operation: "list", form: "the first 50", arguments: fixed(`{}`)},
	{operation: "list", form: "50 of a folder", arguments: fixed(`{"path_prefix":"area-000/"}`)},
	{operation: "list", form: "50 of a tag", arguments: fixed(`{"tags":["tag07"]}`)},
	{operation: "list", form: "by text, a word in one of 100", arguments: func(s *subject) string {
		return fmt.Sprintf(`{"content_query":%q}`, commonWord(s.noteNumber()))
	}},
	{operation: "list", form: "only count", arguments: fixed(`{"limit":0}`)},
	{operation: "tags", arguments: fixed(`{}`)},
	{operation: "search", form: "a word in ten notes", arguments: searchFor(rareWord, "")},
	{operation: "search", form: "a word in one of 100", arguments: searchFor(commonWord, "")},
	{operation: "search", form: "a word in every note", arguments: searchFor(ofEveryNote, "")},
	{operation: "search", form: "two words, of an author", arguments: searchFor(func(n int) string {
		return rareWord(n) + " " + commonWord(n)
	}, `,"author":"agent-03"`)},
	{operation: "search", form: "without links, a word in ten notes", arguments: searchFor(rareWord, `,"mode":"fulltext"`)},
	{operation: "search", form: "along links from a note", arguments: onNote(`{"query":"","mode":"graph","seed_ids":[%q]}`)},
	{operation: "cache_lookup", arguments: searchFor(rareWord, "")},
	{operation: "retrieve", arguments: searchFor(rareWord, `,"agent_id":"bench"`)},
	{operation: "related", arguments: onNote(`{"id":%q}`)},
	{operation: "node_stats", arguments: onNote(`{"node_id":%q}`)},
	{operation: "stats", form: "of notes", arguments: fixed(`{}`)},

	{operation: "edge_upsert", arguments: onNote(`{"from_id":%q,"to_id":"elsewhere","type":"mentions","weight":0.5,"namespace":"n","provenance_actor":"bench"}`)},
	{operation: "edge_list", form: "at a note", arguments: onNote(`{"from_id":%q}`)},
	{operation: "conflict_resolve", form: "both hold", arguments: func(s *subject) string {
		return fmt.Sprintf(`{"edge_id":%q,"resolution":"accepted_dual","resolver":"bench"}`, s.contradiction())
	}},
	{operation: "write", form: "a new note", arguments: newNote, after: (*subject).deleteWritten},
	{operation: "write", form: "another text", arguments: func(s *subject) string {
		return writeArguments(map[string]any{
			"id": s.note(), "title": noteTitle(s.noteNumber()), "content": noteText(s.turn), "agent": "bench",
		})
	}},
	{operation: "note_update", form: "its tags", arguments: func(s *subject) string {
		return fmt.Sprintf(`{"id":%q,"agent":"bench","tags":["tag%02d"]}`, s.note(), s.turn%noteTags)
	}},
	{operation: "delete", arguments: func(s *subject) string {
		var written struct{ ID string }
		check(json.Unmarshal(s.call("write", newNote(s)), &written))
		return fmt.Sprintf(`{"id":%q,"agent":"bench"}`, written.ID)
	}},
}
