package tui

import (
	"fmt"

	tea "github.com/charmbracelet/bubbletea"
)

// sectionActions are the ids of the actions that show a section.
var sectionActions = [pageSections]string{"page.why", "page.text", "page.tree", "page.claims", "page.log"}

// pageActions are the actions of the page.
func pageActions() []action {
	var list []action
	onPage := func(run func(*page)) func(*model) tea.Cmd {
		return func(m *model) tea.Cmd {
			if p, ok := m.screen().(*page); ok {
				run(p)
			}
			return nil
		}
	}
	for s := range pageSections {
		a := action{
			id: sectionActions[s], keys: []string{fmt.Sprint(int(s) + 1)}, scopes: []scope{scopePage}, group: groupMove, title: sectionNames[s],
			run: onPage(func(p *page) { p.goTo(s) }),
		}
		if s == pageWhy {
			a.both = "Go to section"
		} else {
			a.joins = sectionActions[pageWhy]
		}
		list = append(list, a)
	}
	turn := func(by int) func(*page) {
		return func(p *page) { p.goTo((p.section + pageSection(by) + pageSections) % pageSections) }
	}
	return append(list,
		action{id: "page.next", keys: []string{"tab"}, scopes: []scope{scopePage}, group: groupMove, title: "Next section", both: "Next, previous", run: onPage(turn(1))},
		action{id: "page.prev", keys: []string{"shift+tab"}, scopes: []scope{scopePage}, group: groupMove, title: "Previous section", joins: "page.next", run: onPage(turn(-1))},
		action{id: "chain.unfold", keys: []string{"l", "right"}, scopes: []scope{scopePage}, group: groupMove, title: "Unfold a blocker", both: "Unfold, fold",
			run: onPage(func(p *page) { p.fold(true) })},
		action{id: "chain.fold", keys: []string{"h", "left"}, scopes: []scope{scopePage}, group: groupMove, title: "Fold a blocker", joins: "chain.unfold",
			run: onPage(func(p *page) { p.fold(false) })},
	)
}
