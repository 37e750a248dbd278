package cli

import (
	"time"

	"dev.lithos/core"
)

func taskNext() *command {
	return &command{
		name: "next", operation: core.TaskNext,
		summary: "take the best ready task: pick it and claim it in one step",
		details: "Several who ask at once never get the same task. Where nothing is ready the answer is\n" +
			"{\"task\": null} and exit status 0; with --wait it comes only when the time is over.",
		flags: []flag{
			projectFilter, tagFilter, matchFilter, aspectFlag, ttlFlag,
			{name: "wait", value: "DURATION", summary: "wait so long for work to become ready"},
		},
		examples: []string{
			"lithos task next",
			"lithos task next --project core --ttl 90",
		},
		run: runTaskNext,
	}
}

func runTaskNext(c *call) error {
	aspect := c.aspect()
	request := core.TaskNextRequest{
		Agent: c.agent(), Project: c.word("project"), Tags: c.list("tag"), MetadataMatch: c.match(),
		Aspect: &aspect, TTLMinutes: c.minutes(),
	}
	var wait time.Duration
	if text := c.word("wait"); text != nil {
		var err error
		if wait, err = parseDuration("wait", *text, 0); err != nil {
			c.refuse(err)
		}
	}
	result, err := c.nextWithin(wait, request)
	if err != nil {
		return err
	}
	return c.show(result, func(p *page) {
		switch {
		case result.Task == nil && p.terminal:
			p.line("Nothing is ready that nobody holds.")
			c.hint("What is held back: lithos task blocked")
		case result.Task != nil:
			t := result.Task
			p.lease("Claimed", aspect, result.Claim.ExpiresAt, core.Echo{TaskID: t.ID, Title: t.Title})
			if p.terminal {
				l := p.labels([]string{t.ID})[t.ID]
				c.hint("Read it: lithos task get %s", l.typed())
			}
		}
	})
}
