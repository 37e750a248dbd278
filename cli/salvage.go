package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"dev.lithos/cli/exchange"
	"dev.lithos/core"
)

// salvageFlag is the switch of export that reads around damage.
const salvageFlag = "salvage"

// runSalvage exports what can still be read of a store, and tells what is
// missing.
func runSalvage(c *call, format string) error {
	for _, f := range listFilters("all") {
		if values, _ := c.given(f.name); values != nil {
			return core.InvalidInput(core.ReasonInvalidValue, f.field(), fmt.Sprintf("--%s saves all that can be read; --%s cannot be given with it.", salvageFlag, f.name))
		}
	}
	if !c.session.place.exists() {
		return c.session.absent(false)
	}
	ctx, cancel := c.bounded()
	defer cancel()
	var found []Salvaged
	write := func(w io.Writer, layout exchange.Layout, tell func(phase string, done, total int64)) error {
		_, err := exchange.Write(w, format, layout, func(shown core.ExportRequest, yield func(*core.TransferRecord) error) (err error) {
			found, err = c.env.Salvage(ctx, SalvageOptions{Path: c.session.place.path, Progress: tell}, yield)
			return err
		})
		return lazyStore{c.session}.timed(err)
	}
	err := c.printSalvaged(write)
	if err != nil {
		return err
	}
	return c.tellSalvaged(found)
}

// printSalvaged prints what write writes, in the form of the call.
func (c *call) printSalvaged(write func(io.Writer, exchange.Layout, func(string, int64, int64)) error) error {
	bar := c.progress("Reading what is left")
	if c.out.filter != nil {
		var whole bytes.Buffer
		err := write(&whole, exchange.Document, bar.tell)
		bar.end()
		if err != nil {
			return err
		}
		return c.out.document(json.RawMessage(whole.Bytes()))
	}
	layout := exchange.Plain
	if c.out.json {
		layout = exchange.Document
	}
	return c.out.whole(func(w io.Writer) error {
		defer bar.end() // before anything is printed
		return write(w, layout, bar.tell)
	})
}

// salvagedNouns are what people call the kinds of records, one and many.
var salvagedNouns = map[core.TransferKind][2]string{
	core.TransferAgent: {"agent", "agents"}, core.TransferTask: {"task", "tasks"}, core.TransferEdge: {"edge", "edges"},
	core.TransferClaim: {"claim", "claims"}, core.TransferFinding: {"finding", "findings"},
}

// tellSalvaged says what is missing of what was printed. Something missing is
// the end of a call that went well as far as it could.
func (c *call) tellSalvaged(found []Salvaged) error {
	whole := true
	for _, s := range found {
		if text := salvagedText(s); text != "" {
			whole = false
			c.say("lithos: %s", text)
		}
	}
	if !whole {
		return unwell{}
	}
	if !c.globals.quiet {
		c.say("lithos: Nothing is missing.")
	}
	return nil
}

// salvagedText says what is missing of one kind; "" when nothing is.
func salvagedText(s Salvaged) string {
	nouns := salvagedNouns[s.Kind]
	var parts []string
	if s.Missing() > 0 || s.AtLeast {
		var why []string
		for _, part := range []struct {
			n         int64
			one, many string
		}{
			{s.Lost, "lies on damaged pages", "lie on damaged pages"},
			{s.Faulty, "holds what cannot be read", "hold what cannot be read"},
			{s.Dangling, "belongs to a task that is missing", "belong to tasks that are missing"},
		} {
			switch {
			case part.n == 1:
				why = append(why, "1 "+part.one)
			case part.n > 1:
				why = append(why, fmt.Sprintf("%d %s", part.n, part.many))
			}
		}
		text := fmt.Sprintf("%d of %d %s are missing", s.Missing(), s.Missing()+s.Read, nouns[1])
		switch {
		case s.Missing() == 0:
			text = fmt.Sprintf("Of the %s some may be missing; %d were read", nouns[1], s.Read)
		case s.AtLeast:
			text = fmt.Sprintf("At least %d of %d %s are missing", s.Missing(), s.Missing()+s.Read, nouns[1])
		case s.Missing() == 1:
			text = fmt.Sprintf("1 of %d %s is missing", 1+s.Read, nouns[1])
		}
		if len(why) > 0 {
			text += ": " + strings.Join(why, ", ")
		}
		parts = append(parts, text+".")
	}
	switch {
	case s.Mended == 1:
		parts = append(parts, fmt.Sprintf("In 1 %s \uFFFD stands for characters that cannot be read.", nouns[0]))
	case s.Mended > 1:
		parts = append(parts, fmt.Sprintf("In %d %s \uFFFD stands for characters that cannot be read.", s.Mended, nouns[1]))
	}
	switch {
	case s.Emptied == 1:
		parts = append(parts, fmt.Sprintf("1 %s is without its tags or metadata, which cannot be read.", nouns[0]))
	case s.Emptied > 1:
		parts = append(parts, fmt.Sprintf("%d %s are without their tags or metadata, which cannot be read.", s.Emptied, nouns[1]))
	}
	return strings.Join(parts, " ")
}
