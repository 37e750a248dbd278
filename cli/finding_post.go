package cli

import "dev.lithos/core"

func findingPost() *command {
	return &command{
		name: "post", operation: core.FindingPost,
		summary:   "leave a remark on a task for whoever comes next",
		arguments: []argument{idArgument, {name: "SUMMARY", parameter: "summary"}},
		flags:     []flag{{name: "knowledge-id", value: "NOTE", summary: "the note it is about"}},
		examples: []string{
			`lithos finding post 9c1f02 "CSV needs a BOM check"`,
			`echo "From a pipe" | lithos finding post "$(lithos task create "Try it")" -`,
		},
		run: func(c *call) error {
			result, err := run(c, core.FindingPost, core.FindingPostRequest{
				TaskID: c.argument(0), Agent: c.agent(), Summary: c.argumentBody(1), KnowledgeID: c.word("knowledge-id"),
			})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) {
				if !p.terminal {
					p.fields(result.FindingID, result.TaskID)
					return
				}
				p.named("Noted on ", p.name(p.labels([]string{result.TaskID})[result.TaskID]), "")
			})
		},
	}
}
