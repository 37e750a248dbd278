package tui

import (
	"slices"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
)

// action is something that a key, the palette, the footer or a click sets
// off.
type action struct {
	id     string
	keys   []string // default keys
	scopes []scope
	group  group
	title  string // for palette, help and documentation
	verb   string // what "Cannot" stands before; empty: the title
	both   string // the title in the help for this and those that join it
	joins  string // the action in whose row of the help it stands
	hint   string // for the footer, short; empty: not there
	// marked is for the footer while tasks are marked; empty: the hint, where
	// the action is possible for several.
	marked string
	foot   int    // where there is not room for all hints, those with high numbers go first
	op     string // the operation of the contract that it stands for
	// possible says why the action cannot be done now; "" when it can.
	possible func(*model) string
	run      func(*model) tea.Cmd
}

// group is a heading of the help.
type group int

// The groups, in the order of the help.
const (
	groupMove group = iota
	groupDo
	groupSee
	groupApp
	groupCount
)

var groupNames = [groupCount]string{"Move", "Do", "See", "App"}

func (g group) String() string { return groupNames[g] }

// actionNamed finds an action by its id.
func actionNamed(id string) *action {
	all := actions()
	for i := range all {
		if all[i].id == id {
			return &all[i]
		}
	}
	return nil
}

func actionIDs() []string {
	all := actions()
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].id
	}
	return ids
}

// scopes are those active now, innermost first.
func (m *model) scopes() []scope { return scopesOf(m.screen().place()) }

func scopesOf(place string) []scope {
	for _, p := range places {
		if p.name == place {
			return p.scopes
		}
	}
	return []scope{scopeApp}
}

// isActive reports whether an action belongs to one of the scopes.
func (a *action) isActive(scopes []scope) bool {
	return slices.ContainsFunc(a.scopes, func(s scope) bool { return slices.Contains(scopes, s) })
}

// refusal says why an action cannot be done now; "" when it can.
func (a *action) refusal(m *model) string {
	if a.possible == nil {
		return ""
	}
	return a.possible(m)
}

// run does an action, or says why it cannot.
func (m *model) run(a *action) tea.Cmd {
	if why := a.refusal(m); why != "" {
		m.ahead.drop()
		return m.note("Cannot " + a.said() + ": " + why + ".")
	}
	return a.run(m)
}

// said is the action as part of a sentence.
func (a *action) said() string {
	if a.verb != "" {
		return a.verb
	}
	return lowerFirst(a.plainTitle())
}

// plainTitle is the title without the dots that announce a dialog.
func (a *action) plainTitle() string {
	title := []rune(a.title)
	if n := len(title); n > 0 && title[n-1] == '…' {
		title = title[:n-1]
	}
	return string(title)
}

func lowerFirst(s string) string {
	if s == "" || s[0] < 'A' || s[0] > 'Z' {
		return s
	}
	return string(s[0]|0x20) + s[1:]
}

func upperFirst(s string) string {
	if s == "" || s[0] < 'a' || s[0] > 'z' {
		return s
	}
	return string(s[0]&^0x20) + s[1:]
}

// all joins conditions: the first that fails says why.
func all(conditions ...func(*model) string) func(*model) string {
	return func(m *model) string {
		for _, c := range conditions {
			if why := c(m); why != "" {
				return why
			}
		}
		return ""
	}
}

// targets are the tasks that actions are about: the marked ones or, when none
// is marked here, the one under the cursor.
func (m *model) targets() []core.Card {
	if m.about != nil {
		return m.about
	}
	if m.marked() > 0 {
		cards := make([]core.Card, 0, len(m.marks))
		for _, id := range sortedKeys(m.marks) {
			cards = append(cards, m.marks[id])
		}
		return cards
	}
	if card, ok := m.screen().selected(); ok {
		return []core.Card{card}
	}
	return nil
}

// marked is how many tasks are marked. Marks count only where they are shown:
// nothing is done to a task that is marked on another screen.
func (m *model) marked() int {
	switch m.screen().(type) {
	case *board, *tree:
		return len(m.marks)
	}
	return 0
}

func needsStore(m *model) string {
	if m.live.service == nil && !m.live.missing {
		return "the store is not open"
	}
	return ""
}

// needsWriting refuses where nothing can be changed.
func needsWriting(m *model) string { return m.writable() }

// needsTask refuses where no task is at hand.
func needsTask(m *model) string {
	if len(m.targets()) == 0 {
		return "there is no task under the cursor"
	}
	return ""
}

// needsOne refuses where several tasks are marked.
func needsOne(m *model) string {
	if why := needsTask(m); why != "" {
		return why
	}
	if m.marked() > 1 {
		return "it is about one task, and several are marked"
	}
	return ""
}

// needsOpen refuses where a task is closed.
func needsOpen(m *model) string {
	for _, card := range m.targets() {
		if card.Status != core.StatusOpen {
			return idOf(card) + " is " + string(card.Status)
		}
	}
	return ""
}

// needsClosed refuses where a task is open.
func needsClosed(m *model) string {
	for _, card := range m.targets() {
		if card.Status == core.StatusOpen {
			return idOf(card) + " is open"
		}
	}
	return ""
}

// needsOwnClaim refuses where one holds no lease on a task.
func needsOwnClaim(m *model) string {
	for _, card := range m.targets() {
		if len(m.ownClaims(card)) == 0 {
			if len(card.Claims) > 0 {
				return "the claim on " + idOf(card) + " is not yours but " + card.Claims[0].Agent + "'s"
			}
			return idOf(card) + " is not claimed"
		}
	}
	return ""
}

// ownClaims are the agent's leases on a task.
func (m *model) ownClaims(card core.Card) []core.Claim {
	var own []core.Claim
	for _, claim := range card.Claims {
		if claim.Agent == m.options.Agent {
			own = append(own, claim)
		}
	}
	return own
}
