package cli

import (
	"fmt"

	"dev.lithos/core"
)

func journalCommand() *command {
	return &command{
		name: "journal", operation: core.Journal,
		summary: "read everything that ever happened, newest first",
		details: "Feed and archive together. --before takes the 'next_before' of the last answer.",
		flags: []flag{
			eventTypeFlag, eventTaskFlag, eventByFlag, periodFlag, untilFlag,
			{name: "limit", value: "N", summary: "at most N", fallback: "100"},
			{name: "before", value: "SEQ", summary: "only events with a lower number"},
		},
		examples: []string{
			"lithos journal --task 9c1f02",
			"lithos journal --by mo --from 2026-03-01 --json",
		},
		run: func(c *call) error {
			result, err := run(c, core.Journal, core.JournalRequest{
				PeriodStart: c.moment("from"), PeriodEnd: c.moment("until"), Types: c.list("type"), TaskID: c.word("task"),
				Agent: c.word("by"), Limit: c.integer("limit"), Before: c.integer("before"),
			})
			if err != nil {
				return err
			}
			err = c.show(result, func(p *page) { p.events(result.Events) })
			if err == nil && result.NextBefore != nil && !c.out.json && !c.globals.quiet {
				c.say("More: %s", c.invocation.again("before", fmt.Sprint(*result.NextBefore)))
			}
			return err
		},
	}
}
