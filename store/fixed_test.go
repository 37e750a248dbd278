package store

import (
	"testing"
)

// TestRead_fixed holds that a connection that takes the file for one that never
// changes, for lack of rights at the moment when it was made, does not outlive
// its transaction, and that a watch over such a one notices changes.
func TestRead_fixed(t *testing.T) {
	path := sample(t)
	s := openWith(t, Options{Path: path})
	fix := func() *conn {
		c, err := s.connectReader(s.wait(t.Context()), "&immutable=1")
		if err != nil {
			t.Fatal(err)
		}
		c.fixed = true
		return c
	}
	s.readers = append(s.readers, fix())
	count := func() (n int64) {
		read(t, s, func(tx *tx) (err error) {
			n, err = tx.number("SELECT count(*) FROM agents")
			return err
		})
		return n
	}
	watch := watcher{fix()}
	counted, err := watch.Value()
	if err != nil {
		t.Fatal(err)
	}
	before := count()
	see(t, s, "new")
	if after := count(); after != before+1 {
		t.Errorf("there were %d agents, and after one more there are %d", before, after)
	}
	if now, err := watch.Value(); err != nil || now == counted {
		t.Errorf("the counter stays at %d, %v", now, err)
	}
	if err := watch.Close(); err != nil {
		t.Error(err)
	}
}
