package cli

import "dev.lithos/core"

func taskRenew() *command {
	return &command{
		name: "renew", operation: core.TaskRenew,
		summary:   "extend a lease of one's own",
		details:   "The lease is counted from now. One that has ended cannot be renewed, only claimed anew.",
		arguments: []argument{idArgument},
		flags:     []flag{aspectFlag, ttlFlag},
		examples: []string{
			`id=$(lithos task create "Try it"); lithos task claim $id; lithos task renew $id --ttl 90`,
		},
		run: func(c *call) error {
			aspect := c.aspect()
			result, err := run(c, core.TaskRenew, core.TaskRenewRequest{
				TaskID: c.argument(0), Aspect: aspect, Agent: c.agent(), TTLMinutes: c.minutes(),
			})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) { p.lease("Renewed", aspect, result.NewExpiresAt, result.Echo) })
		},
	}
}
