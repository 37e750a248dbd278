package cli

import (
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func taskChildren() *command {
	return &command{
		name: "children", operation: core.TaskChildren,
		summary: "list the children of a task, or the whole tree below it",
		details: "A terminal draws the tree. Closed tasks are left out unless asked for, but what lies below\n" +
			"them is not.",
		arguments: []argument{idArgument},
		flags: []flag{
			{name: "recursive", summary: "all descendants"},
			{name: "include-closed", summary: "completed and cancelled ones too"},
		},
		examples: []string{
			"lithos task children 0b7a9e --recursive --include-closed",
			`lithos task children "$(lithos task create "An epic" --type epic)"`,
		},
		run: runTaskChildren,
	}
}

func runTaskChildren(c *call) error {
	request := core.TaskChildrenRequest{
		TaskID: c.argument(0), Recursive: c.ifOn("recursive"), IncludeClosed: c.ifOn("include-closed"),
	}
	result, err := run(c, core.TaskChildren, request)
	if err != nil {
		return err
	}
	return c.show(result, func(p *page) {
		if !p.terminal {
			for _, t := range result.Tasks {
				p.fields(t.ID, string(t.Status), string(t.Type), t.Title)
			}
			return
		}
		p.childTree(request.TaskID, result.Tasks)
	})
}

// childTree draws a task and those below it that were asked for. A task whose
// parent is hidden is drawn below its nearest ancestor that is not.
func (p *page) childTree(rootID string, tasks []core.Task) {
	below, err := p.call.session.service().Descendants(p.call.ctx, rootID)
	if err != nil {
		p.fail(err)
		return
	}
	shown := map[string]bool{below.Root.ID: true}
	ids := []string{below.Root.ID}
	for _, t := range tasks {
		shown[t.ID] = true
		ids = append(ids, t.ID)
	}
	anchor := map[string]string{below.Root.ID: below.Root.ID} // nearest shown ancestor or self
	children := map[string][]string{}
	counts := map[string]*core.Progress{}
	for _, child := range below.Tasks {
		under := anchor[child.ParentID]
		if shown[child.ID] {
			children[under] = append(children[under], child.ID)
			anchor[child.ID] = child.ID
		} else {
			anchor[child.ID] = under
		}
		if counts[child.ParentID] == nil {
			counts[child.ParentID] = &core.Progress{}
		}
		switch n := counts[child.ParentID]; child.Status {
		case core.StatusCompleted:
			n.Completed++
		case core.StatusCancelled:
			n.Cancelled++
		default:
			n.Open++
		}
	}
	labels := p.labels(ids)
	row := func(id string, room int) string {
		facts := p.childFacts(labels[id], counts[id])
		// The title gives way before what is known of the task does.
		name := display.Cut(p.name(labels[id]), max(room-display.Width(facts), shortestName))
		return display.Cut(name+facts, room)
	}
	p.line("%s", row(below.Root.ID, p.width))
	if len(below.Tasks) == 0 {
		p.line("  It has no children.")
		return
	}
	p.tree(children, below.Root.ID, row)
	if len(children) == 0 {
		p.line("  All of it is closed: lithos task children %s --include-closed", labels[below.Root.ID].typed())
	}
}

// childFacts is what a tree tells of a task behind its title: its state in
// words, priority, who holds it, and how far those below it are.
func (p *page) childFacts(l label, below *core.Progress) string {
	if !l.known {
		return ""
	}
	facts := []string{p.look(stateLook[l.state()], standing(l))}
	if priority := priorityLabel(l.Task); priority != "" {
		facts = append(facts, priority)
	}
	if holders := p.holders(l.Claims); holders != "" {
		facts = append(facts, p.look(yellow, holders))
	}
	if below != nil {
		facts = append(facts, p.look(faint, progressText(*below)))
	}
	return columnGap + strings.Join(facts, p.sign(" · ", ", "))
}

// tree draws what hangs below a root, each a row of at most so many cells. It
// walks with a stack of its own, so depth is no matter.
func (p *page) tree(children map[string][]string, root string, row func(id string, room int) string) {
	type branch struct {
		id, indent string
		last       bool
	}
	fork, end, bar, gap := "├─ ", "└─ ", "│  ", "   "
	if p.ascii {
		fork, end, bar = "|- ", "`- ", "|  "
	}
	var stack []branch
	push := func(id, indent string) {
		list := children[id]
		for i := len(list) - 1; i >= 0; i-- {
			stack = append(stack, branch{list[i], indent, i == len(list)-1})
		}
	}
	for push(root, ""); len(stack) > 0; {
		at := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		arm, below := fork, bar
		if at.last {
			arm, below = end, gap
		}
		before := at.indent + arm
		p.line("%s", display.Cut(before+row(at.id, max(p.width-display.Width(before), shortestName)), p.width))
		push(at.id, at.indent+below)
	}
}
