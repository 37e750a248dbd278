package cli

// findingCommand groups the verbs of findings.
func findingCommand() *command {
	return &command{
		name: "finding", summary: "leave remarks on tasks and read them",
		examples: []string{`lithos finding post 9c1f02 "CSV needs a BOM check"`},
		commands: []*command{findingPost(), findingList()},
	}
}
