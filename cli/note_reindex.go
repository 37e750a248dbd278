package cli

import (
	"fmt"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func noteReindex() *command {
	return &command{
		name: "reindex", operation: core.NoteReindex,
		summary: "read every note file anew and rebuild the index",
		details: "Never needed in ordinary use: note commands take up what was changed by hand by themselves. It\n" +
			"mends a damaged full-text index and lists the files that cannot be read as notes.",
		examples:  []string{"lithos note reindex"},
		unbounded: true,
		run: func(c *call) error {
			c.session.creates = false // a new store has no index to rebuild
			result, err := run(c, core.NoteReindex, core.ReindexRequest{})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) {
				if !p.terminal {
					for _, fact := range []struct {
						name  string
						count int64
					}{
						{"notes", result.Notes}, {"created", result.Created}, {"updated", result.Updated}, {"renamed", result.Renamed}, {"deleted", result.Deleted},
					} {
						p.fields(fact.name, fmt.Sprint(fact.count))
					}
				} else {
					p.line("Indexed %s.", counted(int(result.Notes), "note"))
					p.line("  by hand since the last look: %s", p.look(faint, changedByHand(result.ReindexCounts)))
				}
				if p.terminal && len(result.Problems) > 0 {
					p.heading("Cannot be read")
				}
				for _, problem := range result.Problems {
					if p.terminal {
						p.line("%s", display.Hanging("  "+display.Visible(problem.Path)+" "+display.Visible(problem.Reason), 4, p.width))
					} else {
						p.fields("problem", problem.Path, problem.Reason)
					}
				}
			})
		},
	}
}

// changedByHand lists the numbers that are not zero.
func changedByHand(n core.ReindexCounts) string {
	var parts []string
	for _, part := range []struct {
		number int64
		word   string
	}{{n.Created, "new"}, {n.Updated, "changed"}, {n.Renamed, "renamed"}, {n.Deleted, "deleted"}} {
		if part.number > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.number, part.word))
		}
	}
	if parts == nil {
		return "nothing"
	}
	return strings.Join(parts, ", ")
}
