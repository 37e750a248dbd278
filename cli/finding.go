package cli

// findingCommand groups the verbs of findings.
func findingCommand() *command {
	return &command{
		name: "finding", summary: "leave remarks on tasks and read them",
		examples: []string{
			`lithos finding post "$(lithos task create "Try it")" "It works"`,
		},
		group: func() []*command { return []*command{findingPost(), findingList()} },
	}
}
