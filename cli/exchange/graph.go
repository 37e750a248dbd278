package exchange

import (
	"bufio"

	"dev.lithos/core"
	"dev.lithos/core/drawing"
)

// graphWriter draws the tasks and edges of an export.
type graphWriter struct{ drawing.Writer }

// graphWriterOf makes writers for a language of drawings.
func graphWriterOf(l drawing.Language) func(*bufio.Writer) recordWriter {
	return func(w *bufio.Writer) recordWriter { return graphWriter{l.New(w)} }
}

func (g graphWriter) begin() error { return g.Begin() }

func (g graphWriter) put(rec *core.TransferRecord) error {
	switch rec.Kind {
	case core.TransferTask:
		return g.Task(rec.Task)
	case core.TransferEdge:
		return g.Edge(rec.Edge.From, rec.Edge.To, rec.Edge.Type)
	}
	return nil
}

func (g graphWriter) end() error { return g.End() }
