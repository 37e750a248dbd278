package cli

import (
	"dev.lithos/core"
)

func taskSpawn() *command {
	return &command{
		name: "spawn", operation: core.TaskSpawn,
		summary: "create a task found while working on another",
		details: "The new task takes over project, priority, phase and tags of its source, and an edge says\n" +
			"where it came from. Piped, the new id is printed and nothing else.",
		arguments: []argument{
			{name: "SOURCE", parameter: "source_task_id", completes: taskIDs},
			{name: "TITLE", parameter: "title"},
		},
		flags: []flag{
			projectFlag, priorityFlag,
			{name: "relation", value: "TYPE", parameter: "relation_type", words: words(core.RelationTypes), summary: "discovered_from, or blocks: the new task waits for its source", fallback: string(core.EdgeDiscoveredFrom)},
			{name: "no-inherit-project", parameter: "inherit_project", summary: "leave the project of the source"},
			{name: "no-inherit-tags", parameter: "inherit_tags", summary: "leave its tags"},
			{name: "no-inherit-context", parameter: "inherit_context", summary: "leave its priority, parallelizable and phase"},
			descriptionFlag, metaFlag, requestIDFlag,
		},
		examples: []string{
			`lithos task spawn 9c1f02 "The importer drops NUL bytes" --priority high`,
			`lithos task spawn "$(lithos task create "Try it")" "Found on the way"`,
		},
		run: runTaskSpawn,
	}
}

func runTaskSpawn(c *call) error {
	result, err := run(c, core.TaskSpawn, core.TaskSpawnRequest{
		SourceTaskID: c.argument(0), Title: c.argumentBody(1), Agent: c.agent(), Description: c.body("description"),
		RelationType:   c.word("relation"),
		InheritProject: c.ifOff("no-inherit-project"), InheritTags: c.ifOff("no-inherit-tags"), InheritContext: c.ifOff("no-inherit-context"),
		Metadata: c.metadata(), RequestID: c.word("request-id"),
	})
	if err != nil {
		return err
	}
	return c.show(result, func(p *page) {
		if !p.terminal {
			p.fields(result.TaskID)
			return
		}
		p.done("Created", core.Echo{TaskID: result.TaskID, Title: result.Title})
		p.named("  found while working on ", p.name(p.labels([]string{result.SourceTaskID})[result.SourceTaskID]), "")
	})
}
