package tui

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// leases are the lengths of a lease that the claim dialog offers, in minutes.
var leases = []int{15, 30, 60, 120, 240, 480}

// claimMinutes is the lease that is proposed.
func (m *model) claimMinutes() int {
	if n := m.options.ClaimMinutes; n > 0 {
		return n
	}
	return core.DefaultClaimMinutes
}

// claimDialog asks for aspect and lease.
func (m *model) claimDialog() tea.Cmd {
	cards := m.targets()
	aspect := newTextField("Aspect", "aspect", core.DefaultAspect)
	choices, at := leases, 0
	if !contains(choices, m.claimMinutes()) {
		choices = append([]int{m.claimMinutes()}, choices...)
	}
	names := make([]string, len(choices))
	for i, n := range choices {
		names[i] = fmt.Sprintf("%d min", n)
		if n == m.claimMinutes() {
			at = i
		}
	}
	lease := newChoiceField("Lease", "ttl_minutes", names, at)
	lease.beside = func(m *model, i int) string {
		return "until " + m.clockText(m.now().Add(time.Duration(choices[i])*time.Minute))
	}
	agent := []span{data(m.options.Agent, plainText)}
	if m.options.AgentSource != "" {
		agent = append(agent, span{"   (" + m.options.AgentSource + ")", dimText})
	}
	f := &form{
		title: []span{{"Claim " + subject(cards), titleLook}}, width: 46, anyway: true,
		intro:   introOf(m, cards),
		fields:  []field{aspect, newFixedField("Agent", agent...), lease},
		buttons: []string{"Claim", "Cancel"},
		foot:    "tab next " + m.glyphs.bullet + " " + m.glyphs.enter + " claim " + m.glyphs.bullet + " esc",
	}
	f.live = func(m *model, width int) [][]span { return heldNow(m, cards) }
	f.submit = func(m *model, _ int) tea.Cmd {
		return m.claim(cards, aspect.text(), choices[lease.at], f)
	}
	f.begin()
	m.ask(f)
	return nil
}

// introOf names the tasks a dialog is about.
func introOf(m *model, cards []core.Card) [][]span {
	const most = 5
	var lines [][]span
	if len(cards) == 1 {
		return [][]span{{data(cards[0].Title, strongText)}}
	}
	for i, card := range cards {
		if i == most {
			lines = append(lines, []span{{fmt.Sprintf("and %d more", len(cards)-most), dimText}})
			break
		}
		lines = append(lines, titled(m.glyphs, card, plainText))
	}
	return lines
}

// heldNow tells which aspects are held.
func heldNow(m *model, cards []core.Card) [][]span {
	var lines [][]span
	for _, card := range cards {
		for _, claim := range card.Claims {
			if claim.Live(m.now()) {
				lines = append(lines, append([]span{{"Held now: ", hintLook}}, claimSpans(m.glyphs, claim, m.options.Agent, m.now())...))
			}
		}
	}
	if len(lines) == 0 {
		return [][]span{{{"Held now: none", hintLook}}}
	}
	return lines[:min(len(lines), 4)]
}

// claimDefault claims with the values the dialog would propose.
func (m *model) claimDefault() tea.Cmd {
	return m.claim(m.targets(), core.DefaultAspect, m.claimMinutes(), nil)
}

// claim takes leases; f is the form that asked for it, if one did.
func (m *model) claim(cards []core.Card, aspect string, minutes int, f *form) tea.Cmd {
	agent := m.options.Agent
	var steps []step
	for _, card := range cards {
		steps = append(steps, stepOf("claim", core.TaskClaim, core.TaskClaimRequest{
			TaskID: card.ID, Aspect: aspect, Agent: agent, TTLMinutes: &minutes,
		}))
	}
	return m.act("task_claim", func(ctx context.Context, s *core.Service) (done, error) {
		results, err := perform(ctx, s, agent, steps)
		if err != nil {
			return done{}, err
		}
		return done{
			text:    fmt.Sprintf("%s claimed by %s until %s", subject(cards), agent, m.clockText(results[0].ExpiresAt)),
			command: forEach(cards, "claim", flags("--aspect", aspect, "--ttl", strconv.Itoa(minutes))...),
			undo: &undoing{what: "the claim", run: func(ctx context.Context, s *core.Service) (string, error) {
				var back []step
				for _, card := range cards {
					back = append(back, stepOf("release", core.TaskRelease, core.TaskReleaseRequest{TaskID: card.ID, Aspect: aspect, Agent: agent}))
				}
				_, err := perform(ctx, s, agent, back)
				return "released " + subject(cards) + " again", err
			}},
			follow: cards[0].ID, then: closing(f),
		}, nil
	}, refusedClaim(f))
}

// closing closes the form that an action came from.
func closing(f *form) func(*model) tea.Cmd {
	if f == nil {
		return nil
	}
	return func(m *model) tea.Cmd {
		m.dismiss(f)
		return nil
	}
}

// refusedClaim takes a refusal: into the form, if there is one; nil for the
// line of messages.
func refusedClaim(f *form) func(*model, *core.Error) tea.Cmd {
	if f == nil {
		return nil
	}
	return func(m *model, e *core.Error) tea.Cmd {
		f.refused(claimAdvice(m, e))
		return nil
	}
}

// claimAdvice says of a refused claim what people want to know of it.
func claimAdvice(m *model, e *core.Error) *core.Error {
	if e.Code != core.CodeClaimFailed || e.Extra("reason") != "held" {
		return e
	}
	holder, _ := e.Extra("holder").(string)
	aspect, _ := e.Extra("aspect").(string)
	until, _ := e.Extra("expires_at").(core.Stamp)
	told := *e
	told.Message = fmt.Sprintf("%s holds %s until %s (%s). Pick another aspect, or wait.",
		holder, aspect, m.clockText(until), untilText(until, m.now()))
	return &told
}

// forEach is the command line that does something to each of the tasks.
func forEach(cards []core.Card, verb string, rest ...string) string {
	lines := make([]string, len(cards))
	for i, card := range cards {
		lines[i] = commandLine(append([]string{"task", verb, card.ShortID}, rest...)...)
	}
	return strings.Join(lines, "; ")
}

// flags are pairs of flags and values without those whose value is empty.
func flags(pairs ...string) []string {
	var words []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			words = append(words, pairs[i], pairs[i+1])
		}
	}
	return words
}

func contains[T comparable](list []T, value T) bool {
	for _, v := range list {
		if v == value {
			return true
		}
	}
	return false
}

// release gives one's leases on the tasks at hand back.
func (m *model) release() tea.Cmd {
	agent := m.options.Agent
	cards := m.targets()
	var steps []step
	type kept struct {
		id    string
		claim core.Claim
	}
	var given []kept
	var words []string
	for _, card := range cards {
		for _, claim := range m.ownClaims(card) {
			steps = append(steps, stepOf("release", core.TaskRelease, core.TaskReleaseRequest{TaskID: card.ID, Aspect: claim.Aspect, Agent: agent}))
			given = append(given, kept{card.ID, claim})
			words = append(words, commandLine("task", "release", card.ShortID, "--aspect", claim.Aspect))
		}
	}
	return m.act("task_release", func(ctx context.Context, s *core.Service) (done, error) {
		if _, err := perform(ctx, s, agent, steps); err != nil {
			return done{}, err
		}
		return done{
			text: "released " + subject(cards), command: strings.Join(words, "; "),
			undo: &undoing{what: "the release", run: func(ctx context.Context, s *core.Service) (string, error) {
				var back []step
				for _, k := range given {
					minutes := max(int((k.claim.ExpiresAt-m.now())/60_000_000), 1)
					back = append(back, stepOf("claim", core.TaskClaim, core.TaskClaimRequest{
						TaskID: k.id, Aspect: k.claim.Aspect, Agent: agent, TTLMinutes: &minutes,
					}))
				}
				_, err := perform(ctx, s, agent, back)
				return "claimed " + subject(cards) + " again", err
			}},
			follow: cards[0].ID,
		}, nil
	}, nil)
}

// renew extends one's leases on the tasks at hand.
func (m *model) renew() tea.Cmd {
	agent, minutes := m.options.Agent, m.claimMinutes()
	cards := m.targets()
	var steps []step
	var words []string
	for _, card := range cards {
		for _, claim := range m.ownClaims(card) {
			steps = append(steps, stepOf("renew", core.TaskRenew, core.TaskRenewRequest{
				TaskID: card.ID, Aspect: claim.Aspect, Agent: agent, TTLMinutes: &minutes,
			}))
			words = append(words, commandLine("task", "renew", card.ShortID, "--aspect", claim.Aspect, "--ttl", strconv.Itoa(minutes)))
		}
	}
	return m.act("task_renew", func(ctx context.Context, s *core.Service) (done, error) {
		results, err := perform(ctx, s, agent, steps)
		if err != nil {
			return done{}, err
		}
		return done{
			text:    fmt.Sprintf("renewed %s until %s", subject(cards), m.clockText(results[0].RenewedTo)),
			command: strings.Join(words, "; "),
		}, nil
	}, nil)
}
