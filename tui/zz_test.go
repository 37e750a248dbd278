package tui

import (
	"os"
	"testing"
	"time"
)

func TestZZStore(t *testing.T) {
	os.RemoveAll("/tmp/tt/store")
	os.MkdirAll("/tmp/tt/store/.lithos", 0o755)
	s, err := makeStore(acme, "/tmp/tt/store/.lithos/lithos.db", time.Now)
	if err != nil { t.Fatal(err) }
	if err := s.Close(); err != nil { t.Fatal(err) }
}
