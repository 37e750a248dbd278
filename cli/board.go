package cli

import (
	"dev.lithos/core"
)

// showBoard shows, where there is a terminal that the board cannot draw on,
// what the board's first columns hold: a task that somebody has claimed is not
// among the ready ones.
func (c *call) showBoard() error {
	if c.invalid != nil {
		return c.invalid
	}
	board, err := c.session.service().Board(c.ctx, core.BoardRequest{Agent: c.agent(), Columns: []core.ColumnRequest{
		{Column: core.ColumnReady, Limit: defaultPage}, {Column: core.ColumnClaimed, Limit: defaultPage},
	}})
	if err != nil {
		return err
	}
	return c.show(board, func(p *page) {
		list := func(w core.ColumnWindow, command string) {
			tasks := make([]core.Task, len(w.Cards))
			for i, card := range w.Cards {
				tasks[i] = card.Task
			}
			p.taskTable(tasks, false)
			if more := board.Totals[w.Column] - len(tasks); more > 0 {
				p.line("and %d more: %s", more, command)
			}
		}
		ready, claimed := board.Columns[0], board.Columns[1]
		if len(ready.Cards) == 0 {
			p.line("Nothing is ready.")
		}
		list(ready, "lithos task ready")
		if len(claimed.Cards) > 0 {
			p.heading("Claimed")
			list(claimed, "lithos task list --status open")
		}
		if n := board.Totals[core.ColumnBlocked]; len(ready.Cards) == 0 && n > 0 {
			c.hint("What is held back: lithos task blocked")
		}
	})
}
