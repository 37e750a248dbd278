package coretest

import (
	"fmt"
	"strings"
	"testing"
)

// testNoteLinks holds what wiki-links lead to: path before file name before id
// before alias, whatever the case.
func testNoteLinks(t *testing.T, open Open) {
	s := newSession(t, open)
	s.disk("a/target.md", "---\nid: by-path\n---\n")
	s.disk("b/a.md", "---\nid: by-name\naliases: [Other Name, by-path]\n---\n")
	s.disk("target.md", "---\nid: at-root\n---\n")
	for _, test := range []struct{ link, leads string }{
		{"a/target", "by-path"}, {"a/target.md", "by-path"}, {"A/Target#Section", "by-path"}, {"/a/target", "by-path"},
		{"target", "at-root"}, {"a", "by-name"}, {"by-path", "by-path"}, {"other name", "by-name"}, {"nowhere", ""}, {"b/target", ""},
		{"target|shown", "at-root"}, {"123", ""}, {"lin\nk", ""},
	} {
		s.disk("from.md", "---\nid: from\n---\nSee [["+test.link+"]].")
		got := fmt.Sprint(s.values(fmt.Sprintf(`{"l":%s}`, encode(s.value(s.do("related", `{"id":"from"}`), "links", "outgoing"))), "l", "id"))
		if want := strings.TrimSuffix("["+test.leads, " ") + "]"; got != want {
			t.Errorf("[[%s]] leads to %s, want %s", test.link, got, want)
		}
	}
	s.disk("from.md", "---\nid: from\n---\n# [[Title]]\n\n![[a|x]] [[ b | ]] [[c]] [[c]] [[]] [[12]] [[x[y]] [ [z]] [[d|e|f]]")
	answer := s.do("read", `{"id":"from","max_length":2}`)
	if got, want := encode(s.value(answer, "links")), `[{"display":"Title","target":"Title"},{"display":"x","target":"a"},{"display":"b","target":"b"},{"display":"c","target":"c"},{"display":"c","target":"c"},{"display":"e|f","target":"d"}]`; got != want {
		t.Errorf("the links are %s, want %s", got, want)
	}
}

// testNoteReads holds how texts are cut, and what a read counts.
func testNoteReads(t *testing.T, open Open) {
	s := newSession(t, open)
	for i, test := range []struct {
		content string
		most    int
		want    string
	}{
		{"short", 5, "short"}, {"short", 0, "short"}, {"shorter", 1, "s"}, {"shorter", 3, "sho"}, {"shorter", 4, "s..."}, {"shorter", 6, "sho..."},
		{"one two three four", 12, "one two..."}, {"日本語の長い文章です", 6, "日本語..."},
		{"First paragraph is here.\n\nSecond one goes on and on and on", 40, "First paragraph is here."},
		{"Short.\n\nA second one without an end to it that goes on", 40, "Short.\n\nA second one without an end..."},
		{"It is a sentence of some length. Then more words follow", 44, "It is a sentence of some length."},
		{"What? No! It is so, or is it not so? I do not know that", 44, "What? No! It is so, or is it not so?"},
	} {
		id := fmt.Sprintf("note-%02d", i)
		s.nextID = id
		s.do("write", fmt.Sprintf(`{"title":"N %d","content":%s,"agent":"ada"}`, i, quote(test.content)))
		answer := s.do("read", fmt.Sprintf(`{"id":%q,"max_length":%d}`, id, test.most))
		if got := s.value(answer, "content"); got != test.want {
			t.Errorf("%q cut to %d is %q, want %q", test.content, test.most, got, test.want)
		}
		if got := s.value(answer, "truncated"); got != (test.want != test.content) {
			t.Errorf("%q cut to %d: truncated is %v", test.content, test.most, got)
		}
	}
	s.failNote("read", `{"id":"note-00","max_length":-1}`, "invalid_input", `{"reason":"invalid_field_value","field":"max_length","value":-1}`)
	s.do("read", `{"path":"n-0"}`)
	if got := s.value(s.do("read", `{"id":"note-00"}`), "retrieval_count"); fmt.Sprint(got) != "3" {
		t.Errorf("the third read is counted as %v", got)
	}
	// Contents that look like titles and front matter come back as they were.
	for i, content := range []string{"# A heading\n\ntext", "---\na: 1\n---\ntext", "## x", "#no heading", "# ", "```\n# code\n```", "a\n# b", "\ttab", "ends with #"} {
		s.nextID = fmt.Sprintf("body-%02d", i)
		s.do("write", fmt.Sprintf(`{"title":"Body # %d #","content":%s,"agent":"ada"}`, i, quote(content)))
		s.do("note_update", fmt.Sprintf(`{"id":"body-%02d","agent":"ada","status":"archived"}`, i))
		answer := s.do("read", fmt.Sprintf(`{"id":"body-%02d"}`, i))
		if got := s.value(answer, "content"); got != strings.TrimSpace(content) {
			t.Errorf("the content %q came back as %q", content, got)
		}
		if got := s.value(answer, "title"); got != fmt.Sprintf("Body # %d #", i) {
			t.Errorf("the title came back as %q", got)
		}
	}
}

// testNoteLists holds filters, order, paging and counts of lists and tags.
func testNoteLists(t *testing.T, open Open) {
	s := newSession(t, open)
	s.at("2026-03-01T08:00:00Z")
	s.writeNote("note-1", "Größe", `"tags":["a","Db"],"path":"projects","metadata":{"n":1,"l":["x",2]}`)
	s.at("2026-03-02T08:00:00Z")
	s.writeNote("note-2", "Second", `"tags":["a","a"],"path":"proj/sub"`)
	s.nextID = "note-3"
	s.do("write", `{"title":"Third","content":"Needle.","agent":"mo","tags":["b"]}`)
	s.disk("entity.md", "---\nid: note-4\nentities: [SQLite, Go]\n---\n# Fourth")
	for arguments, want := range map[string]string{
		`{}`:                                     "note-1 note-2 note-3 note-4 of 4",
		`{"limit":2}`:                            "note-1 note-2 of 4",
		`{"limit":2,"offset":3}`:                 "note-4 of 4",
		`{"limit":0}`:                            " of 4",
		`{"offset":9}`:                           " of 4",
		`{"path_prefix":"proj"}`:                 "note-1 note-2 of 2",
		`{"path_prefix":"proj/"}`:                "note-2 of 1",
		`{"path_prefix":"%"}`:                    " of 0",
		`{"tags":["a"]}`:                         "note-1 note-2 of 2",
		`{"tags":["a","Db"]}`:                    "note-1 of 1",
		`{"tags":["db"]}`:                        " of 0",
		`{"author":"mo"}`:                        "note-3 of 1",
		`{"since":"2026-03-02"}`:                 "note-2 note-3 note-4 of 3",
		`{"title_contains":"grösse"}`:            " of 0",
		`{"title_contains":"GRÖSS"}`:             " of 0",
		`{"title_contains":"rÖ"}`:                "note-1 of 1",
		`{"metadata_match":{"n":1}}`:             "note-1 of 1",
		`{"metadata_match":{"n":1.0}}`:           " of 0",
		`{"metadata_match":{"l":2}}`:             "note-1 of 1",
		`{"entities":["Go","SQLite"]}`:           "note-4 of 1",
		`{"entities":["go"]}`:                    " of 0",
		`{"content_query":"needle"}`:             "note-3 of 1",
		`{"content_query":"text","tags":["Db"]}`: "note-1 of 1",
		`{"tags":[],"author":"","since":""}`:     "note-1 note-2 note-3 note-4 of 4",
	} {
		answer := s.do("list", arguments)
		var ids []string
		for _, id := range s.values(answer, "items", "id") {
			ids = append(ids, id.(string))
		}
		if got := fmt.Sprintf("%s of %v", strings.Join(ids, " "), s.value(answer, "total")); got != want {
			t.Errorf("list %s: %s, want %s", arguments, got, want)
		}
	}
	s.do("write", `{"id":"note-1","title":"Größe","content":"","agent":"mo"}`)
	if got := fmt.Sprint(s.values(s.do("list", `{"limit":1}`), "items", "id")); got != "[note-1]" {
		t.Errorf("an update has moved a note: %s", got)
	}
	s.want("tags", `{}`, `{"tags":{"Db":1,"a":2,"b":1}}`)
	s.want("tags", `{"prefix":"D"}`, `{"tags":{"Db":1}}`)
	s.want("tags", `{"prefix":"x"}`, `{"tags":{}}`)
	for arguments, field := range map[string]string{`{"limit":-1}`: "limit", `{"limit":-2,"offset":-1,"since":"x"}`: "limit", `{"offset":-1}`: "offset"} {
		value := "-1"
		if strings.Contains(arguments, "-2") {
			value = "-2"
		}
		s.failNote("list", arguments, "invalid_input", fmt.Sprintf(`{"reason":"invalid_field_value","field":%q,"value":%s}`, field, value))
	}
}
