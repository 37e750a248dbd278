package mcpserver

import (
	"math"

	"dev.lithos/core"
)

// cut shortens a result that can be continued to at most limit bytes of JSON:
// at a whole element, never below one, and marked so that the caller knows
// where to go on. Every other result is returned as it is.
func cut(result any, limit int) any {
	switch r := result.(type) {
	case core.TaskListResult:
		more := true
		plain, marked := r, core.TaskListResult{HasMore: &more, Truncated: true}
		plain.Tasks = nil
		if n := fitting(r.Tasks, size(plain), size(marked), limit); n < len(r.Tasks) {
			marked.Tasks = r.Tasks[:n]
			return marked
		}
	case core.FrontierResult:
		plain, marked := r, core.FrontierResult{HasMore: true, Truncated: true}
		plain.Tasks = nil
		if n := fitting(r.Tasks, size(plain), size(marked), limit); n < len(r.Tasks) {
			marked.Tasks = r.Tasks[:n]
			return marked
		}
	case core.NoteListResult:
		plain, marked := r, core.NoteListResult{Total: r.Total, HasMore: true, Truncated: true}
		plain.Items = nil
		if n := fitting(r.Items, size(plain), size(marked), limit); n < len(r.Items) {
			marked.Items = r.Items[:n]
			return marked
		}
	case core.EventsResult:
		plain, marked := r, core.EventsResult{NextSince: longestCursor, HasMore: true, Truncated: true}
		plain.Events = nil
		if n := fitting(r.Events, size(plain), size(marked), limit); n < len(r.Events) {
			marked.Events, marked.NextSince = r.Events[:n], r.Events[n-1].Seq
			return marked
		}
	case core.JournalResult:
		cursor := int64(longestCursor)
		plain, marked := r, core.JournalResult{NextBefore: &cursor, HasMore: true, Truncated: true}
		plain.Events = nil
		if n := fitting(r.Events, size(plain), size(marked), limit); n < len(r.Events) {
			cursor = r.Events[n-1].Seq
			marked.Events = r.Events[:n]
			return marked
		}
	}
	return result
}

// longestCursor stands for a cursor that is not known yet.
const longestCursor = math.MaxInt64

// appender is what writes its own JSON.
type appender interface {
	AppendJSON(dst []byte) []byte
}

func size(result appender) int { return len(result.AppendJSON(nil)) }

// fitting returns how many of the items an answer of at most limit bytes can
// hold, where it takes plain bytes beside all of them and marked bytes beside
// some. It encodes no more of them than that.
func fitting[T appender](items []T, plain, marked, limit int) int {
	var buf []byte
	used, n := 0, 0
	for i, item := range items {
		buf = item.AppendJSON(buf[:0])
		used += len(buf)
		if i > 0 {
			used++ // the comma
		}
		if used+plain > limit {
			return max(n, 1)
		}
		if used+marked <= limit {
			n = i + 1
		}
	}
	return len(items)
}
