package cli

import (
	"dev.lithos/core"
	"dev.lithos/core/display"
)

func taskClaim() *command {
	return &command{
		name: "claim", operation: core.TaskClaim,
		summary: "take a lease on a task, so that others leave it alone",
		details: "A lease is on one aspect of a task and ends by itself. Of several who try at once one wins;\n" +
			"the others get exit status 6, who holds it, and until when.",
		arguments: []argument{idArgument},
		flags:     []flag{aspectFlag, ttlFlag},
		examples: []string{
			"lithos task claim 9c1f02 --aspect review --ttl 2h",
			`lithos task claim "$(lithos task create "Try it")"`,
		},
		run: func(c *call) error {
			aspect := c.aspect()
			result, err := run(c, core.TaskClaim, core.TaskClaimRequest{
				TaskID: c.argument(0), Aspect: aspect, Agent: c.agent(), TTLMinutes: c.minutes(),
			})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) { p.lease("Claimed", aspect, result.ExpiresAt, result.Echo) })
		},
	}
}

// lease writes what became of a lease.
func (p *page) lease(verb, aspect string, until core.Stamp, e core.Echo) {
	if !p.terminal {
		p.done(verb, e, aspect, until.String())
		return
	}
	what := []string{display.Left(until, p.now) + " left"}
	if aspect != core.DefaultAspect {
		what = append([]string{display.Visible(aspect)}, what...)
	}
	p.done(verb, e, what...)
}
