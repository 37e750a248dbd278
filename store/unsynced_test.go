package store

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"dev.lithos/core"
)

// TestWrite_unsynced holds that only the writes that need not be forced to the
// disk are not, whatever becomes of them.
func TestWrite_unsynced(t *testing.T) {
	for _, tt := range []struct {
		options Options
		ctx     context.Context
		want    int64
	}{
		{Options{}, context.Background(), 2},
		{Options{}, core.Unsynced(context.Background()), 1},
		{Options{Synchronous: Normal}, context.Background(), 1},
		{Options{Synchronous: Normal}, core.Unsynced(context.Background()), 1},
	} {
		tt.options.Path, tt.options.Create = filepath.Join(t.TempDir(), "lithos.db"), true
		s := openWith(t, tt.options)
		level := func(ctx context.Context, end error) (n int64) {
			err := s.Write(ctx, func(w core.WriteTx) (err error) {
				if n, err = w.(*tx).number("PRAGMA synchronous"); err != nil {
					return err
				}
				return end
			})
			if !errors.Is(err, end) {
				t.Errorf("the write ended with %v, want %v", err, end)
			}
			return n
		}
		usual := level(context.Background(), nil)
		for _, end := range []error{nil, errors.New("refused")} {
			if got := level(tt.ctx, end); got != tt.want {
				t.Errorf("%+v: the level of a write that ends with %v is %d, want %d", tt.options, end, got, tt.want)
			}
			if got := level(context.Background(), nil); got != usual {
				t.Errorf("%+v: the level after it is %d, want %d", tt.options, got, usual)
			}
		}
	}
}
