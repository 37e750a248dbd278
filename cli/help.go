package cli

import (
	"fmt"
	"strings"

	"dev.lithos/core/display"
)

// helpResult is a help as a document.
type helpResult struct {
	Command string `json:"command"`
	Help    string `json:"help"`
}

// showHelp prints the help of a command.
func (c *call) showHelp(of *command) error {
	if c.out.json {
		return c.out.document(helpResult{of.path(), helpText(of)})
	}
	width := pipedHelpWidth
	if c.env.StdoutIsTerminal {
		width = c.env.width()
	}
	return c.out.text([]byte(fitted(helpText(of), width)))
}

// pipedHelpWidth is how wide help is that goes to a pager: nobody can tell how
// wide the terminal behind it is.
const pipedHelpWidth = 80

// fitted breaks a help to the width of a terminal. What fits stays as it is,
// and so do examples, which are there to be copied.
func fitted(text string, width int) string {
	var sections []string
	for section := range strings.SplitSeq(text, "\n\n") {
		if !strings.HasPrefix(section, "Examples:") && display.Width(widestLine(section)) > width {
			section = display.Prose(section, width)
		}
		sections = append(sections, section)
	}
	return strings.Join(sections, "\n\n")
}

func widestLine(text string) string {
	widest := ""
	for line := range strings.SplitSeq(text, "\n") {
		if display.Width(line) > display.Width(widest) {
			widest = line
		}
	}
	return widest
}

// helpText is the help of a command: what it does, how it is written, its
// flags with their defaults, and examples that work as printed.
func helpText(c *command) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s\n\nUsage: %s\n", c.path(), c.summary, c.usage())
	if text := c.paragraphs(); text != "" {
		fmt.Fprintf(&b, "\n%s\n", text)
	}
	if len(c.names()) > 0 {
		b.WriteString("\nCommands:\n")
		rows := [][2]string{}
		for _, sub := range c.commands() {
			if !sub.hidden {
				rows = append(rows, [2]string{sub.name, sub.summary})
			}
		}
		writeRows(&b, rows)
	}
	if len(c.flags) > 0 {
		b.WriteString("\nFlags:\n")
		writeRows(&b, flagRows(c.flags))
	}
	if c.parent == nil {
		b.WriteString("\nFlags of every command:\n")
		writeRows(&b, flagRows(globalFlags))
	}
	if len(c.examples) > 0 {
		b.WriteString("\nExamples:\n")
		for _, example := range c.examples {
			fmt.Fprintf(&b, "  %s\n", example)
		}
	}
	if c.parent != nil {
		fmt.Fprintf(&b, "\nFlags of every command, such as --json: %s --help\n", rootOf(c).name)
	}
	return b.String()
}

// flagRows describes flags, one a row.
func flagRows(flags []flag) [][2]string {
	rows := [][2]string{}
	for _, f := range flags {
		left := "    --" + f.name
		if f.short != "" {
			left = "-" + f.short + ", --" + f.name
		}
		if !f.isSwitch() {
			left += " " + f.value
		}
		right := f.summary
		var notes []string
		if f.fallback != "" {
			notes = append(notes, "default "+f.fallback)
		}
		if f.variable != "" {
			notes = append(notes, "$"+f.variable)
		}
		if notes != nil {
			right += " (" + strings.Join(notes, ", ") + ")"
		}
		rows = append(rows, [2]string{left, right})
	}
	return rows
}

func writeRows(b *strings.Builder, rows [][2]string) {
	width := 0
	for _, row := range rows {
		width = max(width, display.Width(row[0]))
	}
	for _, row := range rows {
		fmt.Fprintf(b, "  %s  %s\n", display.Pad(row[0], width), row[1])
	}
}

// helpCommand is `lithos help [COMMAND…]`.
func helpCommand() *command {
	return &command{
		name: "help", summary: "show the help of a command",
		arguments: []argument{{name: "COMMAND", parameter: commandField, optional: true, many: true, completes: commandWords}},
		examples:  []string{"lithos help task ready"},
		anyConfig: true,
		run: func(c *call) error {
			at := rootOf(c.invocation.command)
			for _, word := range c.arguments() {
				next := at.find(word)
				if next == nil {
					return unknownCommand(at, word)
				}
				at = next
			}
			return c.showHelp(at)
		},
	}
}
