package tui

import (
	"context"
	"io"
	"os"
	"testing"
	"time"

	"dev.lithos/core"
)

// TestLostStore: a store that is gone while backups of it are left is trouble,
// not the beginning of a new one.
func TestLostStore(t *testing.T) {
	d := drive(t, fixture{}, 100, 24, func(o *Options) {
		o.Open = func(context.Context, bool) (*core.Service, io.Closer, error) {
			return nil, nil, core.NewError(core.CodeStoreUnavailable, "There was a store here, and it is gone; 2 backups are left.",
				core.Extra{Name: "path", Value: "here"}, core.Extra{Name: "reason", Value: "missing"}).Because(core.ErrStoreLost)
		}
	})
	d.shows("2 backups are", "store_unavailable")
	d.hides("Nothing here yet", "no store yet")
}

// TestLostNotes: a folder of notes that is gone is told, and the graph can be
// worked on all the same.
func TestLostNotes(t *testing.T) {
	d := drive(t, learned(), 100, 24)
	d.press("N", "q")
	folder := noteFolder(d.path)
	if err := os.Rename(folder, folder+"-away"); err != nil {
		t.Fatal(err)
	}
	d.press("N", "enter")
	d.pass(5 * time.Second)
	d.poll()
	d.shows("The folder of notes", "● live")
	d.hides("no store yet", "Cannot read")
}
