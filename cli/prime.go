package cli

import (
	"fmt"
	"strings"

	"dev.lithos/cli/mcpserver"
	"dev.lithos/core"
	"dev.lithos/core/display"
)

// maxPrime bounds the text of prime, in bytes: it is paid for in every
// conversation that holds it.
const maxPrime = 2000

// primeResult is the text with the live frontier.
type primeResult struct {
	Text string `json:"text"`
}

func primeCommand() *command {
	return &command{
		name: "prime", summary: "print a short text for an agent's instructions, with what is ready now",
		details:  "Under 2,000 bytes: how to work with lithos, what is ready, what you hold, what waits for people.",
		examples: []string{"lithos prime"},
		run:      runPrime,
	}
}

func runPrime(c *call) error {
	text, err := c.primeText()
	if err != nil {
		return err
	}
	return c.show(primeResult{text}, func(p *page) { p.WriteString(text) })
}

func (c *call) primeText() (string, error) {
	service := c.session.service()
	board, err := service.Board(c.ctx, core.BoardRequest{Columns: []core.ColumnRequest{{Column: core.ColumnReady, Limit: primeRows}}})
	if err != nil {
		return "", err
	}
	mine, err := c.ownClaims()
	if err != nil {
		return "", err
	}
	gates, err := c.humanGates()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(mcpserver.PasteIn)
	n := board.Totals
	fmt.Fprintf(&b, "\nNow: %d ready and free, %d claimed, %d blocked, %d open %s.\n",
		n[core.ColumnReady], n[core.ColumnClaimed], n[core.ColumnBlocked], n[core.ColumnGates], plural(n[core.ColumnGates], "gate"))
	for _, section := range []struct {
		heading string
		cards   []core.Card
	}{{"Yours, claimed", mine}, {"Ready, best first", board.Columns[0].Cards}, {"Waiting for a person", gates}} {
		lines := section.heading + ":\n"
		for _, card := range section.cards {
			line := fmt.Sprintf("- %s %s", display.Visible(card.ShortID), display.Cut(display.Visible(card.Title), 60))
			if label := display.PriorityLabel(card.Priority()); label != "" {
				line += " (" + label + ")"
			}
			if b.Len()+len(lines)+len(line)+1 < maxPrime {
				b.WriteString(lines + line + "\n")
				lines = "" // the heading is written with its first line
			}
		}
	}
	return b.String(), nil
}

// plural is a noun as it stands behind a number.
func plural(n int, noun string) string {
	if n == 1 {
		return noun
	}
	return noun + "s"
}

// primeRows is how many tasks a section of prime lists.
const primeRows = 5

// ownClaims are the first tasks that the acting agent holds.
func (c *call) ownClaims() ([]core.Card, error) {
	agent, open := c.agent(), string(core.StatusOpen)
	return c.first(core.TaskListRequest{ClaimedBy: &agent, Status: &open}, primeRows, func(core.Task) bool { return true })
}

// humanGates are the first open gates that a person must pass.
func (c *call) humanGates() ([]core.Card, error) {
	gate, open := string(core.TypeGate), string(core.StatusOpen)
	return c.first(core.TaskListRequest{TaskType: &gate, Status: &open}, primeRows, func(t core.Task) bool {
		return t.GateType() == core.GateHuman
	})
}

// first returns the cards of the first tasks of a list that pass a test.
func (c *call) first(request core.TaskListRequest, most int, passes func(core.Task) bool) ([]core.Card, error) {
	var ids []string
	service := c.session.service()
	_, err := service.EachTask(c.ctx, request, core.BriefRecords, func(t core.Task) error {
		if passes(t) && len(ids) < most {
			ids = append(ids, t.ID)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	found, err := service.CardsByID(c.ctx, ids)
	var cards []core.Card
	for _, id := range ids {
		if card, ok := found[id]; ok {
			cards = append(cards, card)
		}
	}
	return cards, err
}
