// Command lithos keeps a graph of tasks: a terminal UI for people, a command
// line for scripts and a stdio MCP server for agents.
package main

import (
	"context"
	"os"

	"dev.lithos/cli"
)

func main() {
	os.Exit(cli.Main(context.Background(), os.Args, cli.SystemEnv()))
}
