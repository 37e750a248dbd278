package cli

import (
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func noteList() *command {
	return &command{
		name: "list", operation: core.NoteList,
		summary: "list notes by path, tags, author, time, title, text or metadata",
		flags: []flag{
			{name: "path-prefix", value: "TEXT", summary: "only where the path begins so"},
			{name: "tag", value: "TAG", parameter: "tags", many: true, summary: "only with this tag; repeat for all of several"},
			{name: "author", value: "NAME", completes: agentNames, summary: "only by this author"},
			{name: "since", value: "TIME", summary: "changed at or after this time"},
			{name: "title", value: "TEXT", parameter: "title_contains", summary: "only where the title holds it"},
			{name: "text", value: "QUERY", parameter: "content_query", summary: "only what a search for these words finds, best first"},
			matchFilter,
			{name: "entity", value: "NAME", parameter: "entities", many: true, summary: "only with this entity; repeat for all of several"},
			pageLimitFlag, offsetFlag,
		},
		examples: []string{
			"lithos note list --path-prefix storage/",
			"lithos note list --tag db --since 2026-03-01",
			"lithos note list --limit 0 --jq .total",
		},
		run: func(c *call) error {
			request := core.NoteListRequest{
				PathPrefix: c.word("path-prefix"), Tags: c.list("tag"), Author: c.word("author"), Since: c.moment("since"),
				TitleContains: c.word("title"), ContentQuery: c.word("text"), MetadataMatch: c.match(), Entities: c.list("entity"),
				Limit: c.integer("limit"), Offset: c.integer("offset"),
			}
			result, err := run(c, core.NoteList, request)
			if err != nil {
				return err
			}
			if err := c.show(result, func(p *page) { p.noteTable(result) }); err != nil || c.out.json {
				return err
			}
			shown, skipped := len(result.Items), 0
			if request.Offset != nil {
				skipped = *request.Offset
			}
			c.more(shown > 0 && int64(skipped+shown) < result.Total-result.Unreadable, &shown, &skipped)
			if result.Unreadable > 0 && !c.globals.quiet {
				c.say("%s cannot be read: 'lithos note reindex' says why.", counted(int(result.Unreadable), "file"))
			}
			return nil
		},
	}
}

// noteTable writes notes as a table.
func (p *page) noteTable(result core.NoteListResult) {
	if !p.terminal {
		for _, item := range result.Items {
			p.fields(item.ID, item.Title, item.Path, item.Updated.String(), strings.Join(item.Tags.List(), ","))
		}
		return
	}
	if len(result.Items) == 0 {
		p.line("%s", counted(int(result.Total-result.Unreadable), "note")+".")
		return
	}
	ids := make([]string, len(result.Items))
	for i, item := range result.Items {
		ids[i] = item.ID
	}
	cards := p.noteCards(ids)
	list := &table{columns: []column{
		{title: "ID", keep: true}, {title: "TITLE", gives: 20, keep: true}, {title: "PATH", gives: 12, drops: 2},
		{title: "TAGS", gives: 8, drops: 1}, {title: "CHANGED", right: true, keep: true, drops: 3},
	}}
	for _, item := range result.Items {
		list.add(
			cell{text: p.noteID(cards[item.ID]), look: bold},
			cell{text: display.Visible(item.Title)},
			cell{text: display.Visible(item.Path), look: faint},
			cell{text: display.Visible(strings.Join(item.Tags.List(), ", ")), look: faint},
			cell{text: display.Age(item.Updated, p.now), look: faint},
		)
	}
	list.write(p)
}
