package files_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"dev.lithos/store/files"
)

// looks is who a file belongs to and what its rights are.
func looks(t *testing.T, path string) (user, group uint32, mode fs.FileMode) {
	t.Helper()
	info, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	stat := info.Sys().(*syscall.Stat_t)
	return stat.Uid, stat.Gid, info.Mode().Perm()
}

// TestRewrite_keeps holds that a rewritten file has the rights it had, and the
// owner and the group as far as this user may give them.
func TestRewrite_keeps(t *testing.T) {
	path := filepath.Join(t.TempDir(), "n.md")
	if err := errors.Join(os.WriteFile(path, []byte("old"), 0o600), os.Chmod(path, 0o664)); err != nil {
		t.Fatal(err)
	}
	if os.Geteuid() == 0 {
		if err := os.Chown(path, 1234, 2345); err != nil {
			t.Fatal(err)
		}
	} else if groups, err := os.Getgroups(); err != nil {
		t.Fatal(err)
	} else if len(groups) > 0 {
		if err := os.Chown(path, -1, groups[len(groups)-1]); err != nil {
			t.Fatal(err)
		}
	}
	user, group, mode := looks(t, path)
	was, err := os.Lstat(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, refused := range []bool{false, true} {
		// Who may not give a file away writes it all the same.
		disk := files.Disk{Before: func(s files.Step) error {
			if s.Action == files.Chown && refused {
				return syscall.EPERM
			}
			return nil
		}}
		if err := disk.Rewrite(path, []byte("new"), was); err != nil {
			t.Fatal(err)
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != "new" {
			t.Errorf("it holds %q, %v", text, err)
		}
		gotUser, gotGroup, gotMode := looks(t, path)
		if gotMode != mode || !refused && (gotUser != user || gotGroup != group) {
			t.Errorf("it belongs to %d, %d with the rights %v, want %d, %d with %v", gotUser, gotGroup, gotMode, user, group, mode)
		}
	}
}

// TestWriteNewFor holds that what the superuser makes belongs to those whom it
// is for.
func TestWriteNewFor(t *testing.T) {
	folder := t.TempDir()
	if os.Geteuid() == 0 {
		if err := os.Chown(folder, 1234, 2345); err != nil {
			t.Fatal(err)
		}
	}
	owner, err := os.Stat(folder)
	if err != nil {
		t.Fatal(err)
	}
	user, group, _ := looks(t, folder)
	path := filepath.Join(folder, "n.md")
	if err := (files.Disk{}).WriteNewFor(path, []byte("new"), 0o600, owner); err != nil {
		t.Fatal(err)
	}
	if gotUser, gotGroup, mode := looks(t, path); gotUser != user || os.Geteuid() == 0 && gotGroup != group || mode != 0o600 {
		t.Errorf("it belongs to %d, %d with the rights %v", gotUser, gotGroup, mode)
	}
}

// TestInside holds that a disk that ends at a folder does there what a whole
// one does, and touches nothing outside, whatever links there are.
func TestInside(t *testing.T) {
	top := t.TempDir()
	folder, outside := filepath.Join(top, "in"), filepath.Join(top, "out")
	secret := filepath.Join(outside, "n.md")
	if err := errors.Join(os.Mkdir(folder, 0o700), os.Mkdir(outside, 0o700), os.WriteFile(secret, []byte("secret"), 0o600)); err != nil {
		t.Fatal(err)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	disk := files.Disk{}.Inside(root)
	deep := filepath.Join(folder, "a", "b", "n.md")
	err = errors.Join(disk.MakeFolders(filepath.Dir(deep), 0o700), disk.WriteNew(deep, []byte("new"), 0o600), disk.Replace(deep, []byte("newer"), 0o640))
	text, readErr := disk.ReadAtMost(deep, 100)
	names, listErr := disk.List(folder)
	if err := errors.Join(err, readErr, listErr, disk.SyncFolder(folder)); err != nil || string(text) != "newer" || len(names) != 1 || names[0].Name() != "a" {
		t.Fatalf("inside: %v, %q, %v", err, text, names)
	}
	if err := disk.Remove(deep); err != nil {
		t.Error(err)
	}

	if err := os.Symlink(outside, filepath.Join(folder, "way")); err != nil {
		t.Fatal(err)
	}
	for _, base := range []string{filepath.Join(folder, "way"), outside, filepath.Join(folder, "..", "out"), folder + "2"} {
		path := filepath.Join(base, "n.md")
		info, err := os.Stat(folder)
		if err != nil {
			t.Fatal(err)
		}
		_, statErr := disk.Stat(path)
		_, listErr := disk.List(base)
		_, readErr := disk.ReadAtMost(path, 100)
		for what, err := range map[string]error{
			"writing": disk.WriteNew(filepath.Join(base, "new.md"), nil, 0o600), "replacing": disk.Replace(path, nil, 0o600), "rewriting": disk.Rewrite(path, nil, info),
			"removing": disk.Remove(path), "a folder": disk.MakeFolder(filepath.Join(base, "f"), 0o700), "rights": disk.Chmod(path, 0o644), "owner": disk.Chown(path, -1, -1),
			"a link": disk.Link(path, filepath.Join(folder, "l")), "renaming": disk.Rename(path, filepath.Join(folder, "r")), "looking": statErr, "listing": listErr, "reading": readErr,
		} {
			if err == nil || errors.Is(err, fs.ErrNotExist) && base != folder+"2" {
				t.Errorf("%s in %s: %v", what, base, err)
			}
		}
	}
	entries, err := os.ReadDir(outside)
	if text, readErr := os.ReadFile(secret); err != nil || readErr != nil || string(text) != "secret" || len(entries) != 1 {
		t.Errorf("outside there are %v, %q, %v, %v", entries, text, err, readErr)
	}
	if entries, err := os.ReadDir(top); err != nil || len(entries) != 2 || strings.HasSuffix(entries[1].Name(), "2") {
		t.Errorf("beside there are %v, %v", entries, err)
	}
}
