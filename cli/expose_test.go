package cli

import "strings"

// HelpPage is the help of one command, for tests that look from outside.
type HelpPage struct {
	Path         string // lithos task ready
	Summary      string
	Text         string
	Examples     []string
	Undocumented []string // flags without a summary
}

// HelpPages returns the help of every command that is shown.
func HelpPages() []HelpPage {
	var pages []HelpPage
	rootCommand().walk(func(c *command) {
		if c.hidden {
			return
		}
		page := HelpPage{Path: c.path(), Summary: c.summary, Text: helpText(c), Examples: c.examples}
		for _, f := range c.flags {
			if f.summary == "" {
				page.Undocumented = append(page.Undocumented, f.name)
			}
		}
		pages = append(pages, page)
	})
	return pages
}

// Name is the path as a file name.
func (p HelpPage) Name() string { return strings.ReplaceAll(p.Path, " ", "_") }
