package cli

import (
	"fmt"
	"slices"
	"strings"

	"dev.lithos/core"
)

// Manual is the man page, written from the tree of commands, the topics of
// explain and the registry of errors. The flag library's own generator knows
// neither arguments nor examples, because the commands are declared to it one
// call at a time.
func Manual() string {
	root := rootCommand()
	m := &manual{}
	m.WriteString(".\\\" Generated from the tree of commands (make docs).\n")
	m.WriteString(".TH LITHOS 1 \"\" \"lithos\" \"User Commands\"\n")
	m.WriteString(".nh\n.ad l\n") // words of the command line are not to be torn
	m.WriteString(".ss 12 0\n")   // no second blank between sentences
	m.section("NAME")
	m.text("lithos - " + root.summary)
	m.section("SYNOPSIS")
	m.call("lithos [global flags] COMMAND [SUBCOMMAND] [arguments and flags in any order]")
	m.section("DESCRIPTION")
	m.text(manualDescription)
	m.prose(root.paragraphs())
	m.text(manualValues)
	m.section("GLOBAL FLAGS")
	m.flags(globalFlags)
	m.flag("-h, --help", "the help of any command")
	m.section("COMMANDS")
	root.walk(func(c *command) {
		if c != root && !c.hidden {
			m.command(c)
		}
	})
	for _, topic := range topics {
		m.section("ABOUT " + strings.ToUpper(topic.Topic))
		m.prose(topic.Text)
	}
	m.exitStatus()
	m.section("ENVIRONMENT")
	for _, f := range globalFlags {
		if f.variable != "" {
			m.flag(f.variable, "the same as --"+f.name)
		}
	}
	m.flag("NO_COLOR, CLICOLOR_FORCE", "no colour, or colour also where output is no terminal; --color wins")
	m.flag("XDG_CONFIG_HOME, XDG_DATA_HOME, XDG_STATE_HOME", "folders of the user's configuration, store and crash reports")
	m.flag("VISUAL, EDITOR", "the editor in which notes are written, the first that is set")
	m.flag("TMPDIR", "folder of temporary files")
	m.section("FILES")
	m.flag(".lithos/lithos.db", "the store of a project, found from every folder below")
	m.flag(".lithos/config.toml", "the configuration of a project")
	m.flag("knowledge/", "the notes, in the data folder: that of .lithos, or $XDG_DATA_HOME/lithos")
	m.flag("$XDG_DATA_HOME/lithos/lithos.db", "the store where there is no other")
	m.flag("$XDG_CONFIG_HOME/lithos/config.toml", "the configuration of a user")
	return m.String()
}

const manualDescription = "lithos keeps a graph of tasks that people and agents work on together, in one SQLite file. " +
	"Tasks carry typed edges: one blocks another, waits on a gate, is a child of it, was discovered while working on it. " +
	"What is ready, what is blocked, and why, is computed at the moment it is asked for."

const manualValues = "Flags may stand before or after arguments; -- ends them. A list is a flag given several times. " +
	"A text or file of - reads standard input. Times are ISO 8601, or +90m, +2h, +3d from now."

// manual is a man page in the making.
type manual struct{ strings.Builder }

func (m *manual) section(title string) { fmt.Fprintf(m, ".SH %s\n", roff(title)) }

// text writes one paragraph.
func (m *manual) text(text string) { fmt.Fprintf(m, ".PP\n%s\n", roff(text)) }

// call writes how a command is written.
func (m *manual) call(line string) { fmt.Fprintf(m, ".PP\n\\fB%s\\fR\n", roff(line)) }

// prose writes paragraphs as help does: a blank line parts them, and lines
// that are indented keep their form.
func (m *manual) prose(text string) {
	for paragraph := range strings.SplitSeq(text, "\n\n") {
		if paragraph == "" {
			continue
		}
		m.WriteString(".PP\n")
		kept := false
		for line := range strings.SplitSeq(paragraph, "\n") {
			if indented := strings.HasPrefix(line, " "); indented != kept {
				kept = indented
				m.WriteString(map[bool]string{true: ".nf\n", false: ".fi\n"}[kept])
			}
			m.WriteString(roff(line) + "\n")
		}
		if kept {
			m.WriteString(".fi\n")
		}
	}
}

// flag writes a term with what it means.
func (m *manual) flag(term, meaning string) {
	fmt.Fprintf(m, ".TP\n\\fB%s\\fR\n%s\n", roff(strings.TrimSpace(term)), roff(meaning))
}

func (m *manual) flags(flags []flag) {
	for _, row := range flagRows(flags) {
		m.flag(row[0], row[1])
	}
}

// command writes what the help of a command says.
func (m *manual) command(c *command) {
	fmt.Fprintf(m, ".SS %s\n", roff(strings.Join(c.words()[1:], " ")))
	m.text(c.summary)
	m.call(c.usage())
	m.prose(c.paragraphs())
	m.flags(c.flags)
	if len(c.examples) > 0 {
		m.text("Examples:")
		m.WriteString(".PP\n.nf\n")
		for _, example := range c.examples {
			m.WriteString("  " + roff(example) + "\n")
		}
		m.WriteString(".fi\n")
	}
}

// exitStatus writes the exit statuses with the codes that lead to them.
func (m *manual) exitStatus() {
	m.section("EXIT STATUS")
	m.flag("0", "done; also an empty list")
	var order []core.CodeInfo // the first code of each status
	codes := map[int][]string{}
	for _, info := range core.Registry {
		if codes[info.Exit()] == nil {
			order = append(order, info)
		}
		codes[info.Exit()] = append(codes[info.Exit()], string(info.Code))
	}
	for _, first := range order {
		m.flag(fmt.Sprint(first.Exit()), fmt.Sprintf("%s: %s", first.Category, strings.Join(slices.Compact(codes[first.Exit()]), ", ")))
	}
	m.flag("74", "standard output cannot be written; the operation itself had succeeded")
	m.flag("128 + n", "ended by signal n")
	m.text("'lithos explain CODE' tells what a code means and what to do.")
}

// roff is a line with what has a meaning of its own in a man page made plain.
func roff(line string) string {
	var b strings.Builder
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		b.WriteString(`\&`)
	}
	for _, r := range line {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}
