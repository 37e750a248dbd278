package tui_test

import (
	"context"
	"os"

	"dev.lithos/cli"
	"dev.lithos/tui"
)

func init() {
	tui.Lithos = func() int { return cli.Main(context.Background(), os.Args, cli.SystemEnv()) }
}
