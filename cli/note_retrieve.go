package cli

import (
	"strconv"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func noteRetrieve() *command {
	return &command{
		name: "retrieve", operation: core.Retrieve,
		summary: "gather the notes worth having in mind, with a receipt",
		details: "What answers the query is joined by its neighbours over links, provenance and typed edges; notes that have proved useful come first.\n" +
			"Notes of a task or of one agent alone are shown to them only: --task and --agent say who asks.\n" +
			"The receipt goes into 'lithos task complete --receipt … --cited … --misleading …', which the ranking learns from.",
		arguments: []argument{queryArgument},
		flags: []flag{
			{name: "limit", value: "N", summary: "at most so many notes", fallback: "10"},
			{name: "namespace", value: "NAME", parameter: "namespace_filter", many: true, summary: "only of this namespace; repeat for any of several"},
			{name: "task", value: "ID", parameter: "task_id", completes: taskIDs, summary: "the task the notes are for"},
			{name: "conflicts", parameter: "surface_conflicts", summary: "show contradictions among notes"},
			{name: "max-context-nodes", value: "N", summary: "begin at so many of the best hits", fallback: "the limit"},
			{name: "tag", value: "TAG", parameter: "tags", many: true, summary: "only with this tag; repeat for all of several"},
			{name: "path-prefix", value: "TEXT", summary: "only where the path begins so"},
		},
		examples: []string{
			"lithos note retrieve busy timeout",
			`lithos note retrieve "write lock" --task "$(lithos task create "Mend the lock")"`,
		},
		run: func(c *call) error {
			result, err := run(c, core.Retrieve, core.RetrieveRequest{
				Query: c.query(), Limit: c.integer("limit"), NamespaceFilter: c.list("namespace"), AgentID: c.reader(), TaskID: c.word("task"),
				SurfaceConflicts: c.ifOn("conflicts"), MaxContextNodes: c.integer("max-context-nodes"), Tags: c.list("tag"),
				PathPrefix: c.word("path-prefix"),
			})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) { p.retrieved(result) })
		},
	}
}

// retrieved writes what was gathered, why, and the receipt.
func (p *page) retrieved(r core.RetrieveResult) {
	var ids []string
	for _, item := range r.Results {
		ids = append(ids, item.ID)
	}
	var conflicts []core.NoteConflict
	if r.Conflicts != nil {
		conflicts = *r.Conflicts
	}
	for _, conflict := range conflicts {
		ids = append(ids, conflict.FromID, conflict.ToID)
	}
	if !p.terminal {
		p.fields("receipt", r.ReceiptID)
		for _, item := range r.Results {
			p.fields("note", item.ID, item.Title, item.Path, strconv.FormatFloat(float64(item.Score), 'f', -1, 64), strings.Join(item.Reasons, "; "))
		}
		for _, conflict := range conflicts {
			p.fields("conflict", conflict.EdgeID, conflict.FromID, conflict.ToID)
		}
		return
	}
	cards := p.noteCards(ids)
	if len(r.Results) == 0 {
		p.line("Nothing was found.")
	}
	for _, item := range r.Results {
		p.found(item.FoundNote, cards[item.ID], "")
		for _, reason := range item.Reasons {
			p.line("  %s", p.look(faint, p.cut(display.Visible(reason), 2)))
		}
	}
	if len(conflicts) > 0 {
		p.heading("Contradictions")
		for _, conflict := range conflicts {
			p.line("  %s", p.cut(p.noteName(cards[conflict.FromID])+p.sign(" ↔ ", " <-> ")+p.noteName(cards[conflict.ToID]), 2))
			p.line("    %s", p.look(faint, conflict.EdgeID))
		}
	}
	if len(r.FailedScouts) > 0 {
		p.line("")
		p.line("Not everything could be looked at: %s.", strings.Join(r.FailedScouts, ", "))
	}
	p.line("")
	p.line("receipt %s", r.ReceiptID)
}
