package cli

import (
	"dev.lithos/core"
	"dev.lithos/core/display"
)

func noteCacheLookup() *command {
	return &command{
		name: "cache-lookup", operation: core.CacheLookup,
		summary: "find a fresh, trusted note before looking something up anew",
		details: "The note of --source-url decides, if there is one; else the best hits of the query are looked at.\n" +
			"A note that has expired, or that is older than --max-age-hours, is named but not shown.",
		arguments: []argument{queryArgument},
		flags: []flag{
			{name: "source-url", value: "URL", summary: "where the answer would be looked up"},
			{name: "max-age-hours", value: "HOURS", summary: "not changed longer ago than this"},
			{name: "min-confidence", value: "SHARE", summary: "at least so trusted, 0 to 1", fallback: "0.5"},
			{name: "limit", value: "N", summary: "look at so many hits", fallback: "3"},
			{name: "tag", value: "TAG", parameter: "tags", many: true, summary: "only with this tag; repeat for all of several"},
		},
		examples: []string{
			"lithos note cache-lookup sqlite busy --max-age-hours 24",
			"lithos note cache-lookup busy --source-url https://example.org/busy",
		},
		run: func(c *call) error {
			result, err := run(c, core.CacheLookup, core.CacheLookupRequest{
				Query: c.query(), SourceURL: c.word("source-url"), MaxAgeHours: c.real("max-age-hours"),
				MinConfidence: c.real("min-confidence"), Limit: c.integer("limit"), Tags: c.list("tag"),
			})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) { p.cached(result) })
		},
	}
}

// cached writes the answer of a lookup.
func (p *page) cached(r core.CacheLookupResult) {
	switch {
	case !p.terminal && r.Hit:
		p.fields("hit", r.Document.ID, r.Document.Title)
		p.WriteString(display.VisibleLines(r.Document.Content) + "\n")
	case !p.terminal && r.StaleExists:
		p.fields("stale", *r.StaleID)
	case !p.terminal:
		p.fields("miss")
	case r.Hit:
		p.line("%s", p.cut(p.noteName(p.noteCards([]string{r.Document.ID})[r.Document.ID]), 0))
		p.line("  %s", p.look(faint, "changed "+display.Ago(r.Document.UpdatedAt, p.now)))
		p.line("")
		p.markdown(2, r.Document.Content)
	case r.StaleExists:
		p.line("Nothing fresh is known. Out of date: %s", p.cut(p.noteName(p.noteCards([]string{*r.StaleID})[*r.StaleID]), 37))
	default:
		p.line("Nothing is known.")
	}
}
