package cli

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"

	"dev.lithos/cli/exchange"
)

func exportCommand() *command {
	return &command{
		name: "export", summary: "write tasks in a format for files",
		details: "lithos: JSON Lines with everything of tasks, edges, claims, findings and agents, which\n" +
			"'lithos import' reads back without loss. dot and mermaid draw the graph, markdown is for reading.\n" +
			"With filters: the tasks they select and the edges between these. With --json, one document that\n" +
			"holds the records, or the text.\n" +
			"--salvage reads a damaged store row by row and leaves out what cannot be read, and what belongs to\n" +
			"that; standard error says how much is missing, and the status is 8 if anything is.",
		flags: append([]flag{{
			name: "format", value: "FORMAT", words: exchange.ExportFormats(), fallback: exchange.ExportFormats()[0],
			summary: "lithos, dot, mermaid or markdown",
		}, {name: salvageFlag, summary: "read a damaged store as far as it goes"}}, listFilters("all")...),
		examples: []string{
			"lithos export > plan.jsonl",
			"lithos export --format dot --status open > plan.dot",
			"lithos export --salvage > rescued.jsonl",
		},
		unbounded: true,
		run:       runExport,
	}
}

func runExport(c *call) error {
	format := wordOr(c.word("format"), exchange.ExportFormats()[0])
	tasks := c.listRequest()
	if c.invalid != nil {
		return c.invalid
	}
	if c.on(salvageFlag) {
		return runSalvage(c, format)
	}
	if c.out.filter != nil {
		var whole bytes.Buffer
		if _, err := exchange.Export(c.ctx, c.session.service(), &whole, format, exchange.Document, tasks); err != nil {
			return err
		}
		return c.out.document(json.RawMessage(whole.Bytes()))
	}
	layout := exchange.Plain
	if c.out.json {
		layout = exchange.Document
	}
	var written exchange.Written
	err := c.out.whole(func(w io.Writer) (err error) {
		bar := c.progress("Exporting")
		defer bar.end() // before anything is printed
		written, err = exchange.Export(c.ctx, c.session.service(), w, format, layout, tasks)
		return err
	})
	if err != nil {
		return err
	}
	if exceeds := written.Limits(format); exceeds != "" && !c.globals.quiet {
		c.say("lithos: %s", fmt.Sprintf("%s draws no more than %s unless it is configured otherwise; filters make the graph smaller.", format, exceeds))
	}
	return nil
}

// Write writes text for people or a part of a document. A failure is one of
// standard output.
func (o *output) Write(b []byte) (int, error) {
	if err := o.text(b); err != nil {
		return 0, err
	}
	return len(b), nil
}
