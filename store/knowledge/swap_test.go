package knowledge

import (
	"errors"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// TestSwapped exchanges a folder for a link that leads out, or the file for a
// link, right before each step of a write: whatever becomes of the write,
// nothing outside is touched.
func TestSwapped(t *testing.T) {
	content := core.NoteFile{Fields: []core.NoteField{{Key: "id", Value: []byte(`"x"`)}}, Body: "# New"}
	for name, write := range map[string]func(*Folder) error{
		"create":  func(f *Folder) error { _, err := f.Create("a/b/new.md", content); return err },
		"deeper":  func(f *Folder) error { _, err := f.Create("a/b/c/d/new.md", content); return err },
		"replace": func(f *Folder) error { _, err := f.Replace("a/b/n.md", content); return err },
		"remove":  func(f *Folder) error { return f.Remove("a/b/n.md") },
	} {
		for what, swap := range map[string]func(place, outside string) error{
			"the folder": func(place, outside string) error {
				return errors.Join(os.Rename(filepath.Join(place, "a"), filepath.Join(place, "away")), os.Symlink(outside, filepath.Join(place, "a")))
			},
			"the folder below": func(place, outside string) error {
				return errors.Join(os.Rename(filepath.Join(place, "a/b"), filepath.Join(place, "away")), os.Symlink(filepath.Join(outside, "b"), filepath.Join(place, "a/b")))
			},
			"the file": func(place, outside string) error {
				return errors.Join(os.RemoveAll(filepath.Join(place, "a/b/n.md")), os.Symlink(filepath.Join(outside, "b/n.md"), filepath.Join(place, "a/b/n.md")))
			},
		} {
			for at, done := 0, false; !done; at++ {
				top := t.TempDir()
				place, outside := filepath.Join(top, "knowledge"), filepath.Join(top, "outside")
				for _, folder := range []string{place + "/a/b", outside + "/b/c"} {
					if err := os.MkdirAll(folder, 0o700); err != nil {
						t.Fatal(err)
					}
				}
				for _, file := range []string{place + "/a/b/n.md", outside + "/b/n.md"} {
					if err := os.WriteFile(file, []byte("# N"), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				before := listing(t, outside)
				step := 0
				folder := New(func() string { return place }, files.Disk{Before: func(files.Step) error {
					if step++; step == at+1 {
						return swap(place, outside)
					}
					return nil
				}})
				err := write(folder)
				done = step <= at
				if after := listing(t, outside); after != before {
					t.Fatalf("%s, %s swapped before step %d: %v, and outside there is\n%s", name, what, at, err, after)
				}
				if inner := (*core.Error)(nil); err != nil && !errors.As(err, &inner) {
					t.Errorf("%s, %s swapped before step %d: %v", name, what, at, err)
				}
			}
		}
	}
}

// listing is everything below a folder, with what is in the files.
func listing(t *testing.T, folder string) string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			lines = append(lines, path)
			return err
		}
		text, err := os.ReadFile(path)
		lines = append(lines, path+" "+string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.Join(lines, "\n")
}

// TestNoFiles holds that what is no file is neither waited for nor written
// over, whatever its name.
func TestNoFiles(t *testing.T) {
	folder := newFolder(t)
	put(t, folder, "n.md", "# N")
	if err := syscall.Mkfifo(folder.name("pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(folder.Place()) // a socket's path is short
	socket, err := net.Listen("unix", "socket.md")
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	t.Chdir(here)
	if err := errors.Join(os.Mkdir(folder.name("folder.md"), 0o700), os.Symlink("n.md", folder.name("link.md")), os.Symlink("loop.md", folder.name("loop.md"))); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"pipe.md", "socket.md", "folder.md", "link.md", "loop.md"} {
		if _, found, err := folder.Stat(path); found || err != nil {
			t.Errorf("looking at %s: %v, %v", path, found, err)
		}
		if _, _, found, err := folder.Read(path); path != "link.md" && (found || err != nil) {
			t.Errorf("reading %s: %v, %v", path, found, err)
		}
		if _, err := folder.Create(path, core.NoteFile{}); !errors.Is(err, core.ErrNoteFileExists) {
			t.Errorf("making %s: %v", path, err)
		}
		if _, err := folder.Replace(path, core.NoteFile{}); core.AsError(err).Code != core.CodeInvalidInput {
			t.Errorf("replacing %s: %v", path, err)
		}
	}
	changes, err := folder.Scan(nil, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	var odd []string
	for _, o := range changes.Odd {
		odd = append(odd, o.Path)
	}
	if want := []string{"link.md", "loop.md", "pipe.md", "socket.md"}; !slices.Equal(odd, want) || len(changes.Changed) != 1 || len(changes.Changed[0].Files) != 1 {
		t.Errorf("found %v, left out %q, want %q", changes.Changed, odd, want)
	}
}

// TestReplace_keeps holds that a file that is written anew keeps its rights
// and, where this user may give files away, its owner and group.
func TestReplace_keeps(t *testing.T) {
	folder := newFolder(t)
	put(t, folder, "a/n.md", "# N")
	name := folder.name("a/n.md")
	if err := os.Chmod(name, 0o664); err != nil {
		t.Fatal(err)
	}
	super := os.Geteuid() == 0
	if super {
		if err := errors.Join(os.Chown(name, 1234, 2345), os.Chown(filepath.Dir(name), 1234, 2345)); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Link(name, folder.name("a/hard.txt")); err != nil {
		t.Fatal(err)
	}
	content := core.NoteFile{Body: "# New"}
	if _, err := folder.Replace("a/n.md", content); err != nil {
		t.Fatal(err)
	}
	if _, err := folder.Create("a/b/c/new.md", content); err != nil {
		t.Fatal(err)
	}
	for path, mode := range map[string]os.FileMode{"a/n.md": 0o664, "a/b/c/new.md": 0o600, "a/b": 0o700, "a/b/c": 0o700} {
		info, err := os.Stat(folder.name(path))
		if err != nil {
			t.Fatal(err)
		}
		stat := info.Sys().(*syscall.Stat_t)
		if info.Mode().Perm() != mode || super && (stat.Uid != 1234 || stat.Gid != 2345) {
			t.Errorf("%s has the rights %v and belongs to %d, %d", path, info.Mode(), stat.Uid, stat.Gid)
		}
	}
	// Another name of the file keeps what it had.
	if text, err := os.ReadFile(folder.name("a/hard.txt")); err != nil || string(text) != "# N" {
		t.Errorf("the other name holds %q, %v", text, err)
	}
}
