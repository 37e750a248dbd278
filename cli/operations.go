package cli

// OperationCommands maps the name of each operation to the words of the
// command that runs it, the program's name left out: task_edge_upsert to
// task, edge, upsert.
func OperationCommands() map[string][]string {
	commands := map[string][]string{}
	rootCommand().walk(func(c *command) {
		if c.operation != nil {
			commands[c.operation.Name()] = c.words()[1:]
		}
	})
	return commands
}
