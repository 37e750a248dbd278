package cli

import (
	"strings"

	"dev.lithos/core"
)

func taskReady() *command {
	return &command{
		name: "ready", operation: core.TaskReady,
		summary: "list the tasks that can be started now, best first",
		flags: []flag{
			projectFilter, tagFilter, matchFilter, pageLimitFlag, offsetFlag, sortFlag,
			{name: "no-claims", parameter: "with_claims", summary: "leave out who holds them"},
			watchFlag,
		},
		examples: []string{
			"lithos task ready",
			"lithos task ready --project core --sort impact --limit 5",
			"lithos task ready --json --jq '.tasks[].id'",
		},
		run: runTaskReady,
	}
}

func runTaskReady(c *call) error {
	request := core.TaskReadyRequest{
		Project: c.word("project"), Tags: c.list("tag"), MetadataMatch: c.match(), Limit: c.integer("limit"),
		WithClaims: c.ifOff("no-claims"), Sort: c.word("sort"), Offset: c.integer("offset"),
	}
	return c.watching(func() error {
		result, err := run(c, core.TaskReady, request)
		if err != nil {
			return err
		}
		return c.showReady(result, request.Limit, request.Offset)
	})
}

// defaultPage is the limit of ready and blocked when none is given.
const defaultPage = 50

// showReady shows a page of ready tasks.
func (c *call) showReady(result core.FrontierResult, limit, offset *int) error {
	err := c.show(result, func(p *page) {
		if !p.terminal {
			for _, t := range result.Tasks {
				p.fields(t.ID, t.Title, t.Priority(), t.Project(), strings.Join(t.Tags.List(), ","),
					t.CreatedAt.String(), claimants(t.Claims))
			}
			return
		}
		if len(result.Tasks) == 0 {
			p.line("Nothing is ready.")
			c.hint("What is held back: lithos task blocked")
		}
		p.taskTable(result.Tasks, false)
	})
	if err == nil && !c.out.json {
		c.more(result.HasMore, orDefaultPage(limit), offset)
	}
	return err
}

func orDefaultPage(limit *int) *int {
	if limit != nil {
		return limit
	}
	n := defaultPage
	return &n
}

// claimants lists who holds claims, for piped output.
func claimants(claims []core.Claim) string {
	var names []string
	for _, claim := range claims {
		names = append(names, claim.Agent+":"+claim.Aspect)
	}
	return strings.Join(names, ",")
}
