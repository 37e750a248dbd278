package cli

import (
	"dev.lithos/core"
)

func taskRelease() *command {
	return &command{
		name: "release", operation: core.TaskRelease,
		summary:   "give a lease back before it ends",
		arguments: []argument{idArgument},
		flags:     []flag{aspectFlag},
		examples: []string{
			`id=$(lithos task create "Try it"); lithos task claim $id; lithos task release $id`,
		},
		run: func(c *call) error {
			result, err := run(c, core.TaskRelease, core.TaskReleaseRequest{
				TaskID: c.argument(0), Aspect: c.aspect(), Agent: c.agent(),
			})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) { p.done("Released", result.Echo) })
		},
	}
}
