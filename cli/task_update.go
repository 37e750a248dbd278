package cli

import (
	"dev.lithos/core"
)

func taskUpdate() *command {
	return &command{
		name: "update", operation: core.TaskUpdate,
		summary: "change a task's title, description, tags or metadata",
		details: "Metadata is merged key by key: --meta sets, --unset deletes, the rest stays, so that several\n" +
			"writers do not undo one another. With --expected-version the change is refused if the task has\n" +
			"moved on.",
		arguments: []argument{idArgument},
		flags: []flag{
			{name: "title", value: "TEXT", summary: "the new title"},
			descriptionFlag,
			{name: "tag", value: "TAG", parameter: "tags", many: true, completes: tagNames, summary: "replace all tags; repeat for more"},
			{name: "clear-tags", parameter: "tags", summary: "remove all tags"},
			{name: "add-tag", value: "TAG", parameter: "add_tags", many: true, completes: tagNames, summary: "add a tag; repeat for more"},
			{name: "remove-tag", value: "TAG", parameter: "remove_tags", many: true, completes: tagNames, summary: "remove a tag; repeat for more"},
			metaFlag,
			{name: "unset", value: "KEY", parameter: "metadata", many: true, summary: "delete a metadata key; repeat for more"},
			projectFlag, priorityFlag, gateTypeFlag, readyAtFlag, versionFlag,
		},
		examples: []string{
			"lithos task update 9c1f02 --priority highest --add-tag urgent",
			"lithos task update 9c1f02 --meta reviewers:=2 --unset phase",
			`lithos task update "$(lithos task create "Try it")" --title "Try this"`,
		},
		run: runTaskUpdate,
	}
}

func runTaskUpdate(c *call) error {
	request := core.TaskUpdateRequest{
		TaskID: c.argument(0), Agent: c.agent(), Title: c.body("title"), Description: c.body("description"),
		Tags: c.list("tag"), Metadata: c.metadata(), AddTags: c.list("add-tag"), RemoveTags: c.list("remove-tag"),
		ExpectedVersion: c.integer("expected-version"),
	}
	if c.on("clear-tags") {
		if request.Tags != nil {
			c.refuse(core.InvalidInput(core.ReasonInvalidValue, "tags", "--clear-tags removes all tags; it cannot be used with --tag."))
		}
		request.Tags = []string{}
	}
	result, err := run(c, core.TaskUpdate, request)
	if err != nil {
		return err
	}
	c.warnPastTimer(request.Metadata)
	return c.show(result, func(p *page) {
		p.done("Updated", result.Echo)
	})
}
