package cli

import (
	"fmt"
	"slices"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func taskWhy() *command {
	return &command{
		name: "why", operation: core.TaskWhy,
		summary:   "explain what holds a task back, and what to do first",
		arguments: []argument{idArgument},
		examples: []string{
			"lithos task why 9c1f02",
			`lithos task why "$(lithos task create "Try it")"`,
		},
		run: func(c *call) error {
			result, err := run(c, core.TaskWhy, core.TaskWhyRequest{TaskID: c.argument(0)})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) {
				// People are told the plan in the order in which they take it.
				course, err := c.session.service().Course(c.ctx, result.TaskID)
				if err != nil {
					p.fail(err)
					return
				}
				inOrder := result
				inOrder.UnblockPlan = course
				p.why(inOrder)
			})
		},
	}
}

// mostCauses is how many root causes or steps the story tells in full.
const mostCauses = 12

// why tells the story of a task: how it stands, where that comes from, and
// what to do, the first thing last so that it is read.
func (p *page) why(r core.TaskWhyResult) {
	if !p.terminal {
		p.whyFields(r)
		return
	}
	ids := []string{r.TaskID}
	for _, cause := range r.RootCauses {
		ids = append(ids, cause.Path...)
	}
	for _, b := range r.Blockers {
		ids = append(ids, b.TaskID)
	}
	for _, step := range r.UnblockPlan {
		ids = append(append(ids, step.TaskID), step.Path...)
	}
	labels := p.labels(ids)
	p.named("", p.name(labels[r.TaskID]), "")
	p.line("  %s", p.verdict(r))
	if r.Downstream > 0 {
		p.line("  %s", waitingBehind(r.Downstream))
	}
	if len(r.Blockers) > 0 {
		p.heading("It waits for")
		for i, b := range r.Blockers {
			if i == mostCauses {
				p.line("  %s", p.look(faint, fmt.Sprintf("and %d more", len(r.Blockers)-i)))
				break
			}
			p.named("  "+p.mark(display.Waits)+" ", p.name(labels[b.TaskID]), ", "+p.blockerStanding(b, labels[b.TaskID]))
		}
	}
	p.causes(r, labels)
	p.plan(r, labels)
}

// verdict is how the task stands in one sentence.
func (p *page) verdict(r core.TaskWhyResult) string {
	switch {
	case r.Status != core.StatusOpen:
		return fmt.Sprintf("It is %s; nothing holds it back.", r.Status)
	case r.Ready:
		return "It is ready: nothing holds it back."
	case len(r.Blockers) == 0:
		return fmt.Sprintf("It is an open %s; nothing holds it back, but only plain tasks become ready.", r.TaskType)
	case len(r.Blockers) == 1:
		return "One thing holds it back."
	}
	return fmt.Sprintf("%d things hold it back.", len(r.Blockers))
}

func waitingBehind(n int) string {
	if n == 1 {
		return "1 open task waits for it."
	}
	return fmt.Sprintf("%d open tasks wait for it.", n)
}

// blockerStanding says how a direct blocker stands.
func (p *page) blockerStanding(b core.Blocker, l label) string {
	switch b.Kind {
	case core.BlockedForGood:
		return b.Status + ": somebody must intervene"
	case core.BlockedByCycle:
		return "in a ring"
	}
	if len(l.Claims) > 0 {
		return fmt.Sprintf("held by %s, %s left", display.Visible(l.Claims[0].Agent), display.Left(l.Claims[0].ExpiresAt, p.now))
	}
	if l.known && l.Type != core.TypeTask {
		return "open " + string(l.Type)
	}
	return l.state().Word()
}

// causes lists where the chain of waiting begins, where that is not what the
// task waits for directly.
func (p *page) causes(r core.TaskWhyResult, labels map[string]label) {
	var far []core.RootCause
	for _, cause := range r.RootCauses {
		if len(cause.Path) > 2 {
			far = append(far, cause)
		}
	}
	if len(far) == 0 {
		return
	}
	// The story goes on with the plan: both are in one order.
	slices.SortStableFunc(far, func(a, b core.RootCause) int { return planned(r, a) - planned(r, b) })
	p.heading("Behind that")
	for i, cause := range far {
		if i == mostCauses {
			p.line("  %s", p.look(faint, fmt.Sprintf("and %d more", len(far)-i)))
			return
		}
		var steps []string
		for _, id := range cause.Path[1 : len(cause.Path)-1] {
			steps = append(steps, p.id(labels[id]))
		}
		if n := len(steps); n > longestChain {
			steps = []string{steps[0], fmt.Sprintf("%d more", n-2), steps[n-1]}
		}
		leaf := labels[cause.TaskID]
		steps = append(steps, fmt.Sprintf("%s %s %s", p.causeMark(cause, leaf), p.look(bold, p.id(leaf)), display.Visible(leaf.Title)))
		p.line("  %s", p.cut(strings.Join(steps, p.sign(" ← ", " <- ")), 2))
	}
}

// longestChain is how many ids lie between a task and what it waits for in the
// end, in a line that shows them all.
const longestChain = 4

// planned is where in the plan a root cause is dealt with.
func planned(r core.TaskWhyResult, cause core.RootCause) int {
	for i, step := range r.UnblockPlan {
		if step.TaskID == cause.TaskID || slices.Contains(step.Path, cause.TaskID) {
			return i
		}
	}
	return len(r.UnblockPlan)
}

func (p *page) causeMark(cause core.RootCause, leaf label) string {
	switch cause.Kind {
	case core.BlockedForGood:
		return p.mark(display.Cancelled)
	case core.BlockedByCycle:
		return p.mark(display.Cycle)
	case core.BlockedByGate:
		return p.mark(display.Gate)
	}
	return p.mark(leaf.state())
}

// plan lists the steps that free the task and ends with the first one.
func (p *page) plan(r core.TaskWhyResult, labels map[string]label) {
	if len(r.UnblockPlan) == 0 {
		if r.Ready {
			p.line("")
			p.line("%s", p.look(bold, "Take it: lithos task claim "+labels[r.TaskID].typed()))
		}
		return
	}
	if n := len(r.UnblockPlan); n > 1 {
		p.heading("What must happen, in this order")
		for i, step := range r.UnblockPlan {
			if i == mostCauses {
				p.line("  %s", p.look(faint, fmt.Sprintf("and %d more", n-i)))
				break
			}
			p.line("  %s", p.cut(fmt.Sprintf("%d. %s", i+1, p.step(step, labels)), 2))
		}
	}
	first := r.UnblockPlan[0]
	p.line("")
	p.line("%s", p.look(bold, "First: ")+p.cut(p.step(first, labels), 7))
	if claims := labels[first.TaskID].Claims; first.Action == core.ActionComplete && len(claims) > 0 {
		p.line("  held by %s, %s left", display.Visible(claims[0].Agent), display.Left(claims[0].ExpiresAt, p.now))
	}
	for _, command := range p.stepCommands(r, first, labels) {
		p.line("  %s", command)
	}
}

// step is one step of a plan in words.
func (p *page) step(s core.PlanStep, labels map[string]label) string {
	name := p.name(labels[s.TaskID])
	switch s.Action {
	case core.ActionWaitUntil:
		if at, err := core.ParseStamp(s.Until); err == nil && at > p.now {
			return fmt.Sprintf("wait %s for %s (until %s)", display.Left(at, p.now), name, display.When(at))
		}
		return fmt.Sprintf("wait until %s for %s", display.Visible(s.Until), name)
	case core.ActionResolveGate:
		return fmt.Sprintf("pass the %s gate %s", display.Visible(s.GateType), name)
	case core.ActionIntervene:
		if len(s.Options) == 1 {
			return "delete the edge from " + name
		}
		return fmt.Sprintf("reopen and complete %s, or delete its edge", name)
	case core.ActionBreakCycle:
		var ids []string
		for _, id := range s.Path {
			ids = append(ids, p.id(labels[id]))
		}
		return "break the ring " + strings.Join(ids, p.sign(" ← ", " <- "))
	}
	return "complete " + name
}

// stepCommands are the commands that do a step.
func (p *page) stepCommands(r core.TaskWhyResult, s core.PlanStep, labels map[string]label) []string {
	id := labels[s.TaskID].typed()
	switch s.Action {
	case core.ActionResolveGate:
		return []string{"lithos task complete " + id}
	case core.ActionIntervene:
		deleting := p.deleteEdge(labels[s.TaskID], p.waiterOf(r, s.TaskID, labels))
		if len(s.Options) == 1 {
			return []string{deleting}
		}
		return []string{"lithos task reopen " + id, deleting}
	case core.ActionBreakCycle:
		// The ring lists what each member waits for: the second holds the first.
		return []string{p.deleteEdge(labels[s.Path[1]], labels[s.Path[0]])}
	case core.ActionComplete:
		if l := labels[s.TaskID]; l.known && l.Type == core.TypeTask && len(l.Claims) == 0 {
			return []string{"lithos task claim " + id}
		}
	}
	return nil
}

// waiterOf is the task on the way to a root cause that waits for it directly.
func (p *page) waiterOf(r core.TaskWhyResult, id string, labels map[string]label) label {
	for _, cause := range r.RootCauses {
		if cause.TaskID == id && len(cause.Path) > 1 {
			return labels[cause.Path[len(cause.Path)-2]]
		}
	}
	return labels[r.TaskID]
}

// deleteEdge is the command that deletes the dependency between two tasks.
func (p *page) deleteEdge(from, to label) string {
	t := core.EdgeBlocks
	incoming := string(core.DirectionIncoming)
	edges, err := core.TaskEdgeList.Run(p.call.ctx, p.call.session.service(), core.TaskEdgeListRequest{
		TaskID: to.ID, Direction: &incoming, Types: words([]core.EdgeType{core.EdgeBlocks, core.EdgeWaitsOnGate}),
	})
	if err != nil {
		p.fail(err)
	}
	for _, e := range edges.Edges {
		if e.FromTaskID == from.ID {
			t = e.Type
			break
		}
	}
	return fmt.Sprintf("lithos task edge delete %s %s --type %s", from.typed(), to.typed(), t)
}

// cut shortens a line to the terminal beside an indent.
func (p *page) cut(line string, indent int) string {
	if p.width == 0 {
		return line
	}
	return display.Cut(line, max(p.width-indent, 20))
}

// whyFields is the answer as fields: the verdict, then blockers, causes and
// plan, one a line.
func (p *page) whyFields(r core.TaskWhyResult) {
	state := "blocked"
	switch {
	case r.Ready:
		state = "ready"
	case r.Status != core.StatusOpen:
		state = string(r.Status)
	case len(r.Blockers) == 0:
		state = string(r.Status)
	}
	p.fields(r.TaskID, state, r.Title)
	for _, b := range r.Blockers {
		p.fields("blocker", string(b.Kind), b.TaskID, string(b.Type), b.Status)
	}
	for _, cause := range r.RootCauses {
		p.fields("cause", string(cause.Kind), cause.TaskID, strings.Join(cause.Path, ","))
	}
	for _, step := range r.UnblockPlan {
		p.fields("step", string(step.Action), step.TaskID)
	}
}
