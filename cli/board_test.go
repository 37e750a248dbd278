package cli_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
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

// TestBoard_isGivenAllItCanDo: what the board does outside of it is given to it
// by the command, and a text that it lends to an editor lies among the drafts.
func TestBoard_isGivenAllItCanDo(t *testing.T) {
	w := seeded(t)
	w.onTerminal(80).variables["EDITOR"] = "vi"
	w.env.RunTUI = func(_ context.Context, o cli.TUIOptions) error {
		options := reflect.ValueOf(o)
		for i := range options.NumField() {
			if f := options.Field(i); f.Kind() == reflect.Func && f.IsNil() {
				t.Errorf("%s is not given", options.Type().Field(i).Name)
			}
		}
		path, err := o.NewText("typed")
		if err != nil {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil || string(text) != "typed" || filepath.Base(filepath.Dir(path)) != "drafts" || o.Editor != "vi" {
			t.Errorf("%s holds %q, %v; the editor is %q", path, text, err, o.Editor)
		}
		return nil
	}
	if _, stderr, status := w.run(t, "tui"); status != 0 {
		t.Errorf("status %d, %q", status, stderr)
	}
}
