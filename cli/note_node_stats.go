package cli

import (
	"fmt"
	"strconv"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func noteNodeStats() *command {
	return &command{
		name: "node-stats", operation: core.NodeStats,
		summary:   "tell how a note has fared in use",
		arguments: []argument{{name: "ID", parameter: "node_id"}},
		examples: []string{
			"lithos note node-stats 5f0d3c2a",
			`lithos note node-stats "$(lithos note write "Write lock" --content "Begin with IMMEDIATE.")"`,
		},
		run: func(c *call) error {
			result, err := run(c, core.NodeStats, core.NodeStatsRequest{NodeID: c.argument(0)})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) { p.nodeStats(result) })
		},
	}
}

func (p *page) nodeStats(r core.NodeStatsResult) {
	salience := strconv.FormatFloat(float64(r.Salience), 'f', -1, 64)
	if !p.terminal {
		p.fields(r.NodeID, salience, fmt.Sprint(r.RetrievalCount), fmt.Sprint(r.CitedCount), fmt.Sprint(r.IgnoredCount), fmt.Sprint(r.MisleadingCount))
		return
	}
	p.line("%s", p.cut(p.noteName(p.noteCards([]string{r.NodeID})[r.NodeID]), 0))
	p.line("  salience    %s", salience)
	p.line("  retrieved   %d%s", r.RetrievalCount, p.last(r.LastRetrievedAt))
	p.line("  cited       %d%s", r.CitedCount, p.last(r.LastUsedAt))
	p.line("  ignored     %d", r.IgnoredCount)
	p.line("  misleading  %d", r.MisleadingCount)
}

// last says when something happened last, if it ever did.
func (p *page) last(at *core.Stamp) string {
	if at == nil {
		return ""
	}
	return ", last " + display.Ago(*at, p.now)
}
