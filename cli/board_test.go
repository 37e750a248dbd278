package cli_test

import (
	"context"
	"fmt"
	"io"
	"strings"
	"testing"

	"dev.lithos/cli"
	"dev.lithos/core"
)

// TestBare_saysWhatTheBoardSays: where the board cannot be drawn, a task that
// somebody has claimed is as little ready as on the board.
func TestBare_saysWhatTheBoardSays(t *testing.T) {
	w := seeded(t).onTerminal(100)
	w.variables["TERM"] = "dumb"
	stdout, stderr, status := w.run(t)
	if status != 0 || !strings.Contains(stdout, "○  83257c  Write schema") || strings.Contains(stdout, "Claimed") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	if _, stderr, status := w.run(t, "task", "claim", "83257c"); status != 0 {
		t.Fatal(stderr)
	}
	stdout, stderr, status = w.run(t)
	ready, claimed, found := strings.Cut(stdout, "Claimed")
	if status != 0 || !found || !strings.Contains(ready, "Nothing is ready.") || !strings.Contains(claimed, "◐  83257c  Write schema") || strings.Contains(ready, "83257c") {
		t.Errorf("status %d\n%s%s", status, stdout, stderr)
	}
	var totals [core.ColumnCount]int
	w.variables["TERM"] = "xterm"
	w.env.RunTUI = func(ctx context.Context, o cli.TUIOptions) error {
		service, store, err := o.Open(ctx, false)
		if err != nil {
			return err
		}
		defer func(store io.Closer) { _ = store.Close() }(store)
		board, err := service.Board(ctx, core.BoardRequest{})
		totals = board.Totals
		return err
	}
	if _, stderr, status := w.run(t); status != 0 {
		t.Fatal(stderr)
	}
	if got, want := fmt.Sprint(totals[core.ColumnReady], totals[core.ColumnClaimed]), "0 1"; got != want {
		t.Errorf("the board has %s", got)
	}
}
