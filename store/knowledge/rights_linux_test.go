package knowledge

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"golang.org/x/sys/unix"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// TestRights holds that what may not be read is left out and hinders nothing.
func TestRights(t *testing.T) {
	place := t.TempDir()
	folder := New(func() string { return place }, files.Disk{})
	for _, path := range []string{"n.md", "shut.md", "barred/m.md", "open/o.md"} {
		put(t, folder, path, "# N")
	}
	for path, rights := range map[string]os.FileMode{"..": 0o755, "": 0o755, "n.md": 0o644, "shut.md": 0, "barred": 0, "open": 0o755, "open/o.md": 0o644} {
		if err := os.Chmod(filepath.Join(place, path), rights); err != nil {
			t.Fatal(err)
		}
	}
	defer os.Chmod(filepath.Join(place, "barred"), 0o700) // so that it can be removed
	if os.Geteuid() == 0 {
		// The superuser may read everything; this thread looks as another user.
		const nobody = 65534
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		if _, err := unix.SetfsuidRetUid(nobody); err != nil {
			t.Fatal(err)
		}
		defer unix.SetfsuidRetUid(0) // the thread is used no more
	}
	changes, err := folder.Scan(nil, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, listing := range changes.Changed {
		for _, file := range listing.Files {
			found = append(found, file.Path)
		}
	}
	if want := []string{"n.md", "shut.md", "open/o.md"}; !slices.Equal(found, want) || !slices.Equal(changes.Barred, []string{"barred"}) {
		t.Errorf("found %q and the barred folders %q, want %q", found, changes.Barred, want)
	}
	unreadable := &core.UnreadableNote{}
	_, state, found2, err := folder.Read("shut.md")
	if !errors.As(err, &unreadable) || !found2 || state.Size != 3 || unreadable.Reason != "may not be read: its rights forbid it" {
		t.Errorf("reading it: %v, %v, %v", state, found2, err)
	}
	if _, _, found, err := folder.Read("n.md"); !found || err != nil {
		t.Errorf("reading another: %v, %v", found, err)
	}
}
