package cli

import (
	"fmt"

	"dev.lithos/core"
)

func eventsArchive() *command {
	return &command{
		name: "archive", operation: core.EventsArchive,
		summary: "move old events from the feed to the archive",
		details: "Moves the events from the oldest on that are all older than TIME, never the newest. Nothing is\n" +
			"lost: 'lithos journal' reads feed and archive together. Who follows the feed from an event that\n" +
			"has been moved is told to read the state again (cursor_expired).",
		flags: []flag{
			{name: "before", value: "TIME", summary: "only events older than this"},
		},
		examples:  []string{"lithos events archive --before 2026-02-01"},
		unbounded: true,
		run: func(c *call) error {
			c.session.creates = false // a new store has nothing to archive
			before := c.moment("before")
			if before == nil && c.invalid == nil {
				return core.MissingField("before")
			}
			result, err := run(c, core.EventsArchive, core.EventsArchiveRequest{Before: wordOr(before, "")})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) {
				if !p.terminal {
					through := ""
					if result.ArchivedThrough != nil {
						through = fmt.Sprint(*result.ArchivedThrough)
					}
					p.fields(fmt.Sprint(result.Moved), through, fmt.Sprint(result.Remaining))
					return
				}
				p.line("Moved %s to the archive; %s in the feed.", counted(int(result.Moved), "event"), remain(result.Remaining))
			})
		},
	}
}

// remain says how many there still are.
func remain(n int64) string {
	if n == 1 {
		return "1 remains"
	}
	return fmt.Sprintf("%d remain", n)
}
