package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

// Version is the released version; the build sets it.
var Version = "dev"

// versionResult identifies the program.
type versionResult struct {
	Version  string `json:"version"`
	Revision string `json:"revision"` // of the source, empty when unknown
	Go       string `json:"go"`
	SQLite   string `json:"sqlite"`
	Schema   int    `json:"schema"`
}

// versionName is the name of the command, and of the flag that stands for it.
const versionName = "version"

func versionCommand() *command {
	return &command{
		name: versionName, summary: "tell which lithos this is",
		examples:  []string{"lithos version", "lithos --version", "lithos version --json"},
		anyConfig: true,
		run: func(c *call) error {
			result := versionResult{
				Version: Version, Revision: revision(), Go: strings.TrimPrefix(runtime.Version(), "go"),
				SQLite: c.env.EngineVersion, Schema: c.env.Schema,
			}
			return c.show(result, func(p *page) {
				line := "lithos " + result.Version
				if result.Revision != "" {
					line += " (" + result.Revision + ")"
				}
				p.line("%s", line)
				p.line("go %s, sqlite %s, schema %d", result.Go, result.SQLite, result.Schema)
			})
		},
	}
}

// revision is the commit the program was built from, as far as the build
// recorded it.
func revision() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	var commit, changed string
	for _, s := range info.Settings {
		switch {
		case s.Key == "vcs.revision":
			commit = s.Value[:min(len(s.Value), 12)]
		case s.Key == "vcs.modified" && s.Value == "true":
			changed = "+changes"
		}
	}
	return fmt.Sprint(commit, changed)
}
