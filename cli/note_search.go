package cli

import (
	"strconv"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
	"dev.lithos/core/search"
)

var queryArgument = argument{name: "QUERY", parameter: "query", many: true}

// query is the query of a command, written as one argument or as several.
func (c *call) query() string { return strings.Join(c.arguments(), " ") }

func noteSearch() *command {
	return &command{
		name: "search", operation: core.NoteSearch,
		summary: "search notes by words and along their links",
		details: "Any of the words finds a note, more of them find it sooner; case and accents do not matter, and \"…\" is a phrase.\n" +
			"Text in languages without spaces is found by any part of it.\n" +
			"Notes that links join to what was found are found as well; --mode fulltext leaves them out.",
		arguments: []argument{queryArgument},
		flags: []flag{
			{name: "limit", value: "N", summary: "at most so many notes", fallback: "10"},
			{name: "mode", value: "MODE", words: words(core.SearchModes), summary: "fulltext, graph or hybrid", fallback: string(core.SearchHybrid)},
			{name: "tag", value: "TAG", parameter: "tags", many: true, summary: "only with this tag; repeat for all of several"},
			{name: "author", value: "AGENT", completes: agentNames, summary: "only by this author"},
			{name: "path-prefix", value: "TEXT", summary: "only where the path begins so"},
			{name: "seed", value: "ID", parameter: "seed_ids", many: true, summary: "the note at which links are followed; repeat for more"},
			{name: "depth", value: "N", parameter: "graph_depth", summary: "follow so many links, 1 to 3", fallback: "2"},
			{name: "entity", value: "NAME", parameter: "entities", many: true, summary: "only with this entity; repeat for all of several"},
		},
		examples: []string{
			"lithos note search busy timeout",
			`lithos note search '"write lock"' --tag db --mode fulltext`,
		},
		run: func(c *call) error {
			result, err := run(c, core.NoteSearch, core.SearchRequest{
				Query: c.query(), Limit: c.integer("limit"), Mode: c.word("mode"), Tags: c.list("tag"), Author: c.word("author"),
				PathPrefix: c.word("path-prefix"), SeedIDs: c.list("seed"), GraphDepth: c.integer("depth"),
				Entities: c.list("entity"), AgentID: c.reader(),
			})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) {
				if p.terminal && len(result.Results) == 0 {
					p.line("Nothing was found.")
					p.alike(c.query())
				}
				cards, finder := p.foundCards(result.Results), search.NewFinder(search.Parse(c.query()))
				for _, found := range result.Results {
					how := ""
					if len(finder.Found(found.Title))+len(finder.Found(found.Snippet)) == 0 {
						how = "linked"
					}
					p.found(found, cards[found.ID], how)
				}
			})
		},
	}
}

// foundCards are the cards of what was found; a pipe needs none.
func (p *page) foundCards(found []core.FoundNote) map[string]core.NoteCard {
	if !p.terminal {
		return nil
	}
	ids := make([]string, len(found))
	for i, f := range found {
		ids[i] = f.ID
	}
	return p.noteCards(ids)
}

// maxAlike is how many notes are proposed where none was found.
const maxAlike = 5

// alike proposes notes that hold the words of a query when the last of them
// need only begin so.
func (p *page) alike(query string) {
	window, err := p.call.session.service().NoteWindow(p.call.ctx, core.NoteWindowRequest{Text: query, Limit: maxAlike})
	if err != nil {
		p.fail(err)
		return
	}
	if len(window.Rows) > 0 {
		p.line("With words that begin so:")
	}
	for _, row := range window.Rows {
		p.line("  %s", p.cut(p.noteName(row.NoteCard), 2))
	}
}

// found writes a note that was found: one line of fields, or on a terminal its
// name, its excerpt, where it lies, and how it was found unless by its words.
func (p *page) found(f core.FoundNote, card core.NoteCard, how string) {
	excerpt := strings.Join(strings.Fields(f.Snippet), " ")
	if !p.terminal {
		p.fields(f.ID, f.Title, f.Path, strconv.FormatFloat(float64(f.Score), 'f', -1, 64), excerpt)
		return
	}
	p.line("%s", p.cut(p.noteName(card), 0))
	if excerpt != "" {
		p.paragraph(2, excerpt)
	}
	where := display.Visible(f.Path) + p.sign(" · ", " - ") + display.Age(f.UpdatedAt, p.now)
	if f.IsStale {
		where += p.sign(" · ", " - ") + "stale"
	}
	if how != "" {
		where += p.sign(" · ", " - ") + how
	}
	p.line("  %s", p.look(faint, p.cut(where, 2)))
}
