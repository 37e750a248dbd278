package tui

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

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
	lease := newLeaseField(m.claimMinutes())
	agent := []span{data(m.options.Agent, plainText)}
	if m.options.AgentSource != "" {
		agent = append(agent, span{"   (" + m.options.AgentSource + ")", dimText})
	}
	f := &form{
		title: []span{{"Claim " + subject(cards), titleLook}}, width: 54,
		intro:   introOf(m, cards),
		fields:  []field{aspect, newFixedField("Agent", agent...), lease},
		buttons: []string{"Claim", "Cancel"},
	}
	f.live = func(m *model, _ int) [][]span { return append(claimCautions(m, cards), heldNow(m, cards)...) }
	f.submit = func(m *model, _ int) tea.Cmd {
		minutes, wrong := lease.minutes()
		if wrong != nil {
			f.refused(wrong)
			return nil
		}
		return m.claim(cards, aspect.text(), minutes, f)
	}
	f.begin()
	m.ask(f)
	return nil
}

// claimCautions tell of tasks that cannot be started yet although they can be
// claimed.
func claimCautions(m *model, cards []core.Card) [][]span {
	const most = 3
	var lines [][]span
	for _, card := range cards {
		if caution := claimCaution(card, m.now()); caution != "" {
			lines = append(lines, []span{{"! " + caution, warnLook}})
		}
	}
	if len(lines) > most {
		lines = append(lines[:most], []span{{fmt.Sprintf("! and %d more that cannot be started yet", len(lines)-most), warnLook}})
	}
	return lines
}

// claimCaution says why there is nothing to do yet on a task, or ever on a
// gate that opens by itself; "" for others.
func claimCaution(card core.Card, now core.Stamp) string {
	if caution := byHand(card, now); caution != "" && card.GateType() == core.GateTimer {
		return display.Visible(caution) + ": a claim does not hasten it"
	}
	if !card.Held {
		return ""
	}
	text := idOf(card) + " is still blocked"
	if n := len(card.Waits); n > 0 {
		const most = 3
		names := make([]string, 0, most)
		for _, w := range card.Waits[:min(n, most)] {
			names = append(names, idOf(w.Source))
		}
		text += ": it waits on " + strings.Join(names, ", ")
		if more := card.WaitCount - len(names); more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
	}
	return text
}

// butBlocked is how the message about a claim goes on when there is nothing to
// do yet on what was claimed.
func butBlocked(cards []core.Card, now core.Stamp) string {
	var early []string
	for _, card := range cards {
		if claimCaution(card, now) != "" {
			early = append(early, idOf(card))
		}
	}
	switch {
	case len(early) == 0:
		return ""
	case len(cards) > 1:
		return fmt.Sprintf(", but %d of them cannot be started yet", len(early))
	case cards[0].GateType() == core.GateTimer:
		return ", but its timer opens it by itself"
	}
	return ", but it is still blocked"
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
		text := fmt.Sprintf("%s claimed by %s until %s", subject(cards), agent, m.clockText(results[0].ExpiresAt))
		if asked := m.now().Add(time.Duration(minutes) * time.Minute); results[0].ExpiresAt < asked.Add(-time.Minute) {
			text += ", the longest that is allowed"
		}
		text += butBlocked(cards, m.now())
		return done{
			text:    text,
			command: forEach(agent, cards, "claim", flags("--aspect", aspect, "--ttl", strconv.Itoa(minutes))...),
			undo: &undoing{what: "the claim of " + subject(cards), run: func(ctx context.Context, s *core.Service) (done, error) {
				var back []step
				for _, card := range cards {
					back = append(back, stepOf("release", core.TaskRelease, core.TaskReleaseRequest{TaskID: card.ID, Aspect: aspect, Agent: agent}))
				}
				_, err := perform(ctx, s, agent, back)
				return done{text: "released " + subject(cards) + " again", command: forEach(agent, cards, "release", flags("--aspect", aspect)...)}, err
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
func forEach(agent string, cards []core.Card, verb string, rest ...string) string {
	lines := make([]string, len(cards))
	for i, card := range cards {
		lines[i] = actLine(agent, []string{"task", verb, card.ShortID}, rest...)
	}
	return inTurn(lines)
}

// flags are pairs of flags and values without those whose value is empty.
func flags(pairs ...string) []string {
	var words []string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			words = append(words, flagOf(pairs[i], pairs[i+1])...)
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

// lease is one of the agent's own leases on a task.
type lease struct {
	card  core.Card
	claim core.Claim
}

// ownLeases are the agent's leases on the tasks at hand.
func (m *model) ownLeases(cards []core.Card) []lease {
	var list []lease
	for _, card := range cards {
		for _, claim := range m.ownClaims(card) {
			list = append(list, lease{card, claim})
		}
	}
	return list
}

// take is the step that claims what the lease is about.
func (l lease) take(agent string, minutes int) step {
	return stepOf("claim", core.TaskClaim, core.TaskClaimRequest{TaskID: l.card.ID, Aspect: l.claim.Aspect, Agent: agent, TTLMinutes: &minutes})
}

func (l lease) command(agent, verb string, rest ...string) string {
	return actLine(agent, []string{"task", verb, l.card.ShortID}, append(flagOf("--aspect", l.claim.Aspect), rest...)...)
}

// release gives one's leases on the tasks at hand back.
func (m *model) release() tea.Cmd {
	agent := m.options.Agent
	cards := m.targets()
	given := m.ownLeases(cards)
	var steps []step
	var lines []string
	for _, l := range given {
		steps = append(steps, stepOf("release", core.TaskRelease, core.TaskReleaseRequest{TaskID: l.card.ID, Aspect: l.claim.Aspect, Agent: agent}))
		lines = append(lines, l.command(agent, "release"))
	}
	return m.act("task_release", func(ctx context.Context, s *core.Service) (done, error) {
		if _, err := perform(ctx, s, agent, steps); err != nil {
			return done{}, err
		}
		return done{
			text: "released " + subject(cards), command: inTurn(lines),
			undo: &undoing{what: "the release of " + subject(cards), run: func(ctx context.Context, s *core.Service) (done, error) {
				var back []step
				var lines []string
				for _, l := range given {
					minutes := max(int((l.claim.ExpiresAt-m.now())/60_000_000), 1)
					back = append(back, l.take(agent, minutes))
					lines = append(lines, l.command(agent, "claim", "--ttl", strconv.Itoa(minutes)))
				}
				_, err := perform(ctx, s, agent, back)
				return done{text: "claimed " + subject(cards) + " again", command: inTurn(lines)}, err
			}},
			follow: cards[0].ID,
		}, nil
	}, nil)
}

// renewDefault extends one's leases on the tasks at hand by the lease that is
// proposed.
func (m *model) renewDefault() tea.Cmd { return m.renew(m.targets(), m.claimMinutes(), nil) }

// renewDialog asks how long one's leases on the tasks at hand shall be.
func (m *model) renewDialog() tea.Cmd {
	cards := m.targets()
	length := newLeaseField(m.claimMinutes())
	f := &form{
		title: []span{{"Renew " + subject(cards), titleLook}}, width: 54,
		intro:   introOf(m, cards),
		fields:  []field{length},
		buttons: []string{"Renew", "Cancel"},
	}
	f.live = func(m *model, _ int) [][]span { return heldNow(m, cards) }
	f.submit = func(m *model, _ int) tea.Cmd {
		minutes, wrong := length.minutes()
		if wrong != nil {
			f.refused(wrong)
			return nil
		}
		return m.renew(cards, minutes, f)
	}
	f.begin()
	m.ask(f)
	return nil
}

// renew extends one's leases on tasks; f is the form that asked for it, if one
// did.
func (m *model) renew(cards []core.Card, minutes int, f *form) tea.Cmd {
	agent := m.options.Agent
	var steps []step
	var lines []string
	for _, l := range m.ownLeases(cards) {
		steps = append(steps, stepOf("renew", core.TaskRenew, core.TaskRenewRequest{
			TaskID: l.card.ID, Aspect: l.claim.Aspect, Agent: agent, TTLMinutes: &minutes,
		}))
		lines = append(lines, l.command(agent, "renew", "--ttl", strconv.Itoa(minutes)))
	}
	return m.act("task_renew", func(ctx context.Context, s *core.Service) (done, error) {
		results, err := perform(ctx, s, agent, steps)
		if err != nil {
			return done{}, err
		}
		return done{
			text:    fmt.Sprintf("renewed %s until %s", subject(cards), m.clockText(results[0].RenewedTo)),
			command: inTurn(lines), then: closing(f),
			undo: lasting("renewing "+subject(cards), m.keymap.shown("release", m.glyphs)+" gives the lease back"),
		}, nil
	}, refusedClaim(f))
}
