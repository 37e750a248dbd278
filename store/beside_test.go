package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"dev.lithos/core"
)

func init() {
	// visit opens a store as everybody does and commits to it.
	roles["visit"] = func(args []string) error {
		s, err := Open(context.Background(), Options{Path: args[0]})
		if err != nil {
			return err
		}
		err = s.Write(context.Background(), func(w core.WriteTx) error {
			_, err := w.(*tx).SeeAgent("visitor", epoch)
			return err
		})
		if closeErr := s.Close(); err == nil {
			err = closeErr
		}
		return err
	}
	// intrude commits to a store past all that lithos does around the engine.
	roles["intrude"] = func(args []string) error {
		info, err := os.Stat(args[0])
		if err != nil {
			return err
		}
		s := &Store{path: args[0], file: args[0], identity: info}
		c, err := s.connect(s.wait(context.Background()), "mode=rw")
		if err != nil {
			return err
		}
		if err := c.script("PRAGMA journal_mode = WAL; INSERT INTO meta (key, value) VALUES ('intruder', 1)"); err != nil {
			return err
		}
		return c.close()
	}
}

func seen(t testing.TB, path, agent string) bool {
	t.Helper()
	s := openWith(t, Options{Path: path, ReadOnly: true})
	found := int64(0)
	read(t, s, func(tx *tx) (err error) {
		found, err = tx.number("SELECT count(*) FROM agents WHERE id = ?", agent)
		return err
	})
	return found == 1
}

// TestBeside holds that a log, or the memory about it, that is removed under a
// program ends its work, keeps others out and loses nothing.
func TestBeside(t *testing.T) {
	for _, removed := range [][]string{{"-wal"}, {"-shm"}, {"-wal", "-shm"}} {
		t.Run(strings.Join(removed, " "), func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "lithos.db")
			s, err := Open(t.Context(), Options{Path: path, Create: true, LongLived: true})
			if err != nil {
				t.Fatal(err)
			}
			see := func(id string) error {
				return s.Write(t.Context(), func(w core.WriteTx) error {
					_, err := w.(*tx).SeeAgent(id, epoch)
					return err
				})
			}
			if err := see("host"); err != nil {
				t.Fatal(err)
			}
			counter, err := s.Watch(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if _, err := counter.Value(); err != nil {
				t.Fatal(err)
			}
			for _, suffix := range removed {
				if err := os.Remove(path + suffix); err != nil {
					t.Fatal(err)
				}
			}
			visitor := actAs(t, "visit", path)
			if err := visitor.cmd.Run(); err == nil || !strings.Contains(visitor.output.String(), "was removed while a program had it open") {
				t.Errorf("another program: %v, %s", err, visitor.output.String())
			}
			unavailable(t, see("late"), ReasonReplaced)
			unavailable(t, s.Read(t.Context(), func(core.ReadTx) error { return nil }), ReasonReplaced)
			_, err = counter.Value()
			unavailable(t, err, ReasonReplaced)
			if err := counter.Close(); err != nil {
				t.Error(err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			if !seen(t, path, "host") || seen(t, path, "late") || seen(t, path, "visitor") {
				t.Error("what was committed is not what is there")
			}
			actAs(t, "visit", path).run(t)
			if !seen(t, path, "visitor") || !seen(t, path, "host") {
				t.Error("the store is of no use afterwards")
			}
		})
	}
}

// TestBeside_rival holds that the end of a program whose log was removed does
// not write over what others have committed since.
func TestBeside_rival(t *testing.T) {
	path := sample(t)
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	write(t, s, func(tx *tx) error { _, err := tx.SeeAgent("host", epoch); return err })
	for _, suffix := range besideSuffixes {
		if err := os.Remove(path + suffix); err != nil {
			t.Fatal(err)
		}
	}
	actAs(t, "intrude", path).run(t)
	unavailable(t, s.Write(t.Context(), func(core.WriteTx) error { return nil }), ReasonReplaced)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	// The engine has the old log open until this process ends.
	if err := check(t, path); err != nil {
		t.Error(err)
	}
}

// check looks at a store from another process.
func check(t testing.TB, path string) error {
	t.Helper()
	told := actAs(t, "tell", path).run(t)
	if want := "intruder 1 host 0 ok"; told != want {
		return fmt.Errorf("the store tells %q, not %q", told, want)
	}
	return nil
}

func init() {
	roles["tell"] = func(args []string) error {
		s := &Store{path: args[0], file: args[0]}
		if err := s.remember(); err != nil {
			return err
		}
		c, err := s.connect(s.wait(context.Background()), "mode=ro")
		if err != nil {
			return err
		}
		intruder, err := c.number("SELECT count(*) FROM meta WHERE key = 'intruder'")
		if err != nil {
			return err
		}
		host, err := c.number("SELECT count(*) FROM agents WHERE id = 'host'")
		if err != nil {
			return err
		}
		_, err = c.one("PRAGMA integrity_check", func(r *row) { fmt.Printf("intruder %d host %d %s", intruder, host, r.text(0)) })
		if err != nil {
			return err
		}
		return c.close()
	}
}

func init() {
	roles["complain"] = func(args []string) error {
		s, err := Open(context.Background(), Options{Path: args[0]})
		if err != nil {
			return err
		}
		fmt.Println(s.Write(context.Background(), func(w core.WriteTx) error {
			_, err := w.(*tx).SeeAgent("complainer", epoch)
			return err
		}))
		return s.Close()
	}
}

// TestBeside_others holds that a reader leaves nothing beside the store of
// another user that would keep that one from writing.
func TestBeside_others(t *testing.T) {
	folder := publicFolder(t)
	path := filepath.Join(folder, "lithos.db")
	if err := createAt(t, path).Close(); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"-use", "-turn", "-gate"} { // the other user makes them, too
		if err := os.Remove(path + suffix); err != nil {
			t.Fatal(err)
		}
	}
	chmod(t, path, 0o644)
	chmod(t, folder, 0o777) //nolint:gosec // a folder that is shared
	if got := actAs(t, "touch", path).ordinary(t).run(t); !strings.HasPrefix(got, "ok\nok\n") {
		t.Fatalf("the other user is told %q", got)
	}
	for _, suffix := range besideSuffixes {
		if _, err := os.Lstat(path + suffix); err == nil {
			t.Errorf("%s was left behind", suffix)
		}
	}
}

// TestBeside_noFile holds that something else in the place of a file is named.
func TestBeside_noFile(t *testing.T) {
	path := sample(t)
	for _, suffix := range besideSuffixes {
		if err := os.RemoveAll(path + suffix); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Mkdir(path+"-shm", 0o700); err != nil {
		t.Fatal(err)
	}
	s := openWith(t, Options{Path: path})
	err := s.Write(t.Context(), func(w core.WriteTx) error { _, err := w.(*tx).SeeAgent("x", epoch); return err })
	if err == nil || !strings.Contains(err.Error(), "-shm' beside it is no file") {
		t.Errorf("it says %v", err)
	}
	if fault := rightsFault(path); !strings.Contains(fault, "lithos.db-shm, which is no file") {
		t.Errorf("the examination says %q", fault)
	}
}

// TestBeside_shut holds that the file that cannot be written is named.
func TestBeside_shut(t *testing.T) {
	folder := filepath.Join(publicFolder(t), "store")
	path := filepath.Join(folder, "lithos.db")
	if err := os.Mkdir(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(folder, nobody, nobody); err != nil {
			t.Fatal(err)
		}
	}
	actAs(t, "touch", path, "create").ordinary(t).run(t)
	complaint := func(want string) {
		if told := actAs(t, "complain", path).ordinary(t).run(t); !strings.Contains(told, want) {
			t.Errorf("%q does not say %q", told, want)
		}
	}
	chmod(t, path, 0o400)
	complaint("The rights of the file forbid to write it: 'chmod u+w " + path + "' gives it back.")
	chmod(t, path, 0o600)
	if os.Geteuid() != 0 {
		return // the engine gives back rights to what is this user's, and there is no other user
	}
	for _, suffix := range besideSuffixes {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(path+"-shm", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	complaint("The rights of the file '" + path + "-shm' beside it forbid to write that, which belongs to the user root; once nobody has the store open it can be removed.")
	if fault := rightsFault(path); !strings.Contains(fault, "1 file cannot be written by the owner of the store: lithos.db-shm, which belongs to another user. 1 file is open to others") {
		t.Errorf("the examination says %q", fault)
	}
}
