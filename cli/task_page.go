package cli

import (
	"fmt"
	"slices"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// mostRelated is how many related tasks a section of a page lists.
const mostRelated = 20

// showTasks prints the document of a reading operation, or, for people, each
// task on a page of its own with everything around it.
func (c *call) showTasks(ids []string, document func() (any, error)) error {
	if c.out.json {
		result, err := document()
		if err != nil {
			return err
		}
		return c.out.document(result)
	}
	if c.invalid != nil {
		return c.invalid
	}
	p := c.page()
	for i, id := range ids {
		view, err := c.session.service().TaskView(c.ctx, id)
		if err != nil {
			return err
		}
		if i > 0 {
			p.line("")
		}
		if p.terminal {
			p.task(view)
		} else {
			p.taskFields(view)
		}
	}
	return c.out.text(p.Bytes())
}

// task writes the page of one task for a terminal.
func (p *page) task(v core.TaskView) {
	l := label{v.Card, true}
	p.taskHead(v, l)
	if v.Description != nil && strings.TrimSpace(*v.Description) != "" {
		p.line("")
		p.markdown(2, *v.Description)
	}
	if v.Outcome != nil && *v.Outcome != "" {
		p.heading("Outcome")
		p.markdown(2, *v.Outcome)
	}
	if len(v.Claims) > 0 {
		p.heading("Held by")
		for _, claim := range v.Claims {
			p.line("  %s %s, %s, %s left", p.mark(display.Claimed), display.Visible(claim.Agent),
				display.Visible(claim.Aspect), display.Left(claim.ExpiresAt, p.now))
		}
	}
	p.waits(v, l)
	waiting := "Waits for this"
	if v.Status == core.StatusCompleted {
		waiting = "Needed this"
	}
	p.related(waiting, v.Dependents, "lithos task edge list "+l.typed())
	if v.Progress != nil {
		p.related("Children: "+progressText(*v.Progress), v.Children, "lithos task children "+l.typed())
	}
	p.related("Found while working on", v.Sources, "lithos task edge list "+l.typed())
	p.related("Led to", v.Spawned, "lithos task edge list "+l.typed())
	if len(v.Findings) > 0 {
		p.heading("Findings")
		for _, f := range v.Findings {
			p.line("  %s", p.look(faint, fmt.Sprintf("%s, %s", display.Visible(f.Agent), display.Ago(f.CreatedAt, p.now))))
			p.markdown(2, f.Summary)
		}
	}
}

// taskHead writes what is known of a task at a glance.
func (p *page) taskHead(v core.TaskView, l label) {
	title := display.Wrap(display.Visible(v.Title), max(p.width-2, 20))
	for i, line := range strings.Split(title, "\n") {
		if i == 0 {
			p.line("%s %s", p.mark(l.state()), p.look(bold, line))
		} else {
			p.line("  %s", p.look(bold, line))
		}
	}
	facts := []string{p.look(stateLook[l.state()], standing(l))}
	if v.Type == core.TypeGate {
		facts = append(facts, gateFact(v.Task, p.now))
	}
	if label := priorityLabel(v.Task); label != "" {
		facts = append(facts, label)
	}
	if project := v.Project(); project != "" {
		facts = append(facts, display.Visible(project))
	}
	p.hanging("", strings.Join(append(facts, fmt.Sprintf("version %d", v.Version)), p.sign(" · ", ", ")))
	p.line("  %s", p.look(faint, display.Visible(v.ID)))
	p.line("  %s", p.look(faint, p.history(v.Task)))
	if len(v.Parents) > 0 {
		var names []string
		for _, parent := range slices.Backward(v.Parents) {
			names = append(names, p.name(label{parent, true}))
		}
		p.named("  part of ", p.crumbs(names), "")
	}
	if tags := v.Tags.List(); len(tags) > 0 {
		p.hanging("tags: ", display.Visible(strings.Join(tags, ", ")))
	}
	for _, member := range v.Metadata.Members() {
		pair := metadataPair(member)
		switch {
		case member.Key == "priority" && v.Priority() == "":
			p.hanging("", display.Visible(pair)+", which counts as medium")
		case !slices.Contains([]string{"project", "priority", "gate_type", "ready_at"}, member.Key):
			p.hanging("", display.Visible(pair))
		}
	}
}

// hanging writes something that may be long, behind what it is.
func (p *page) hanging(name, text string) {
	const indent = "  "
	p.line("%s", display.Hanging(indent+name+text, len(indent)+max(len(name), len(indent)), p.width))
}

// crumbs is the way down to a task, each name cut so that all have room.
func (p *page) crumbs(names []string) string {
	separator := p.sign(" › ", " > ")
	if n := len(names); n > mostCrumbs {
		names = []string{names[0], fmt.Sprintf("%d more", n-2), names[n-1]}
	}
	room := (p.width - len("  part of ")) / len(names)
	for i, name := range names {
		names[i] = display.Cut(name, max(room-display.Width(separator), shortestName))
	}
	return strings.Join(names, separator)
}

// mostCrumbs is how many names the way down to a task shows in full.
const mostCrumbs = 4

// standing is the state of a task in words, with its type where the state
// does not tell it.
func standing(l label) string {
	word := l.state().Word()
	switch {
	case l.state() == display.Claimed && l.Held:
		return word + ", blocked"
	case l.Type != core.TypeTask && l.Status != core.StatusOpen:
		return word + " " + string(l.Type)
	case l.Type != core.TypeTask && l.Held:
		return word + ", held back"
	}
	return word
}

// gateFact says what a gate waits for, or waited for.
func gateFact(t core.Task, now core.Stamp) string {
	kind := string(t.GateType())
	if kind == "" {
		kind = "of no usable type"
	}
	at := t.OpensAt()
	switch {
	case t.Status != core.StatusOpen:
		return kind
	case at == nil:
		return fmt.Sprintf("%s, waiting for %s", kind, display.Age(t.CreatedAt, now))
	case *at <= now:
		return fmt.Sprintf("%s, opened at %s", kind, display.When(*at))
	}
	return fmt.Sprintf("%s, opens in %s (%s)", kind, display.Left(*at, now), display.When(*at))
}

// history says who made a task and when it last changed.
func (p *page) history(t core.Task) string {
	text := fmt.Sprintf("by %s, %s", display.Visible(t.CreatedBy), display.Ago(t.CreatedAt, p.now))
	switch {
	case t.ResolvedAt != nil:
		text += fmt.Sprintf("; %s %s", t.Status, display.Ago(*t.ResolvedAt, p.now))
	case t.UpdatedAt != t.CreatedAt:
		text += "; changed " + display.Ago(t.UpdatedAt, p.now)
	}
	return text
}

// metadataPair writes a member the way --meta takes it.
func metadataPair(m core.Member) string {
	if text, ok := core.MakeMetadata([]core.Member{m}).GetString(m.Key); ok {
		return m.Key + "=" + text
	}
	return m.Key + ":=" + string(m.Value)
}

// waits lists what holds a task back.
func (p *page) waits(v core.TaskView, l label) {
	if len(v.Waits) == 0 {
		return
	}
	p.heading("Waits for")
	for _, w := range v.Waits {
		source := label{w.Source, !w.Missing}
		standing := ""
		switch {
		case w.Kind == core.BlockedForGood && !w.Missing:
			standing = ", cancelled: somebody must intervene"
		case w.Kind == core.BlockedByCycle:
			standing = ", in a ring: " + strings.Join(w.Ring, p.sign(" ← ", " <- "))
		case w.Opens != nil:
			standing = ", opens in " + display.Left(*w.Opens, p.now)
		}
		p.named("  ", p.name(source), standing)
	}
	if more := v.WaitCount - len(v.Waits); more > 0 {
		p.line("  %s", p.look(faint, fmt.Sprintf("and %d more", more)))
	}
	p.line("  %s", p.look(faint, "the whole story: lithos task why "+l.typed()))
}

// related lists related tasks under a heading.
func (p *page) related(heading string, cards []core.Card, more string) {
	if len(cards) == 0 {
		return
	}
	p.heading("%s", heading)
	for i, card := range cards {
		if i == mostRelated {
			p.line("  %s", p.look(faint, fmt.Sprintf("and more: %s", more)))
			return
		}
		p.line("  %s", p.cut(p.name(label{card, true}), 2))
	}
}

// progressText lists the numbers that are not zero. Cancelled tasks are never
// counted as done.
func progressText(n core.Progress) string {
	var parts []string
	for _, part := range []struct {
		number int
		word   string
	}{{n.Completed, "completed"}, {n.Cancelled, "cancelled"}, {n.Open, "open"}} {
		if part.number > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.number, part.word))
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

// taskFields writes a task as named fields, one a line, the description last.
func (p *page) taskFields(v core.TaskView) {
	l := label{v.Card, true}
	p.fields("id", v.ID)
	p.fields("title", v.Title)
	p.fields("state", standing(l))
	p.fields("status", string(v.Status))
	p.fields("type", string(v.Type))
	p.fields("version", fmt.Sprint(v.Version))
	p.fields("created", v.CreatedAt.String(), v.CreatedBy)
	p.fields("updated", v.UpdatedAt.String())
	if v.ResolvedAt != nil {
		p.fields("resolved", v.ResolvedAt.String())
	}
	for _, tag := range v.Tags.List() {
		p.fields("tag", tag)
	}
	for _, member := range v.Metadata.Members() {
		p.fields("metadata", metadataPair(member))
	}
	for _, claim := range v.Claims {
		p.fields("claim", claim.Agent, claim.Aspect, claim.ExpiresAt.String())
	}
	for _, b := range v.Why.Blockers {
		p.fields("blocker", b.TaskID, string(b.Kind))
	}
	for _, list := range []struct {
		name  string
		cards []core.Card
	}{
		{"parent", v.Parents[:min(1, len(v.Parents))]}, {"holds_back", v.Dependents}, {"child", v.Children},
		{"found_in", v.Sources}, {"led_to", v.Spawned},
	} {
		for _, card := range list.cards {
			p.fields(list.name, card.ID, card.Title)
		}
	}
	if v.Outcome != nil {
		p.fields("outcome", *v.Outcome)
	}
	for _, f := range v.Findings {
		p.fields("finding", f.CreatedAt.String(), f.Agent, f.Summary)
	}
	if v.Description != nil && *v.Description != "" {
		p.line("")
		p.paragraph(0, *v.Description)
	}
}
