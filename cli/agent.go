package cli

// agentCommand groups the verbs of agents.
func agentCommand() *command {
	return &command{
		name: "agent", summary: "introduce agents and see who acted",
		details: "An agent is whoever acts, person or program. Agents also appear by themselves when they\n" +
			"change something.",
		examples: []string{"lithos agent list"},
		group:    func() []*command { return []*command{agentRegister(), agentInfo(), agentList()} },
	}
}
