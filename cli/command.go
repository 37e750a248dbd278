package cli

import (
	"slices"
	"strings"

	"dev.lithos/core"
)

// command is one word of the command line: a verb that runs, a noun that
// groups verbs, or both.
type command struct {
	name      string
	aliases   []string
	summary   string         // what it does, one line without a full stop
	details   string         // paragraphs for its help
	explained func() string  // makes details that have to be put together
	operation core.Operation // what it runs; nil when that is no operation
	arguments []argument
	flags     []flag
	examples  []string          // whole command lines
	group     func() []*command // makes the commands below it
	hidden    bool
	anyConfig bool              // works although the configuration cannot be read
	unbounded bool              // has no time limit unless one is given
	run       func(*call) error // nil when a subcommand is needed

	parent *command
	below  []*command // what group has made
}

// argument is a positional argument.
type argument struct {
	name      string // as usage writes it: ID, TITLE
	parameter string // the contract's name, which errors carry
	optional  bool
	many      bool // takes all that follow; only the last argument may
	completes candidates
}

// flag is an option of a command.
type flag struct {
	name      string
	short     string // one letter
	value     string // as usage writes it: ID, TIME; empty for a switch
	parameter string // the contract's name, when it is not that of the flag
	summary   string
	fallback  string // the default, for help
	many      bool   // may be given several times
	variable  string // environment variable with the same meaning
	words     []string
	completes candidates
}

// candidates names a source of completions.
type candidates int

// The sources of completions.
const (
	noCandidates candidates = iota
	taskIDs
	tagNames
	projectNames
	agentNames
	edgeTypeNames
	eventTypeNames
	errorCodes
	fileNames
	commandWords
)

// field is the name under which errors speak of the flag.
func (f flag) field() string {
	if f.parameter != "" {
		return f.parameter
	}
	return strings.ReplaceAll(f.name, "-", "_")
}

// isSwitch reports whether the flag is on or off and takes no value.
func (f flag) isSwitch() bool { return f.value == "" }

// commands are the commands below c. They are made when they are first asked
// for, since a call needs few of all that there are.
func (c *command) commands() []*command {
	if c.below == nil && c.group != nil {
		c.below = c.group()
		for _, sub := range c.below {
			sub.parent = c
		}
	}
	return c.below
}

// paragraphs are what its help says below the summary, "" for nothing.
func (c *command) paragraphs() string {
	if c.explained != nil {
		return c.explained()
	}
	return c.details
}

// words are the words that call the command, the program's name first.
func (c *command) words() []string {
	if c.parent == nil {
		return []string{c.name}
	}
	return append(c.parent.words(), c.name)
}

// path is the command as it is typed: lithos task ready.
func (c *command) path() string { return strings.Join(c.words(), " ") }

// find returns the subcommand of a name or alias, nil when there is none.
func (c *command) find(word string) *command {
	for _, sub := range c.commands() {
		if sub.name == word || slices.Contains(sub.aliases, word) {
			return sub
		}
	}
	return nil
}

// descend follows words down from c, nil when they name nothing.
func (c *command) descend(words ...string) *command {
	for _, word := range words {
		if c = c.find(word); c == nil {
			return nil
		}
	}
	return c
}

// flag returns the command's own flag of a name.
func (c *command) flag(name string) (flag, bool) {
	for _, f := range c.flags {
		if f.name == name {
			return f, true
		}
	}
	return flag{}, false
}

// names lists the subcommands that help shows.
func (c *command) names() []string {
	var names []string
	for _, sub := range c.commands() {
		if !sub.hidden {
			names = append(names, sub.name)
		}
	}
	return names
}

// walk visits c and everything below it, parents first.
func (c *command) walk(visit func(*command)) {
	visit(c)
	for _, sub := range c.commands() {
		sub.walk(visit)
	}
}

// usage is the line that shows how the command is written.
func (c *command) usage() string {
	line := c.path()
	if c.group != nil {
		word := "COMMAND"
		if c.run != nil {
			word = "[COMMAND]"
		}
		line += " " + word
	}
	for _, a := range c.arguments {
		name := a.name
		if a.many {
			name += "…"
		}
		if a.optional {
			name = "[" + name + "]"
		}
		line += " " + name
	}
	if len(c.flags) > 0 {
		line += " [flags]"
	}
	return line
}
