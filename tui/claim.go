package tui

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
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
	f.focus = len(f.fields) - 1 // the aspect is nearly always the one proposed
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

// lowScreen is how high a screen has to be for dialogs to name each of several
// tasks in a line of its own.
const lowScreen = 20

// introOf names the tasks a dialog is about.
func introOf(m *model, cards []core.Card) [][]span {
	const most = 5
	lines := m.markedLines()
	if len(cards) == 1 {
		return append(lines, []span{data(cards[0].Title, strongText)})
	}
	if m.h < lowScreen {
		ids := make([]string, 0, most)
		for _, card := range cards[:min(len(cards), most)] {
			ids = append(ids, idOf(card))
		}
		text := strings.Join(ids, ", ")
		if more := len(cards) - most; more > 0 {
			text += fmt.Sprintf(" and %d more", more)
		}
		return append(lines, []span{{text, plainText}})
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

// claimDefault claims with the values the dialog would propose. A lease that is
// held already is renewed by its own length.
func (m *model) claimDefault() tea.Cmd {
	return m.ifMarksAreSeen("claim", func(m *model, cards []core.Card) tea.Cmd {
		return m.take("task_claim", m.takings(cards, core.DefaultAspect), 0, nil)
	})
}

// claim takes leases of a length in minutes; f is the form that asked for it.
func (m *model) claim(cards []core.Card, aspect string, minutes int, f *form) tea.Cmd {
	return m.takeFor("task_claim", m.takings(cards, aspect), minutes, f)
}

// taking is a lease to be taken, or to be renewed where it is held.
type taking struct {
	card   core.Card
	aspect string
	held   *core.Claim // by the agent; nil when it is not
}

// takings are the leases on one aspect of tasks.
func (m *model) takings(cards []core.Card, aspect string) []taking {
	list := make([]taking, len(cards))
	for i, card := range cards {
		list[i] = taking{card: card, aspect: aspect}
		for _, claim := range m.ownClaims(card) {
			if claim.Aspect == aspect && claim.Live(m.now()) {
				list[i].held = &claim
			}
		}
	}
	return list
}

// renewals are the agent's leases on tasks.
func (m *model) renewals(cards []core.Card) []taking {
	var list []taking
	for _, l := range m.ownLeases(cards) {
		list = append(list, taking{l.card, l.claim.Aspect, &l.claim})
	}
	return list
}

func (t taking) verb() string {
	if t.held != nil {
		return "renew"
	}
	return "claim"
}

// step takes the lease for a number of minutes from now.
func (t taking) step(agent string, minutes int) step {
	if t.held != nil {
		return stepOf("renew", core.TaskRenew, core.TaskRenewRequest{TaskID: t.card.ID, Aspect: t.aspect, Agent: agent, TTLMinutes: &minutes})
	}
	return stepOf("claim", core.TaskClaim, core.TaskClaimRequest{TaskID: t.card.ID, Aspect: t.aspect, Agent: agent, TTLMinutes: &minutes})
}

func (t taking) command(agent, verb string, minutes int) string {
	words := flags("--aspect", t.aspect)
	if minutes > 0 {
		words = append(words, flagOf("--ttl", strconv.Itoa(minutes))...)
	}
	return actLine(agent, []string{"task", verb, t.card.ShortID}, words...)
}

// minutesTo is how many whole minutes from now a lease has to last not to end
// before a moment.
func minutesTo(end, now core.Stamp) int {
	const minute = core.Stamp(time.Minute / time.Microsecond)
	return int((end - now + minute - 1) / minute)
}

// isSameMinute reports whether two moments are less than a minute apart.
func isSameMinute(a, b core.Stamp) bool {
	return max(a-b, b-a) < core.Stamp(time.Minute/time.Microsecond)
}

// length is how many minutes the lease that is held was taken or renewed for
// the last time, and never less than what is left of it. The journal knows: a
// renewal that gave the lease back an end it had had before, to the minute,
// does not count. Where it does not, the lease itself tells how long it is in
// all.
func (t taking) length(ctx context.Context, s *core.Service, now core.Stamp) (int, error) {
	const most = 50
	limit := most
	journal, err := s.Journal(ctx, core.JournalRequest{
		TaskID: &t.card.ID, Agent: &t.held.Agent, Limit: &limit, Types: []string{string(core.EventTaskClaimed), string(core.EventTaskRenewed)},
	})
	if err != nil {
		return 0, err
	}
	length := 0
	for _, e := range journal.Events {
		var p eventPayload
		if json.Unmarshal(e.Payload, &p) == nil && p.Aspect == t.aspect && e.Timestamp >= t.held.ClaimedAt && isSameMinute(p.ExpiresAt, t.held.ExpiresAt) {
			length = max(length, minutesTo(p.ExpiresAt, e.Timestamp))
		}
	}
	if length == 0 {
		length = minutesTo(t.held.ExpiresAt, t.held.ClaimedAt)
	}
	length = max(length, minutesTo(t.held.ExpiresAt, now))
	return max(min(length, core.LongestClaimMinutes), 1), nil
}

// takeFor takes leases of a length that a person has chosen. Those that would
// end earlier than they do now are asked about first.
func (m *model) takeFor(operation string, list []taking, minutes int, f *form) tea.Cmd {
	end := m.now() + core.Stamp(time.Duration(minutes)*time.Minute/time.Microsecond)
	var shorter []taking
	for _, t := range list {
		if t.held != nil && t.held.ExpiresAt > end {
			shorter = append(shorter, t)
		}
	}
	if len(shorter) == 0 {
		return m.take(operation, list, minutes, f)
	}
	f.busy = false
	m.shortenDialog(shorter, end, func(m *model) tea.Cmd {
		f.busy = true
		return m.take(operation, list, minutes, f)
	})
	return nil
}

// shortenDialog asks whether leases shall end earlier than they do.
func (m *model) shortenDialog(list []taking, end core.Stamp, goOn func(*model) tea.Cmd) {
	const most = 4
	f := &form{
		title: []span{{"End the lease earlier?", warnLook}}, width: 60, yesNo: true,
		buttons: []string{"Shorten", "Keep"},
	}
	for i, t := range list {
		if i == most {
			f.intro = append(f.intro, []span{{fmt.Sprintf("and %d more", len(list)-most), dimText}})
			break
		}
		f.intro = append(f.intro, []span{
			{idOf(t.card) + " ", strongText}, data(t.aspect, plainText),
			{" ends " + m.clockText(t.held.ExpiresAt) + ", and would end " + m.clockText(end) + ".", plainText},
		})
	}
	f.submit = func(m *model, _ int) tea.Cmd {
		m.dismiss(f)
		return goOn(m)
	}
	f.begin()
	f.focus = len(f.buttons) - 1 // a stray enter does no harm
	m.ask(f)
}

// take takes leases and renews those that are held, for a number of minutes or,
// when that is 0, new ones for what is proposed and held ones for their own
// length. f is the form that asked for it, if one did.
func (m *model) take(operation string, list []taking, minutes int, f *form) tea.Cmd {
	agent := m.options.Agent
	cards := cardsTaken(list)
	return m.act(operation, func(ctx context.Context, s *core.Service) (done, error) {
		began := m.now()
		var steps []step
		var lines []string
		fresh := false
		for _, t := range list {
			length := minutes
			switch {
			case t.held == nil && length == 0:
				length = m.claimMinutes()
			case length == 0:
				var err error
				if length, err = t.length(ctx, s, began); err != nil {
					return done{}, err
				}
			}
			fresh = fresh || t.held == nil
			steps, lines = append(steps, t.step(agent, length)), append(lines, t.command(agent, t.verb(), length))
		}
		results, err := perform(ctx, s, agent, steps)
		if err != nil {
			return done{}, err
		}
		ends := endsOf(results)
		until := "until " + m.clockText(ends[0])
		if last := ends[len(ends)-1]; m.clockText(last) != m.clockText(ends[0]) {
			until += " at the earliest"
		}
		what, text := "renewing "+subject(cards), "renewed "+subject(cards)+" "+until
		if fresh {
			what, text = "the claim of "+subject(cards), subject(cards)+" claimed by "+agent+" "+until
		}
		if minutesTo(ends[0], began) < minutes {
			text += ", the longest that is allowed"
		}
		if fresh {
			text += butBlocked(cards, m.now())
		}
		return done{
			text: text, command: inTurn(lines),
			undo:   &undoing{what: what, run: m.givingBack(list)},
			follow: cards[0].ID, then: closing(f),
		}, nil
	}, refusedClaim(f))
}

// cardsTaken are the tasks of leases, each once.
func cardsTaken(list []taking) []core.Card {
	var cards []core.Card
	for _, t := range list {
		if !hasCard(cards, t.card.ID) {
			cards = append(cards, t.card)
		}
	}
	return cards
}

// endsOf are the ends of the leases that steps have taken, the first first.
func endsOf(results []outcome) []core.Stamp {
	ends := make([]core.Stamp, len(results))
	for i, r := range results {
		ends[i] = max(r.ExpiresAt, r.RenewedTo)
	}
	slices.Sort(ends)
	return ends
}

// givingBack releases what was claimed, and gives leases that were renewed the
// end they had. That is kept to the minute, since leases are whole minutes
// long.
func (m *model) givingBack(list []taking) func(context.Context, *core.Service) (done, error) {
	agent := m.options.Agent
	cards := cardsTaken(list)
	return func(ctx context.Context, s *core.Service) (done, error) {
		var back []step
		var lines []string
		restores := false
		for _, t := range list {
			if t.held == nil {
				back = append(back, stepOf("release", core.TaskRelease, core.TaskReleaseRequest{TaskID: t.card.ID, Aspect: t.aspect, Agent: agent}))
				lines = append(lines, t.command(agent, "release", 0))
				continue
			}
			if t.held.ExpiresAt <= m.now() {
				return done{}, core.InvalidInput(core.ReasonInvalidValue, "", fmt.Sprintf(
					"It would have ended at %s already; %s gives it back.", m.clockText(t.held.ExpiresAt), m.keymap.shown("release", m.glyphs)))
			}
			minutes := minutesTo(t.held.ExpiresAt, m.now())
			back, lines = append(back, t.step(agent, minutes)), append(lines, t.command(agent, "renew", minutes))
			restores = true
		}
		results, err := perform(ctx, s, agent, back)
		if err != nil {
			return done{}, err
		}
		text := "released " + subject(cards) + " again"
		if restores {
			text = "the lease on " + subject(cards) + " ends as it did before"
			if len(list) == 1 {
				text = "the lease on " + subject(cards) + " ends " + m.clockText(results[0].RenewedTo) + " again"
			}
		}
		return done{text: text, command: inTurn(lines)}, nil
	}
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
	return m.ifMarksAreSeen("release", (*model).releaseAll)
}

func (m *model) releaseAll(cards []core.Card) tea.Cmd {
	agent := m.options.Agent
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

// renewDefault renews one's leases on the tasks at hand by their own length, so
// that none ends earlier than it would.
func (m *model) renewDefault() tea.Cmd {
	return m.ifMarksAreSeen("renew", func(m *model, cards []core.Card) tea.Cmd {
		return m.take("task_renew", m.renewals(cards), 0, nil)
	})
}

// renewDialog asks how long one's leases on the tasks at hand shall be. It
// proposes the longest length that they have.
func (m *model) renewDialog() tea.Cmd {
	cards := m.targets()
	list := m.renewals(cards)
	service := m.live.service
	return m.expect(func() func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(m.ctx, readLimit)
		defer cancel()
		proposed := 1
		for _, t := range list {
			n, err := t.length(ctx, service, m.now())
			if err != nil {
				return func(m *model) tea.Cmd { return m.notOpened(err) }
			}
			proposed = max(proposed, n)
		}
		return func(m *model) tea.Cmd { return m.askForLease(cards, list, proposed) }
	})
}

func (m *model) askForLease(cards []core.Card, list []taking, proposed int) tea.Cmd {
	length := newLeaseField(proposed)
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
		return m.takeFor("task_renew", list, minutes, f)
	}
	f.begin()
	m.ask(f)
	return nil
}
