package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"dev.lithos/store/files"
	"dev.lithos/store/files/filestest"
)

// content reads a file, "" when there is none, and fails when the folder holds
// anything else.
func content(t *testing.T, path string) string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.Name() != filepath.Base(path) {
			t.Errorf("%s was left behind", e.Name())
		}
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return string(text)
}

// cleaning reports whether the failing step was one that removes a draft:
// what cannot be removed stays.
func cleaning(step files.Step) bool { return step.Action == files.Remove }

func TestWriteNew_everyStep(t *testing.T) {
	var path string
	filestest.EachStep(t, func(t *testing.T) func(files.Disk) error {
		path = filepath.Join(t.TempDir(), "note.md")
		return func(d files.Disk) error { return d.WriteNew(path, []byte("whole"), 0o640) }
	}, func(t *testing.T, step files.Step, fault, err error) {
		if !errors.Is(err, fault) {
			t.Errorf("the error is %v instead of %v", err, fault)
		}
		if cleaning(step) {
			return
		}
		if got := content(t, path); got != "" {
			t.Errorf("the file holds %q", got)
		}
	})
}

func TestReplace_everyStep(t *testing.T) {
	var path string
	filestest.EachStep(t, func(t *testing.T) func(files.Disk) error {
		path = filepath.Join(t.TempDir(), "note.md")
		if err := os.WriteFile(path, []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
		return func(d files.Disk) error { return d.Replace(path, []byte("new"), 0o600) }
	}, func(t *testing.T, step files.Step, fault, err error) {
		if !errors.Is(err, fault) {
			t.Errorf("the error is %v instead of %v", err, fault)
		}
		want := "old"
		if step.Action == files.SyncFolder {
			want = "new" // it is there, only not known to last
		}
		if got := content(t, path); got != want {
			t.Errorf("the file holds %q instead of %q", got, want)
		}
	})
}

func TestWriteNew_taken(t *testing.T) {
	path := filepath.Join(t.TempDir(), "note.md")
	var disk files.Disk
	if err := disk.WriteNew(path, []byte("first"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := disk.WriteNew(path, []byte("second"), 0o644); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the second writing ended with %v", err)
	}
	if got := content(t, path); got != "first" {
		t.Errorf("the file holds %q", got)
	}
}

// TestDeliver_withoutLinks delivers where links cannot be made.
func TestDeliver_withoutLinks(t *testing.T) {
	disk := files.Disk{Before: func(s files.Step) error {
		if s.Action == files.Link {
			return syscall.EPERM
		}
		return nil
	}}
	path := filepath.Join(t.TempDir(), "note.md")
	if err := disk.WriteNew(path, []byte("first"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := disk.WriteNew(path, []byte("second"), 0o600); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the second writing ended with %v", err)
	}
	if got := content(t, path); got != "first" {
		t.Errorf("the file holds %q", got)
	}
}

// TestRights looks whether the umask has any say.
func TestRights(t *testing.T) {
	dir := t.TempDir()
	old := syscall.Umask(0o777)
	defer syscall.Umask(old)
	var disk files.Disk
	folder := filepath.Join(dir, "a", "b")
	if err := disk.MakeFolders(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	syscall.Umask(0)
	other := filepath.Join(dir, "c")
	if err := disk.MakeFolders(other, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, umask := range []int{0, 0o777} {
		syscall.Umask(umask)
		path := filepath.Join(folder, "file")
		if err := disk.Replace(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for at, want := range map[string]fs.FileMode{path: 0o600, folder: 0o700, filepath.Dir(folder): 0o700, other: 0o700} {
			info, err := disk.Stat(at)
			if err != nil {
				t.Fatal(err)
			}
			if got := info.Mode().Perm(); got != want {
				t.Errorf("umask %#o: %s has the rights %v instead of %v", umask, at, got, want)
			}
		}
	}
	if err := disk.MakeFolders(filepath.Join(folder, "file", "x"), 0o700); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("a folder below a file: %v", err)
	}
}

func TestReadAtMost(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	var disk files.Disk
	if err := disk.WriteNew(path, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, err := disk.ReadAtMost(path, 5); err != nil || string(got) != "12345" {
		t.Errorf("read %q (%v)", got, err)
	}
	if _, err := disk.ReadAtMost(path, 4); !errors.Is(err, files.ErrTooLong) {
		t.Errorf("the error is %v", err)
	}
}
