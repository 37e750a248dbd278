package cli

import (
	"slices"
	"strings"
)

// HelpPage is the help of one command, for tests that look from outside.
type HelpPage struct {
	Path         string // lithos task ready
	Summary      string
	Text         string
	Examples     []string
	Undocumented []string // flags without a summary
	Flags        []string // names of its own and of the global flags
	Fields       []string // parameters that its arguments and flags give
	Runs         bool     // works without a subcommand
	Operation    string   // the operation it runs, empty for none
}

// HelpPages returns the help of every command that is shown.
func HelpPages() []HelpPage {
	var pages []HelpPage
	rootCommand().walk(func(c *command) {
		if c.hidden {
			return
		}
		page := HelpPage{Path: c.path(), Summary: c.summary, Text: fitted(helpText(c), pipedHelpWidth), Examples: c.examples}
		page.Runs = c.run != nil
		if c.operation != nil {
			page.Operation = c.operation.Name()
		}
		for _, a := range c.arguments {
			page.Fields = append(page.Fields, a.parameter)
		}
		for _, f := range c.flags {
			if f.summary == "" {
				page.Undocumented = append(page.Undocumented, f.name)
			}
			page.Fields = append(page.Fields, f.field())
		}
		for _, f := range slices.Concat(c.flags, globalFlags) {
			page.Flags = append(page.Flags, f.name)
		}
		pages = append(pages, page)
	})
	return pages
}

// Name is the path as a file name.
func (p HelpPage) Name() string { return strings.ReplaceAll(p.Path, " ", "_") }
