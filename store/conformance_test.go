package store

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"dev.lithos/core"
	"dev.lithos/store/storetest"
)

func TestConformance(t *testing.T) {
	storetest.Run(t, storetest.Engine{
		Create: func(t storetest.T) core.Store {
			folder, err := os.MkdirTemp("", "lithos-store") //nolint:usetesting // t may be a case of a property
			if err != nil {
				t.Fatalf("make a folder: %v", err)
			}
			// Power failures are not part of these tests.
			s, err := Open(context.Background(), Options{Path: filepath.Join(folder, "lithos.db"), Create: true, Synchronous: Normal})
			if err != nil {
				t.Fatalf("create a store: %v", err)
			}
			t.Cleanup(func() {
				if err := s.Close(); err != nil {
					t.Errorf("close: %v", err)
				}
				if err := os.RemoveAll(folder); err != nil {
					t.Errorf("clean up: %v", err)
				}
			})
			return s
		},
		Check: func(t storetest.T, s core.Store) {
			t.Helper()
			differences, err := s.(*Store).CheckFrontier(context.Background())
			if err != nil {
				t.Fatalf("check the frontier: %v", err)
			}
			for _, d := range differences {
				t.Errorf("the stored frontier differs: %s", d)
			}
		},
	})
}
