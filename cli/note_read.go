package cli

import (
	"fmt"
	"strconv"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func noteRead() *command {
	return &command{
		name: "read", operation: core.NoteRead,
		summary:   "read a note",
		details:   "In place of an id the title or the path of a note will do, if no other has it.",
		arguments: []argument{{name: "ID", parameter: "id", optional: true}},
		flags: []flag{
			{name: "path", value: "PATH", summary: "read the note of this file instead"},
			{name: "max-length", value: "N", summary: "cut the text to so many characters", fallback: "all"},
		},
		examples: []string{
			"lithos note read 5f0d3c",
			"lithos note read --path storage/sqlite-busy-handling",
			`lithos note read "$(lithos note write "Try it" --content Text)" --jq .content`,
		},
		run: func(c *call) error {
			request := core.NoteReadRequest{Path: c.word("path"), MaxLength: c.integer("max-length"), AgentID: c.reader()}
			if len(c.invocation.arguments) > 0 {
				id := c.argument(0)
				request.ID = &id
			}
			result, err := run(c, core.NoteRead, request)
			if request.ID != nil && c.invalid == nil {
				if id := c.noteCalled(*request.ID, err); id != "" {
					request.ID = &id
					result, err = run(c, core.NoteRead, request)
				}
			}
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) {
				if p.terminal {
					p.note(result)
				} else {
					p.noteFields(result)
				}
			})
		},
	}
}

// note writes the page of a note for a terminal.
func (p *page) note(r core.NoteReadResult) {
	n := r.Note
	for line := range strings.SplitSeq(display.Wrap(display.Visible(r.Title), max(p.width, 20)), "\n") {
		p.line("%s", p.look(bold, line))
	}
	facts := []string{n.Status, n.NoteType, fmt.Sprintf("version %d", n.Version)}
	if n.Confidence < 1 {
		facts = append(facts, "confidence "+strconv.FormatFloat(n.Confidence, 'g', -1, 64))
	}
	if n.ExpiresAt != nil && *n.ExpiresAt < p.now {
		facts = append(facts, "stale")
	}
	p.hanging("", strings.Join(facts, p.sign(" · ", ", ")))
	p.line("  %s", p.look(faint, display.Visible(r.ID)))
	p.line("  %s", p.look(faint, display.Visible(r.Path)))
	history := fmt.Sprintf("by %s, %s", display.Visible(n.Author), display.Ago(n.CreatedAt, p.now))
	if n.UpdatedAt != n.CreatedAt {
		history += "; changed " + display.Ago(n.UpdatedAt, p.now)
	}
	p.line("  %s", p.look(faint, history))
	if len(n.Tags) > 0 {
		p.hanging("tags: ", display.Visible(strings.Join(n.Tags, ", ")))
	}
	if n.SourceURL != nil {
		p.hanging("", display.Visible(*n.SourceURL))
	}
	for _, field := range n.Extra {
		p.hanging("", display.Visible(metadataPair(core.Member{Key: field.Key, Value: field.Value})))
	}
	if r.Content != "" {
		p.line("")
		p.markdown(0, r.Content)
	}
}

// noteFields writes a note as named fields, one a line, the text last.
func (p *page) noteFields(r core.NoteReadResult) {
	n := r.Note
	p.fields("id", r.ID)
	p.fields("title", r.Title)
	p.fields("path", r.Path)
	p.fields("status", n.Status)
	p.fields("type", n.NoteType)
	p.fields("version", fmt.Sprint(n.Version))
	p.fields("created", n.CreatedAt.String(), n.Author)
	p.fields("updated", n.UpdatedAt.String())
	for _, tag := range n.Tags {
		p.fields("tag", tag)
	}
	if n.SourceURL != nil {
		p.fields("source_url", *n.SourceURL)
	}
	for _, id := range n.DerivedFrom {
		p.fields("derived_from", id)
	}
	for _, field := range n.Extra {
		p.fields("metadata", metadataPair(core.Member{Key: field.Key, Value: field.Value}))
	}
	for _, link := range r.Links {
		p.fields("link", link.Target, link.Display)
	}
	if r.Content != "" {
		p.line("")
		p.paragraph(0, r.Content)
	}
}
