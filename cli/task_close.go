package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"dev.lithos/core"
)

// Completing, cancelling and reopening share how they treat several ids (as
// one task_apply, all or nothing) and --dry-run (the whole operation, rolled
// back at the end).

// closing is one of the verbs that close a task or open it again.
type closing struct {
	word  string // of task_apply
	verb  string // for people: completed
	moved string // what the tasks are now that it has moved: ready now
}

// rehearsing is the call under --dry-run: it changes nothing, nor does it
// make a store.
func (c *call) rehearsing() {
	if c.on("dry-run") {
		c.ctx = core.Rehearse(c.ctx)
		c.session.creates = false
	}
}

// closeSeveral runs the verb on several tasks as one task_apply. request
// makes the arguments of one of them.
func (c *call) closeSeveral(how closing, request func(id string) any) error {
	if values, f := c.given("expected-version"); values != nil {
		c.refuse(core.InvalidInput(core.ReasonInvalidValue, f.field(), "--expected-version is about one task; several are given."))
	}
	operations := []json.RawMessage{}
	for i, id := range c.arguments() {
		if slices.Contains(c.arguments()[:i], id) {
			c.refuse(core.InvalidValue(idsArgument.parameter, id, fmt.Sprintf("'%s' is given twice.", core.Clip(id))))
		}
		arguments, err := core.ParseMetadata(core.EncodeArguments(request(id)))
		if err != nil {
			return fmt.Errorf("encode the arguments of %s: %w", how.word, err)
		}
		word := core.MakeMetadata([]core.Member{{Key: "op", Value: core.AppendJSONString(nil, how.word)}})
		operations = append(operations, json.RawMessage(word.Merge(arguments)))
	}
	result, err := run(c, core.TaskApply, core.TaskApplyRequest{Operations: operations})
	if err != nil {
		return err
	}
	var done []closed
	for _, raw := range result.Results {
		var one closed
		if err := json.Unmarshal(raw, &one); err != nil {
			return fmt.Errorf("read the result of %s: %w", how.word, err)
		}
		done = append(done, one)
	}
	return c.show(result, func(p *page) {
		var ids []string
		for _, one := range done {
			ids = append(ids, one.TaskID)
		}
		for _, one := range done {
			p.closed(how, one.without(ids))
		}
		if how == completing {
			p.stillWaiting(ids)
		}
	})
}

// closed is what the three results have in common.
type closed struct {
	core.Echo
	Unblocked []string `json:"unblocked"`
	Stranded  []string `json:"stranded"`
	Reblocked []string `json:"reblocked"`
}

// without is the result without what has been closed, or opened, with it and
// so is no consequence of it.
func (r closed) without(ids []string) closed {
	for _, list := range []*[]string{&r.Unblocked, &r.Stranded, &r.Reblocked} {
		*list = slices.DeleteFunc(slices.Clone(*list), func(id string) bool { return slices.Contains(ids, id) })
	}
	return r
}

// closed writes what one of the verbs did.
func (p *page) closed(how closing, r closed) {
	verb, heading := strings.ToUpper(how.verb[:1])+how.verb[1:], how.moved+":"
	if p.call.on("dry-run") {
		verb, heading = "Would have "+how.verb, "would be "+how.moved+":"
	}
	p.done(verb, r.Echo)
	for _, ids := range [][]string{r.Unblocked, r.Stranded, r.Reblocked} {
		p.consequences(heading, ids)
	}
}
