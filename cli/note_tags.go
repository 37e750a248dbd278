package cli

import (
	"fmt"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func noteTags() *command {
	return &command{
		name: "tags", operation: core.NoteTags,
		summary:  "count the notes of each tag",
		flags:    []flag{{name: "prefix", value: "TEXT", summary: "only tags that begin so"}},
		examples: []string{"lithos note tags", "lithos note tags --prefix d"},
		run: func(c *call) error {
			result, err := run(c, core.NoteTags, core.NoteTagsRequest{Prefix: c.word("prefix")})
			if err != nil {
				return err
			}
			return c.show(result, func(p *page) {
				if prefix := wordOr(c.word("prefix"), ""); p.terminal && len(result.Tags) == 0 && prefix != "" {
					p.line("No tag begins with '%s'.", display.Visible(core.Clip(prefix)))
				} else if p.terminal && len(result.Tags) == 0 {
					p.line("There are no tags.")
				}
				list := &table{columns: []column{{title: "TAG", gives: 20, keep: true}, {title: "NOTES", right: true, keep: true}}}
				for _, tag := range result.Tags {
					if !p.terminal {
						p.fields(tag.Tag, fmt.Sprint(tag.Notes))
						continue
					}
					list.add(cell{text: display.Visible(tag.Tag)}, cell{text: fmt.Sprint(tag.Notes)})
				}
				if p.terminal && len(result.Tags) > 0 {
					list.write(p)
				}
			})
		},
	}
}
