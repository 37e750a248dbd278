package cli

import (
	"slices"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// mostCandidates is how many candidates a completion offers.
const mostCandidates = 50

// completeName is the hidden command that completion scripts call.
const completeName = "__complete"

// completeCommand answers the candidates for the last of the words it is
// given, one a line, with a description after a tab. It never fails and never
// makes a store: where something is wrong there are no candidates.
func completeCommand() *command {
	return &command{
		name: completeName, summary: "answer completions", hidden: true, anyConfig: true,
		run: func(c *call) error { return nil }, // Main calls complete before reading the words
	}
}

// candidate is one completion.
type candidate struct{ value, description string }

// completion completes the last of some words.
type completion struct {
	env  *Env
	open func(args []string) (*call, error) // a call on the store the words name
	root *command
}

// complete returns the candidates for the last of the words.
func (m *completion) complete(words []string) []candidate {
	if len(words) == 0 {
		words = []string{""}
	}
	before, current := words[:len(words)-1], words[len(words)-1]
	if slices.Contains(before, "--") {
		return m.positional(before, current)
	}
	if name, value, ok := strings.Cut(current, "="); ok && strings.HasPrefix(name, "--") {
		var found []candidate
		if f, ok := m.flagNamed(before, name[2:]); ok && !f.isSwitch() {
			for _, c := range m.values(before, f.completes, f.words, value) {
				found = append(found, candidate{name + "=" + c.value, c.description})
			}
		}
		return found
	}
	if len(before) > 0 {
		last := before[len(before)-1]
		if f, ok := m.flagNamed(before[:len(before)-1], strings.TrimPrefix(last, "--")); ok && strings.HasPrefix(last, "--") && !f.isSwitch() {
			return m.values(before, f.completes, f.words, current)
		}
		if last == "-d" {
			return nil // the shell completes files
		}
	}
	if strings.HasPrefix(current, "-") {
		return m.flagNames(before, current)
	}
	return m.positional(before, current)
}

// reached is the command that the words lead to and how many positional
// arguments they hold.
func (m *completion) reached(words []string) (*command, int) {
	invocation, _ := readArguments(m.root, words) // faults of a half-typed line do not matter
	return invocation.command, len(invocation.arguments)
}

func (m *completion) flagNamed(before []string, name string) (flag, bool) {
	c, _ := m.reached(before)
	for _, f := range slices.Concat(c.flags, globalFlags) {
		if f.name == name {
			return f, true
		}
	}
	return flag{}, false
}

// flagNames completes the name of a flag; those of the command come first.
func (m *completion) flagNames(before []string, current string) []candidate {
	c, _ := m.reached(before)
	var found []candidate
	help := flag{name: "help", summary: "show the help of the command"}
	for _, f := range slices.Concat(c.flags, globalFlags, []flag{help}) {
		value := "--" + f.name
		used := slices.ContainsFunc(before, func(w string) bool { return w == value || strings.HasPrefix(w, value+"=") })
		if strings.HasPrefix(value, current) && (!used || f.many) {
			found = append(found, candidate{value, f.summary})
		}
	}
	return found
}

// positional completes a command word or an argument.
func (m *completion) positional(before []string, current string) []candidate {
	c, given := m.reached(before)
	var found []candidate
	if given == 0 && !slices.Contains(before, "--") {
		for _, sub := range c.commands() {
			if !sub.hidden && strings.HasPrefix(sub.name, current) {
				found = append(found, candidate{sub.name, sub.summary})
			}
		}
	}
	if len(c.arguments) == 0 {
		return found
	}
	at := min(given, len(c.arguments)-1)
	if given > at && !c.arguments[at].many {
		return found
	}
	source := c.arguments[at].completes
	switch {
	case source == commandWords:
		return m.commandWords(before, current)
	case c.name == "completion":
		return matching(asCandidates(shells), current)
	}
	return append(found, m.values(before, source, nil, current)...)
}

// commandWords completes the words after help.
func (m *completion) commandWords(before []string, current string) []candidate {
	invocation, _ := readArguments(m.root, before) // as above
	at := m.root.descend(invocation.arguments...)
	if at == nil {
		return nil
	}
	var found []candidate
	for _, sub := range at.commands() {
		if !sub.hidden && strings.HasPrefix(sub.name, current) {
			found = append(found, candidate{sub.name, sub.summary})
		}
	}
	return found
}

// values completes a value from a closed vocabulary or from the store.
func (m *completion) values(before []string, source candidates, vocabulary []string, current string) []candidate {
	if vocabulary != nil {
		return matching(asCandidates(vocabulary), current)
	}
	switch source {
	case errorCodes:
		return matching(asCandidates(explainable()), current)
	case edgeTypeNames:
		return matching(asCandidates(words(core.EdgeTypes)), current)
	case eventTypeNames:
		return matching(asCandidates(words(core.EventTypes)), current)
	case taskIDs, tagNames, projectNames, agentNames:
		c, err := m.open(before)
		if err != nil {
			return nil // no store, no candidates
		}
		return matching(c.fromStore(source, current), current)
	}
	return nil
}

// fromStore reads candidates from the store; none when it cannot be read.
func (c *call) fromStore(source candidates, current string) []candidate {
	var found []candidate
	// A lock that somebody holds now is seldom free in time, while a store that
	// is only slow is worth a moment more.
	c.session.timeout = lockTime
	err := lazyStore{c.session}.Read(c.ctx, func(core.ReadTx) error { return nil })
	if hasCode(err, core.CodeDatabaseBusy) {
		c.session.log.Debug("candidates were not waited for", "error", err)
		return nil
	}
	c.session.timeout = completionTime
	switch source {
	case taskIDs:
		found, err = c.idCandidates(current)
	case agentNames:
		found, err = c.agentCandidates()
	default:
		found, err = c.wordCandidates(source, current)
	}
	if err != nil {
		c.session.log.Debug("candidates could not be read", "error", err)
		return nil
	}
	return found
}

// idCandidates offers tasks by the begin of their ids, with their titles; the
// open ones, newest first, when nothing is typed yet.
func (c *call) idCandidates(current string) ([]candidate, error) {
	service := c.session.service()
	var cards []core.Card
	var err error
	if current == "" {
		open, limit := string(core.StatusOpen), mostCandidates
		cards, err = c.first(core.TaskListRequest{Status: &open, Limit: &limit}, limit, func(core.Task) bool { return true })
	} else {
		cards, err = service.CardsByPrefix(c.ctx, current, mostCandidates)
	}
	var found []candidate
	for _, card := range cards {
		id := card.ShortID
		if !strings.HasPrefix(id, current) {
			id = card.ID
		}
		found = append(found, candidate{id, card.Title})
	}
	return found, err
}

func (c *call) agentCandidates() ([]candidate, error) {
	agents, err := core.AgentList.Run(c.ctx, c.session.service(), core.AgentListRequest{})
	var found []candidate
	for _, a := range agents.Agents {
		found = append(found, candidate{value: a.ID})
	}
	return found, err
}

// wordCandidates offers tags or projects of the newest open tasks.
func (c *call) wordCandidates(source candidates, current string) ([]candidate, error) {
	open, limit := string(core.StatusOpen), mostScanned
	seen := map[string]bool{}
	var found []candidate
	request := core.TaskListRequest{Status: &open, Limit: &limit}
	_, err := c.session.service().EachTask(c.ctx, request, core.BriefRecords, func(t core.Task) error {
		values := []string{t.Project()}
		if source == tagNames {
			values = t.Tags.List()
		}
		for _, value := range values {
			if value != "" && !seen[value] && strings.HasPrefix(value, current) {
				seen[value] = true
				found = append(found, candidate{value: value})
			}
		}
		return nil
	})
	return found, err
}

// mostScanned bounds how many tasks are looked at for candidates, so that a
// key stroke is answered at once in a store of any size.
const mostScanned = 2_000

func asCandidates(list []string) []candidate {
	var found []candidate
	for _, word := range list {
		found = append(found, candidate{value: word})
	}
	return found
}

// matching keeps the candidates that continue the current word.
func matching(all []candidate, current string) []candidate {
	var found []candidate
	for _, c := range all {
		if strings.HasPrefix(c.value, current) && len(found) < mostCandidates {
			found = append(found, c)
		}
	}
	return found
}

// print writes candidates, one a line.
func (m *completion) print(found []candidate) {
	var b strings.Builder
	for _, c := range found {
		// A value that would not be what it shows cannot be offered.
		if display.Visible(c.value) != c.value {
			continue
		}
		b.WriteString(c.value)
		if c.description != "" {
			b.WriteString("\t" + display.Cut(display.Visible(c.description), 60))
		}
		b.WriteByte('\n')
	}
	if _, err := m.env.Stdout.Write([]byte(b.String())); err != nil {
		return // the shell has gone
	}
}
