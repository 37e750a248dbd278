package tui

import (
	"encoding/json"
	"fmt"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// whyLines tell briefly what holds a task back.
func whyLines(m *model, view *core.TaskView, width int) [][]span {
	if view.WaitCount == 0 {
		return nil
	}
	lines := [][]span{heading(fmt.Sprintf("Waits on %d", view.WaitCount))}
	for _, w := range view.Waits {
		lines = append(lines, append([]span{{" ", plainText}}, waitTitled(m.glyphs, w, m.now())...))
	}
	if more := view.WaitCount - len(view.Waits); more > 0 {
		lines = append(lines, []span{{fmt.Sprintf("   and %d more", more), dimText}})
	}
	if first := courseSteps(m, view); len(first) > 0 {
		lines = append(lines, wrapSpans(append([]span{{"Start: ", titleLook}}, first[0]...), width)...)
	}
	return lines
}

// waitTitled is one thing that holds a task back, by title.
func waitTitled(g *glyphs, w core.Wait, now core.Stamp) []span {
	if w.Kind == core.BlockedByCycle || w.Missing {
		return waitSpans(g, w, now)
	}
	spans := titled(g, w.Source, plainText)
	if w.Kind == core.BlockedForGood {
		return append(spans, span{"  cancelled " + g.dash + " stuck", stuckLook})
	}
	return spans
}

// standing says in a few words how what holds a task back stands itself; brief
// in as few as possible.
func standing(m *model, w core.Wait, brief bool) []span {
	g := m.glyphs
	source := w.Source
	switch {
	case !brief || w.Kind == core.BlockedByCycle:
	case w.Missing:
		return []span{{"missing", stuckLook}}
	case w.Kind == core.BlockedForGood:
		return []span{{"cancelled", stuckLook}}
	case source.Type == core.TypeGate && source.OpensAt() != nil:
		return gateWait(source, m.now())
	case source.Type == core.TypeGate:
		return []span{{gateName(source) + " gate", gateLook}}
	case len(source.Claims) > 0:
		return []span{{g.mark(display.Claimed) + " ", claimedLook}, data(source.Claims[0].Agent, plainText)}
	case source.Held:
		return []span{{"blocked", blockedLook}}
	case source.Type == core.TypeEpic:
		return []span{{"open epic", epicLook}}
	default:
		return []span{{"ready", readyLook}}
	}
	switch {
	case w.Missing:
		return []span{{"missing from the store", stuckLook}}
	case w.Kind == core.BlockedForGood:
		return []span{{"cancelled, never counts as done", stuckLook}}
	case w.Kind == core.BlockedByCycle:
		return waitSpans(g, w, m.now())
	case source.Type == core.TypeGate:
		return gateState(g, source, m.now())
	case len(source.Claims) > 0:
		return append([]span{{g.mark(display.Claimed) + " ", claimedLook}},
			data(source.Claims[0].Agent, plainText), span{", " + leaseLeft(source.Claims[0], m.now()) + " left", dimText})
	case source.Held:
		return []span{{g.mark(display.Blocked) + " blocked", blockedLook}}
	case source.Type == core.TypeEpic:
		return []span{{g.mark(display.Epic) + " open epic", epicLook}}
	}
	return []span{{g.mark(display.Ready) + " ready, nobody claimed it", readyLook}}
}

// courseSteps are the steps that free a task, as lines, in the order in which a
// person takes them.
func courseSteps(m *model, view *core.TaskView) [][]span {
	g := m.glyphs
	name := func(id string, title *string) []span {
		spans := []span{{shortest(view.ChainNames[id], id) + " ", plainText}}
		if title != nil {
			spans = append(spans, data(*title, plainText))
		}
		return spans
	}
	var lines [][]span
	for _, step := range view.Course {
		var line []span
		switch step.Action {
		case core.ActionComplete:
			line = append([]span{{"complete ", readyLook}}, name(step.TaskID, step.Title)...)
		case core.ActionResolveGate:
			kind := strings.ReplaceAll(step.GateType, "_", " ")
			if kind == "" {
				kind = "broken"
			}
			line = append([]span{{"pass ", gateLook}}, name(step.TaskID, step.Title)...)
			line = append(line, span{" (" + display.Visible(kind) + " gate)", dimText})
		case core.ActionWaitUntil:
			line = append([]span{{"wait for ", gateLook}}, name(step.TaskID, step.Title)...)
			if at, err := core.ParseStamp(step.Until); err == nil {
				line = append(line, span{" (" + untilText(at, m.now()) + ")", dimText})
			}
		case core.ActionIntervene:
			line = append([]span{{"intervene: ", stuckLook}}, name(step.TaskID, step.Title)...)
			what := " was cancelled; reopen and complete it, or remove the edge"
			if step.Title == nil {
				what = " is missing; remove the edge"
			}
			line = append(line, span{what, dimText})
		case core.ActionBreakCycle:
			prefixes := make([]string, len(step.Path))
			for i, id := range step.Path {
				prefixes[i] = view.ChainNames[id]
			}
			line = []span{{"break the ring: ", stuckLook}, {ringOf(g, prefixes, step.Path), plainText}}
		}
		lines = append(lines, line)
	}
	return lines
}

// activityLines are the last events of a task, at most as many as asked for;
// 0 means all that were read.
func activityLines(m *model, view *core.TaskView, most int) [][]span {
	if len(view.Events) == 0 {
		return nil
	}
	lines := [][]span{heading("Activity")}
	for i, e := range view.Events {
		if most > 0 && i == most {
			break
		}
		lines = append(lines, []span{
			{display.PadStart(display.Age(e.Timestamp, m.now()), 4) + " ", dimText},
			data(e.Agent, claimedLook), {" ", plainText}, data(eventText(m, view, e), plainText),
		})
	}
	return lines
}

// eventPayload are the keys of payloads that texts about events use.
type eventPayload struct {
	Aspect        string     `json:"aspect"`
	ExpiresAt     core.Stamp `json:"expires_at"`
	Outcome       *string    `json:"outcome"`
	Reason        *string    `json:"reason"`
	Version       int64      `json:"version"`
	ChangedFields []string   `json:"changed_fields"`
	FromTaskID    string     `json:"from_task_id"`
	ToTaskID      string     `json:"to_task_id"`
	Type          string     `json:"type"`
	SourceTaskID  string     `json:"source_task_id"`
	Title         string     `json:"title"` // of a note
	Path          string     `json:"path"`
	DestPath      string     `json:"dest_path"`
}

// eventText says what happened, without the agent.
func eventText(m *model, view *core.TaskView, e core.Event) string {
	var p eventPayload
	if json.Unmarshal(e.Payload, &p) != nil {
		return string(e.Type)
	}
	with := func(what string, text *string) string {
		if text == nil || strings.TrimSpace(*text) == "" {
			return what
		}
		return what + ": " + *text
	}
	switch e.Type {
	case core.EventTaskCreated:
		if p.SourceTaskID != "" {
			return "spawned it"
		}
		return "created it"
	case core.EventTaskUpdated:
		return fmt.Sprintf("edited %s  v%d%sv%d", strings.Join(p.ChangedFields, ", "), p.Version-1, m.glyphs.arrow, p.Version)
	case core.EventTaskClaimed:
		return "claimed " + p.Aspect + " until " + m.clockText(p.ExpiresAt)
	case core.EventTaskRenewed:
		return "renewed " + p.Aspect + " until " + m.clockText(p.ExpiresAt)
	case core.EventTaskReleased:
		return "released " + p.Aspect
	case core.EventTaskCompleted:
		return with("completed it", p.Outcome)
	case core.EventTaskCancelled:
		return with("cancelled it", p.Reason)
	case core.EventTaskReopened:
		return "reopened it"
	case core.EventFindingPosted:
		return "posted a finding"
	case core.EventTaskEdgeUpserted, core.EventTaskEdgeDeleted:
		name := func(id string) string {
			if id == view.ID {
				return "it"
			}
			if card, ok := view.Others[id]; ok {
				return idOf(card)
			}
			return shortOf(id)
		}
		return edgeText(e.Type == core.EventTaskEdgeUpserted, core.EdgeType(p.Type), name(p.FromTaskID), name(p.ToTaskID))
	}
	return string(e.Type)
}

// shortOf is the beginning of an id for texts where its shortest unique form
// is not known.
func shortOf(id string) string {
	const uuidCharacters, shown = 36, 8
	if len(id) == uuidCharacters {
		return id[:shown]
	}
	return shownID(id)
}

// clockText is a moment as a clock shows it: with the date when it is not
// today's.
func (m *model) clockText(at core.Stamp) string {
	now := m.clock()
	t := at.Time().In(now.Location())
	if t.Format("2006-01-02") == now.Format("2006-01-02") {
		return t.Format("15:04")
	}
	return t.Format("2006-01-02 15:04")
}
