package cli

import (
	"maps"
	"slices"
	"strings"

	"dev.lithos/core/display"
)

// configEntry is one value of the configuration with where it came from.
type configEntry struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin origin `json:"origin"`
}

// configResult lists the whole configuration.
type configResult struct {
	Config []configEntry `json:"config"`
	Files  []string      `json:"files"` // read in this order, the later winning
}

func configCommand() *command {
	return &command{
		name: "config", summary: "show every setting, its value and where it came from",
		explained: configDetails,
		examples:  []string{"lithos config", "lithos config --jq '.files[]'"},
		anyConfig: true,
		run: func(c *call) error {
			result := configResult{Config: c.session.config.entries(), Files: configPaths(c.env, c.session.place)}
			return c.show(result, func(p *page) {
				list := &table{columns: []column{
					{title: "KEY", keep: true}, {title: "VALUE", gives: 12, keep: true}, {title: "FROM", gives: 12, keep: true},
				}}
				for _, e := range result.Config {
					list.add(cell{text: display.Visible(e.Key), look: bold}, cell{text: display.Visible(e.Value)}, cell{text: display.Visible(string(e.Origin)), look: faint})
				}
				list.write(p)
			})
		},
	}
}

// entries lists the configuration in the order of the keys.
func (c config) entries() []configEntry {
	var entries []configEntry
	for _, k := range configKeys {
		switch {
		case k.name == "keys":
			for _, action := range slices.Sorted(maps.Keys(c.keys)) {
				entries = append(entries, configEntry{"keys." + action, strings.Join(c.keys[action], " "), c.freeOrigins["keys."+action]})
			}
		case k.name == "filters":
			for _, name := range slices.Sorted(maps.Keys(c.filters)) {
				entries = append(entries, configEntry{"filters." + name, c.filters[name], c.freeOrigins["filters."+name]})
			}
		default:
			entries = append(entries, configEntry{k.name, c.text(k.name), c.values[k.name].origin})
		}
	}
	return entries
}

// configDetails describes files and keys for help.
func configDetails() string {
	var b strings.Builder
	b.WriteString("Files: $XDG_CONFIG_HOME/lithos/config.toml, then config.toml beside a store in .lithos/, which\n")
	b.WriteString("wins. Environment and flags win over both. An unknown key is an error.\n\nKeys:\n")
	width := 0
	for _, k := range configKeys {
		width = max(width, len(k.name))
	}
	for _, k := range configKeys {
		b.WriteString("  " + display.Pad(k.name, width) + "  " + k.summary)
		if k.fallback != "" {
			b.WriteString(" (" + k.fallback + ")")
		}
		b.WriteString("\n")
	}
	return strings.TrimSuffix(b.String(), "\n")
}
