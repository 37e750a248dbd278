package cli

import (
	_ "embed"
	"slices"

	"dev.lithos/core"
)

// The completion scripts. They hand the words of the line to the hidden
// command __complete and offer what it prints.
var (
	//go:embed completion/lithos.bash
	bashCompletion string
	//go:embed completion/lithos.zsh
	zshCompletion string
	//go:embed completion/lithos.fish
	fishCompletion string
)

// shells lists the shells that a script exists for.
var shells = []string{"bash", "zsh", "fish"}

// completionResult is a completion script as a document.
type completionResult struct {
	Shell  string `json:"shell"`
	Script string `json:"script"`
}

func completionCommand() *command {
	return &command{
		name: "completion", summary: "print the completion script of a shell",
		details: "Commands, flags, ids with their titles, tags, projects and agents are completed.\n" +
			"  bash   eval \"$(lithos completion bash)\"      in ~/.bashrc\n" +
			"  zsh    eval \"$(lithos completion zsh)\"       in ~/.zshrc, after compinit\n" +
			"  fish   lithos completion fish | source       in ~/.config/fish/config.fish",
		arguments: []argument{{name: "SHELL", parameter: "shell"}},
		examples:  []string{"lithos completion bash"},
		anyConfig: true,
		run: func(c *call) error {
			shell := c.argument(0)
			if c.invalid != nil {
				return c.invalid
			}
			script := map[string]string{"bash": bashCompletion, "zsh": zshCompletion, "fish": fishCompletion}[shell]
			if !slices.Contains(shells, shell) {
				return core.InvalidWord("shell", shell, "shell with a completion script", shells)
			}
			if c.out.json {
				return c.out.document(completionResult{shell, script})
			}
			return c.out.text([]byte(script))
		},
	}
}
