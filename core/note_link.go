package core

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// NoteLink is one wiki-link of a note.
type NoteLink struct {
	Target  string `json:"target"`
	Display string `json:"display"`
}

// wikiLinks are the links of a body in their order, repeats included.
func wikiLinks(body string) []NoteLink {
	links := []NoteLink{}
	for {
		i := strings.Index(body, "[[")
		if i < 0 {
			return links
		}
		body = body[i+2:]
		end := strings.IndexAny(body, "[]\n")
		if end < 0 {
			return links
		}
		inside := body[:end]
		if !strings.HasPrefix(body[end:], "]]") {
			continue
		}
		body = body[end+2:]
		target, display, _ := strings.Cut(inside, "|")
		target, display = strings.TrimSpace(target), strings.TrimSpace(display)
		if !strings.ContainsFunc(target, unicode.IsLetter) {
			continue
		}
		if display == "" {
			display = target
		}
		links = append(links, NoteLink{target, display})
	}
}

// linkName is the form in which what a link calls and what a note is called
// are compared: without the part of the note that is meant, without .md, and
// ignoring case.
func linkName(name string) string {
	if i := strings.IndexByte(name, '#'); i > 0 {
		name = name[:i]
	}
	name = strings.TrimSpace(strings.TrimPrefix(name, "/"))
	return strings.TrimSuffix(foldCase(norm.NFC.String(name)), noteSuffix)
}

// linkNames are the names that the links of a body call, each once.
func linkNames(body string) []string {
	var names []string
	seen := map[string]bool{}
	for _, link := range wikiLinks(body) {
		if name := linkName(link.Target); !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	return names
}

// noteNames are the names that links can call a note by.
func noteNames(row NoteRow) []NoteName {
	names := []NoteName{
		{linkName(row.Path), NamePath}, {linkName(fileNameOf(row.Path)), NameFile}, {linkName(row.ID), NameID},
	}
	for _, alias := range row.Aliases {
		names = append(names, NoteName{linkName(alias), NameAlias})
	}
	// People call a note by its title, which the name of its file may only be
	// like.
	return append(names, NoteName{linkName(row.Title), NameAlias})
}

// IndexedNote is what the index keeps of a note beside its row.
type IndexedNote struct {
	Names   []NoteName
	Links   []string // the names its wiki-links call, each once
	Content string   // the text of full-text search
}

// IndexOfNote is what the index has to keep of a note with a body.
func IndexOfNote(row NoteRow, body string) IndexedNote {
	return IndexedNote{Names: noteNames(row), Links: linkNames(body), Content: Note{Body: body}.Content()}
}
