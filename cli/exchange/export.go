package exchange

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"dev.lithos/core"
	"dev.lithos/core/drawing"
)

// exportFormat is a file format that can be written.
type exportFormat struct {
	name   string
	kinds  []core.TransferKind // the records it shows; nil: all
	parts  core.RecordParts    // how much of each task it shows
	writer func(*bufio.Writer) recordWriter
}

// recordWriter writes down the records of an export in their order.
type recordWriter interface {
	begin() error
	put(rec *core.TransferRecord) error
	end() error
}

var graphKinds = []core.TransferKind{core.TransferTask, core.TransferEdge}

// exportFormats lists the formats of export in documentation order.
var exportFormats = []exportFormat{
	{"lithos", nil, core.WholeRecords, newLithosWriter},
	{drawing.DOT.Name, graphKinds, core.BriefRecords, graphWriterOf(drawing.DOT)},
	{drawing.Mermaid.Name, graphKinds, core.BriefRecords, graphWriterOf(drawing.Mermaid)},
	{"markdown", append(slices.Clone(graphKinds), core.TransferFinding), core.WholeRecords, newMarkdownWriter},
}

// ExportFormats lists the names of the formats that can be exported.
func ExportFormats() []string {
	var names []string
	for _, f := range exportFormats {
		names = append(names, f.name)
	}
	return names
}

// Layout says how an export is written.
type Layout int

// The layouts.
const (
	Plain    Layout = iota // the format itself
	Document               // one JSON document: {format, records} for the own format, {format, text} for others
)

// Written counts what an export wrote.
type Written struct {
	Tasks, Edges int
	Bytes        int64
}

// Limits names what of an export is more than the usual programs that read
// its format take, "" when nothing is.
func (w Written) Limits(format string) string {
	switch {
	case format != drawing.Mermaid.Name:
		return ""
	case w.Edges > drawing.MermaidMaxEdges:
		return fmt.Sprintf("%d edges", drawing.MermaidMaxEdges)
	case w.Bytes > drawing.MermaidMaxText:
		return fmt.Sprintf("%d characters", drawing.MermaidMaxText)
	}
	return ""
}

// counter counts what passes through it.
type counter struct {
	w     io.Writer
	bytes int64
}

func (c *counter) Write(p []byte) (int, error) {
	n, err := c.w.Write(p)
	c.bytes += int64(n)
	return n, err
}

// Export writes the tasks that the filters of a list select, and what belongs
// to them, in one of [ExportFormats]. The errors are those of the store, those
// of the filters, invalid_input about format, and those of w.
func Export(ctx context.Context, s *core.Service, w io.Writer, format string, layout Layout, tasks core.TaskListRequest) (Written, error) {
	return Write(w, format, layout, func(f core.ExportRequest, yield func(*core.TransferRecord) error) error {
		f.Tasks = tasks
		return s.Export(ctx, f, yield)
	})
}

// Write writes the records that each yields, in the order of an export, in one
// of [ExportFormats]; each is told what the format shows of them. The errors
// are those of each, invalid_input about format, and those of w.
func Write(w io.Writer, format string, layout Layout, each func(shown core.ExportRequest, yield func(*core.TransferRecord) error) error) (Written, error) {
	at := slices.Index(ExportFormats(), format)
	if at < 0 {
		return Written{}, core.InvalidWord(formatField, format, "export format", ExportFormats())
	}
	f := exportFormats[at]
	counted := counter{w: w}
	out := bufio.NewWriterSize(&counted, writeBuffer)
	writer := f.writer(out)
	if layout == Document {
		writer = newDocument(out, f)
	}
	var written Written
	if err := writer.begin(); err != nil {
		return written, err
	}
	err := each(core.ExportRequest{Kinds: f.kinds, Parts: f.parts}, func(rec *core.TransferRecord) error {
		if f.kinds != nil && !slices.Contains(f.kinds, rec.Kind) {
			return nil
		}
		switch rec.Kind {
		case core.TransferTask:
			written.Tasks++
		case core.TransferEdge:
			written.Edges++
		}
		return writer.put(rec)
	})
	if err != nil {
		return written, err
	}
	if err := writer.end(); err != nil {
		return written, err
	}
	err = out.Flush()
	written.Bytes = counted.bytes
	return written, err
}

// writeBuffer is how much is collected before it is written: an export that
// fails early has written nothing.
const writeBuffer = 64 << 10

// document writes another format as one JSON document.
type document struct {
	out    *bufio.Writer
	format string
	inner  recordWriter
	text   *bufio.Writer // what inner writes to
	sink   io.Writer     // encodes it
	suffix string
}

func newDocument(out *bufio.Writer, f exportFormat) recordWriter {
	d := &document{out: out, format: f.name}
	if f.name == typeHeader {
		d.sink, d.suffix = &recordList{w: out}, "]}\n"
	} else {
		d.sink, d.suffix = &textValue{w: out}, "\"}\n"
	}
	d.text = bufio.NewWriter(d.sink)
	d.inner = f.writer(d.text)
	return d
}

func (d *document) begin() error {
	start := `{"format":"` + d.format + `",`
	if d.format == typeHeader {
		start += `"records":[`
	} else {
		start += `"text":"`
	}
	if _, err := d.out.WriteString(start); err != nil {
		return err
	}
	return d.inner.begin()
}

func (d *document) put(rec *core.TransferRecord) error { return d.inner.put(rec) }

func (d *document) end() error {
	if err := d.inner.end(); err != nil {
		return err
	}
	if err := d.text.Flush(); err != nil {
		return err
	}
	_, err := d.out.WriteString(d.suffix)
	return err
}

// recordList turns JSON Lines into the items of a JSON list. JSON text holds
// no line feed of its own.
type recordList struct {
	w       *bufio.Writer
	between bool // a line has ended
}

func (l *recordList) Write(p []byte) (int, error) {
	for _, c := range p {
		if c == '\n' {
			l.between = true
			continue
		}
		if l.between {
			l.between = false
			if err := l.w.WriteByte(','); err != nil {
				return 0, err
			}
		}
		if err := l.w.WriteByte(c); err != nil {
			return 0, err
		}
	}
	return len(p), nil
}

// textValue turns text into the inside of a JSON string.
type textValue struct {
	w    *bufio.Writer
	tail []byte // the start of a character whose rest is still to come
}

func (t *textValue) Write(p []byte) (int, error) {
	text := append(t.tail, p...)
	whole := len(text)
	for back := 1; back < utf8.UTFMax && back <= len(text); back++ {
		if start := len(text) - back; utf8.RuneStart(text[start]) {
			if !utf8.FullRune(text[start:]) {
				whole = start
			}
			break
		}
	}
	t.tail = append([]byte(nil), text[whole:]...)
	quoted := core.AppendJSONString(nil, string(text[:whole]))
	_, err := t.w.Write(quoted[1 : len(quoted)-1])
	return len(p), err
}
