package cli

import (
	"fmt"
	"strconv"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// noteArgument is the positional argument that names a note.
var noteArgument = argument{name: "ID", parameter: "id"}

// noteCards are the cards of notes by id. An id that no note has stands for
// itself.
func (p *page) noteCards(ids []string) map[string]core.NoteCard {
	cards, err := p.call.session.service().NoteCards(p.call.ctx, ids)
	if err != nil {
		p.fail(err)
	}
	all := make(map[string]core.NoteCard, len(ids))
	for _, id := range ids {
		card, known := cards[id]
		if !known {
			card = core.NoteCard{NoteHead: core.NoteHead{ID: id}, ShortID: id}
		}
		all[id] = card
	}
	return all
}

// noteID is the id of a note as lists show it: the shortest that can be typed
// back, or, when that is long, the end of the whole id. Piped it is whole.
func (p *page) noteID(c core.NoteCard) string {
	return p.id(label{Card: core.Card{Task: core.Task{TaskHead: core.TaskHead{ID: c.ID}}, ShortID: c.ShortID}})
}

// noteName is a note in a line: its short id and its title.
func (p *page) noteName(c core.NoteCard) string {
	name := p.look(bold, p.noteID(c))
	if c.Title != "" {
		name += " " + display.Visible(c.Title)
	}
	return name
}

// real returns the value of a flag as a number.
func (c *call) real(name string) *float64 {
	values, f := c.given(name)
	if values == nil {
		return nil
	}
	n, err := strconv.ParseFloat(values[0], 64)
	if err != nil || n != n || n-n != 0 {
		c.refuse(core.InvalidValue(f.field(), values[0], fmt.Sprintf("--%s must be a number, not '%s'.", f.name, core.Clip(values[0]))))
		return nil
	}
	return &n
}

// structure returns the value of a flag as a JSON object or list.
func (c *call) structure(name string) *core.Structure {
	text := c.word(name)
	if text == nil {
		return nil
	}
	_, f := c.given(name)
	if err := core.CheckJSONText(f.field(), []byte(*text)); err != nil {
		c.refuse(err)
		return nil
	}
	structure, err := core.ParseStructure([]byte(*text))
	if err != nil {
		c.refuse(core.InvalidValue(f.field(), *text, fmt.Sprintf("--%s must be a JSON object or list.", f.name)))
		return nil
	}
	return &structure
}

// required returns the value of a flag that must be given.
func (c *call) required(name string) string {
	if text := c.word(name); text != nil {
		return *text
	}
	_, f := c.given(name)
	c.refuse(usageFault{reason: core.ReasonMissingField, field: f.field(), message: fmt.Sprintf("--%s is missing.", f.name)}.err())
	return ""
}

// reader is who reads notes: the acting agent, nil when there is none.
func (c *call) reader() *string {
	if agent := c.agent(); agent != "" {
		return &agent
	}
	return nil
}
