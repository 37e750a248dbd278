package cli

import (
	"fmt"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func taskCreate() *command {
	return &command{
		name: "create", operation: core.TaskCreate,
		summary: "create a task, epic or gate",
		details: "The task and what it depends on are stored in one step, so nobody sees it ready too early.\n" +
			"A gate stands for a condition outside the graph and needs --gate-type; a timer also --ready-at.\n" +
			"Piped, the new id is printed and nothing else.",
		arguments: []argument{{name: "TITLE", parameter: "title"}},
		flags: []flag{
			descriptionFlag, tagFlag, metaFlag,
			{name: "type", value: "TYPE", parameter: "task_type", words: words(core.TaskTypes), summary: "task, epic or gate", fallback: string(core.TypeTask)},
			{name: "depends-on", value: "ID", many: true, completes: taskIDs, summary: "what must be completed first; repeat for more"},
			{name: "parent", value: "ID", parameter: "parent_task_id", completes: taskIDs, summary: "the task this is a part of"},
			projectFlag, priorityFlag, gateTypeFlag, readyAtFlag, requestIDFlag,
		},
		examples: []string{
			`lithos task create "Write the importer" --priority P1 --tag parser`,
			`lithos task create "Release approved" --type gate --gate-type human`,
			`lithos task create "After the freeze" --type gate --gate-type timer --ready-at +3d`,
		},
		run: runTaskCreate,
	}
}

func runTaskCreate(c *call) error {
	request := core.TaskCreateRequest{
		Title: c.argumentBody(0), Agent: c.agent(), Description: c.body("description"), Tags: c.list("tag"),
		Metadata: c.metadata(), TaskType: c.word("type"), ParentTaskID: c.word("parent"),
		DependsOn: c.list("depends-on"), RequestID: c.word("request-id"),
	}
	isGate := request.TaskType != nil && *request.TaskType == string(core.TypeGate)
	for _, name := range []string{"gate-type", "ready-at"} {
		if values, f := c.given(name); values != nil && !isGate {
			c.refuse(core.InvalidValue(f.field(), values[0], fmt.Sprintf("--%s is for gates: it needs --type gate.", name)))
		}
	}
	result, err := run(c, core.TaskCreate, request)
	if err != nil {
		return err
	}
	if isGate {
		c.warnPastTimer(request.Metadata)
	}
	return c.show(result, func(p *page) {
		if !p.terminal {
			p.fields(result.TaskID)
			return
		}
		l := p.labels([]string{result.TaskID})[result.TaskID]
		p.done("Created", result.Echo)
		if l.state() == display.Ready {
			c.hint("Take it: lithos task claim %s", l.typed())
		}
	})
}
