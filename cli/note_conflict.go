package cli

import "dev.lithos/core"

// noteConflict groups the verbs of contradictions between notes.
func noteConflict() *command {
	return &command{
		name: "conflict", summary: "settle contradictions between notes",
		details:  "A contradiction is a typed edge of the type contradicts.",
		examples: []string{"lithos note conflict resolve edge_0a1b2c3d4e5f --resolution accepted_dual"},
		group:    func() []*command { return []*command{noteConflictResolve()} },
	}
}

func noteConflictResolve() *command {
	return &command{
		name: "resolve", operation: core.ConflictResolve,
		summary:   "settle a contradiction between two notes",
		details:   "With superseded the winner's note says that it supersedes the other.",
		arguments: []argument{{name: "EDGE", parameter: "edge_id"}},
		flags: []flag{
			{name: "resolution", value: "WORD", words: core.Resolutions, summary: "accepted_dual, superseded, refuted or merged; required"},
			{name: "winner", value: "ID", parameter: "winner_id", summary: "with superseded: the note that holds"},
		},
		examples: []string{
			"lithos note conflict resolve edge_0a1b2c3d4e5f --resolution superseded --winner 5f0d3c2a",
		},
		run: func(c *call) error {
			result, err := run(c, core.ConflictResolve, core.ConflictResolveRequest{
				EdgeID: c.argument(0), Resolution: c.required("resolution"), Resolver: c.agent(), WinnerID: c.word("winner"),
			})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) {
				if !p.terminal {
					p.fields(result.EdgeID, result.ConflictState)
					return
				}
				p.line("Settled: %s.", result.ConflictState)
			})
		},
	}
}
