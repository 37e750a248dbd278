package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// newsroom finds out what others have done, from the events of the store.
type newsroom struct {
	loads   loader
	through int64 // seq of the newest event that has been looked at

	// What the UI has done itself is no news. Others may act under the same
	// name, so it is told apart by when it was written.
	acting  int        // own writes under way
	acts    int        // own writes begun so far
	own     [][2]int64 // events of own writes: seq above the first, up to the second
	waiting bool       // something changed while own writes were under way
	opened  core.Stamp // of the timer gates that opened up to then has been told

	entry *newsEntry // the message that is being added to; nil for none
}

// newsEntry is a message that tells what others have done, as long as more
// joins it.
type newsEntry struct {
	message *message
	began   time.Time
	byAgent map[string]int // changes
	agents  []string       // in the order in which they came
	texts   []string       // the first few changes
	total   int
}

// newsMerge is how long changes of others join one message.
const newsMerge = 30 * time.Second

// maxNewsDetails is how many of several changes the log tells of one by one.
const maxNewsDetails = 8

// hear looks what others have done. While an own write is under way it waits:
// only afterwards is known which events are its.
func (m *model) hear() tea.Cmd {
	n := &m.news
	if m.live.service == nil {
		return nil
	}
	if n.acting > 0 {
		n.waiting = true
		return nil
	}
	return n.loads.refresh(m, func(m *model) tea.Cmd {
		service, since, acts := m.live.service, n.through, n.acts
		if service == nil {
			return nil
		}
		return n.loads.start(m, func(ctx context.Context) func(*model) tea.Cmd {
			news, err := service.News(ctx, since)
			return func(m *model) tea.Cmd {
				switch {
				case err != nil:
					return m.loadFailed(err)
				case service != m.live.service:
					return nil
				case acts != n.acts:
					return m.hear()
				}
				n.through = news.Through
				return m.announce(news)
			}
		})
	})
}

// actBegins and actEnds frame an own write, whose events have the seqs above
// before and up to after.
func (n *newsroom) actBegins() {
	n.acting++
	n.acts++
}

func (n *newsroom) actEnds(m *model, before, after int64) tea.Cmd {
	n.acting--
	if after > before {
		n.own = append(n.own, [2]int64{before, after})
	}
	if n.acting > 0 || !n.waiting {
		return nil
	}
	n.waiting = false
	return m.hear()
}

// isOwn reports whether an event is of an own write.
func (n *newsroom) isOwn(e core.Event, agent string) bool {
	return e.Agent == agent && slices.ContainsFunc(n.own, func(r [2]int64) bool { return e.Seq > r[0] && e.Seq <= r[1] })
}

// announce says what others have done, in one line, and keeps it in the log.
func (m *model) announce(news core.News) tea.Cmd {
	n := &m.news
	var heard []core.Happening
	for _, h := range changesOf(news.Items) {
		if !n.isOwn(h.Event, m.options.Agent) {
			heard = append(heard, h)
		}
	}
	n.own = slices.DeleteFunc(n.own, func(r [2]int64) bool { return r[1] <= n.through })
	if len(heard) == 0 {
		return nil
	}
	now := m.clock()
	if n.entry == nil || !m.notes.news || now.Sub(n.entry.began) > newsMerge {
		n.entry = &newsEntry{began: now, byAgent: map[string]int{}, message: &message{kind: messageNews}}
	}
	e := n.entry
	for _, h := range heard {
		if e.byAgent[h.Agent] == 0 {
			e.agents = append(e.agents, h.Agent)
		}
		e.byAgent[h.Agent]++
		e.total++
		if len(e.texts) < maxNewsDetails {
			e.texts = append(e.texts, display.Visible(m.happeningText(h)))
		}
	}
	e.total += news.Earlier
	e.message.text, e.message.detail = e.line(), nil
	if e.total > 1 {
		e.message.detail = e.texts
		if more := e.total - len(e.texts); more > 0 {
			e.message.detail = append(slices.Clone(e.texts), fmt.Sprintf("and %d more", more))
		}
	}
	return m.addNews(e.message)
}

// line is what the message says: the change itself when there is one, else how
// many there are and whose.
func (e *newsEntry) line() string {
	if e.total == 1 {
		return e.texts[0]
	}
	const most = 3
	var names []string
	for _, agent := range e.agents {
		name := display.Cut(display.Visible(agent), maxProjectCells)
		if len(e.agents) > 1 {
			name = fmt.Sprintf("%s (%d)", name, e.byAgent[agent])
		}
		names = append(names, name)
	}
	if more := len(names) - most; more > 0 {
		names = append(names[:most:most], plural(more, "other"))
	}
	who := names[0]
	if n := len(names); n > 1 {
		who = strings.Join(names[:n-1], ", ") + " and " + names[n-1]
	}
	return fmt.Sprintf("%s by %s", plural(e.total, "change"), who)
}

// changesOf leaves out events that only come with another one: edges of a new
// task, the remark that a cancellation leaves, an agent that is met for the
// first time.
func changesOf(items []core.Happening) []core.Happening {
	type write struct {
		agent string
		at    core.Stamp
	}
	leads := map[write]bool{}
	for _, h := range items {
		switch h.Type {
		case core.EventTaskCreated, core.EventTaskCancelled, core.EventTaskReopened, core.EventStoreImported:
			leads[write{h.Agent, h.Timestamp}] = true
		}
	}
	var changes []core.Happening
	for _, h := range items {
		switch h.Type {
		case core.EventAgentRegistered:
			continue
		case core.EventTaskEdgeUpserted, core.EventFindingPosted:
			if leads[write{h.Agent, h.Timestamp}] {
				continue
			}
		}
		changes = append(changes, h)
	}
	return changes
}

// happeningText says who did what to which task.
func (m *model) happeningText(h core.Happening) string {
	var p eventPayload
	if json.Unmarshal(h.Payload, &p) != nil {
		return h.Agent + ": " + string(h.Type)
	}
	name := func(card *core.Card) string {
		if card == nil {
			return "a task"
		}
		return idOf(*card)
	}
	task := name(h.Task)
	if h.Task != nil {
		task += " " + h.Task.Title
	}
	until := ""
	if p.ExpiresAt != 0 {
		until = " until " + m.clockText(p.ExpiresAt)
	}
	what := ""
	switch h.Type {
	case core.EventTaskCreated:
		what = "created " + task
	case core.EventTaskUpdated:
		what = "edited " + task + " (" + strings.Join(p.ChangedFields, ", ") + ")"
	case core.EventTaskClaimed:
		what = "claimed " + task + until
	case core.EventTaskRenewed:
		what = "renewed the lease on " + task + until
	case core.EventTaskReleased:
		what = "released " + task
	case core.EventTaskCompleted:
		what = "completed " + task
	case core.EventTaskCancelled:
		what = "cancelled " + task
	case core.EventTaskReopened:
		what = "reopened " + task
	case core.EventFindingPosted:
		what = "posted a finding on " + task
	case core.EventTaskEdgeUpserted, core.EventTaskEdgeDeleted:
		what = edgeText(h.Type == core.EventTaskEdgeUpserted, core.EdgeType(p.Type), name(h.Task), name(h.Other))
	case core.EventStoreImported:
		what = "imported tasks"
	case core.EventNoteCreated:
		what = "wrote the note " + p.Title
	case core.EventNoteUpdated:
		what = "changed the note " + p.Title
	case core.EventNoteDeleted:
		what = "deleted the note " + p.Path
	case core.EventNoteRenamed:
		what = "renamed a note to " + p.DestPath
	case core.EventEdgeUpserted:
		what = "linked notes"
	default:
		what = string(h.Type)
	}
	return h.Agent + " " + what
}

// hearTimers tells of the timer gates that have opened since it was asked last:
// nobody does that, so no event says so.
func (m *model) hearTimers() tea.Cmd {
	service, since := m.live.service, m.news.opened
	if service == nil {
		return nil
	}
	return m.work(func() func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(m.ctx, readLimit)
		defer cancel()
		now, opened, err := service.OpenedGates(ctx, since)
		var texts, ready []string
		for _, gate := range opened {
			texts = append(texts, display.Visible("timer gate "+idOf(gate.Card)+" "+gate.Title+" opened")+m.nowReady(ctx, service, gate.Ready))
			ready = append(ready, gate.Ready...)
		}
		msg := &message{kind: messageNews, text: strings.Join(texts, "")}
		if len(texts) > 1 {
			msg.text, msg.detail = plural(len(texts), "timer gate")+" opened"+m.nowReady(ctx, service, ready), texts
		}
		return func(m *model) tea.Cmd {
			switch {
			case err != nil:
				return m.loadFailed(err)
			case service != m.live.service || now <= m.news.opened:
				return nil
			}
			m.news.opened = now
			if len(texts) == 0 {
				return nil
			}
			m.news.entry = nil // what others do next is another message
			return m.addNews(msg)
		}
	})
}

// nowReady says which tasks are ready now; "" for none.
func (m *model) nowReady(ctx context.Context, s *core.Service, ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf(" %s %s %s ready", m.glyphs.arrow, namesOf(ctx, s, ids), isAre(len(ids)))
}

// edgeText says what became of two tasks that an edge joins, or joined.
func edgeText(added bool, kind core.EdgeType, from, to string) string {
	switch {
	case kind.IsDependency() && added:
		return "made " + to + " wait on " + from
	case kind.IsDependency():
		return "made " + to + " no longer wait on " + from
	case kind == core.EdgeParentChild && added:
		return "put " + to + " under " + from
	case kind == core.EdgeParentChild:
		return "took " + to + " out of " + from
	case added:
		return "noted that " + to + " was found on " + from
	}
	return "no longer says that " + to + " was found on " + from
}
