package knowledge

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// TestScan_byTime holds which folders a scan finds changed that looks at nothing
// but the folders themselves.
func TestScan_byTime(t *testing.T) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	root := t.TempDir()
	at := func(path string) string { return filepath.Join(root, path) }
	folder := New(func() string { return root }, files.Disk{})
	known := map[string]core.FolderState{}
	scan := func(full bool) (changed, gone []string) {
		t.Helper()
		changes, err := folder.Scan(known, nil, full)
		must(err)
		for _, listing := range changes.Changed {
			changed = append(changed, listing.Path)
			known[listing.Path] = listing.State
		}
		for _, path := range changes.Gone {
			delete(known, path)
		}
		return changed, changes.Gone
	}
	expect := func(what string, full bool, wantChanged, wantGone []string) {
		t.Helper()
		if changed, gone := scan(full); !slices.Equal(changed, wantChanged) || !slices.Equal(gone, wantGone) {
			t.Errorf("%s: %q changed, %q are gone, want %q and %q", what, changed, gone, wantChanged, wantGone)
		}
	}
	note := func(path string) {
		t.Helper()
		must(os.MkdirAll(filepath.Dir(at(path)), 0o700))
		must(os.WriteFile(at(path), []byte("# "+path), 0o600))
	}
	for _, path := range []string{"a.md", "one/b.md", "two/deep/c.md"} {
		note(path)
	}
	expect("all is new", true, []string{"", "one", "two/deep"}, nil)
	expect("nothing", false, nil, nil)
	must(os.WriteFile(at("one/b.md"), []byte("# longer than before"), 0o600))
	expect("a file was changed", false, nil, nil)
	expect("a file was changed", true, []string{"one"}, nil)
	note("one/d.md")
	note("three/e.md")
	expect("files are new", false, []string{"one", "three"}, nil)
	must(os.Remove(at("one/d.md")))
	must(os.RemoveAll(at("three")))
	expect("files are gone", false, []string{"one"}, []string{"three"})

	// What is moved away and linked to is no longer in the folder.
	elsewhere := t.TempDir()
	must(os.Rename(at("two"), filepath.Join(elsewhere, "two")))
	must(os.Symlink(filepath.Join(elsewhere, "two"), at("two")))
	must(os.Rename(at("one"), filepath.Join(elsewhere, "one")))
	must(os.Symlink(filepath.Join(elsewhere, "one"), at("one")))
	expect("folders are links now", false, nil, []string{"one", "two/deep"})
}

// TestScan_deep holds that folders are found at any depth, also those that no
// path can name whole.
func TestScan_deep(t *testing.T) {
	folder := newFolder(t)
	const depth = 300
	path := strings.Repeat("d/", depth)
	put(t, folder, path+"n.md", "# N")
	put(t, folder, "d/d/e/m.md", "# M")
	put(t, folder, "d-e/m.md", "# M")
	changes, err := folder.Scan(nil, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	known := map[string]core.FolderState{}
	for _, listing := range changes.Changed {
		known[listing.Path] = listing.State
		found = append(found, listing.Files[0].Path)
	}
	if want := []string{"d-e/m.md", path + "n.md", "d/d/e/m.md"}; !slices.Equal(found, want) {
		t.Errorf("found %q, want %q", found, want)
	}
	if changes, err = folder.Scan(known, nil, true); err != nil || !changes.IsEmpty() {
		t.Errorf("a second look finds %v, %v", changes, err)
	}
}

// TestScan_odd holds what is told of files that are left out.
func TestScan_odd(t *testing.T) {
	folder := newFolder(t)
	put(t, folder, "a/n.md", "# N")
	put(t, folder, "a/X.MD", "# X")
	put(t, folder, "a/plain.txt", "x")
	for name, target := range map[string]string{"l.md": "n.md", "out": t.TempDir(), "picture.png": "plain.txt"} {
		if err := os.Symlink(target, folder.name("a/"+name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(folder.name("a/pipe.md"), 0o600); err != nil {
		t.Fatal(err)
	}
	changes, err := folder.Scan(nil, nil, true)
	if err != nil {
		t.Fatal(err)
	}
	want := []core.OddFile{
		{Path: "a/X.MD", Reason: "has a name that does not end in '.md' in small letters"}, {Path: "a/l.md", Reason: "is a link, and links are not followed"},
		{Path: "a/out", Reason: "is a link, and links are not followed"}, {Path: "a/pipe.md", Reason: "is no ordinary file"},
	}
	if !slices.Equal(changes.Odd, want) {
		t.Errorf("left out are %v, want %v", changes.Odd, want)
	}
}

// TestFolder_ReadBody holds that a body comes alone exactly while the file is
// as it was.
func TestFolder_ReadBody(t *testing.T) {
	root := t.TempDir()
	folder := New(func() string { return root }, files.Disk{})
	path := filepath.Join(root, "n.md")
	for _, text := range []string{
		"---\nid: x\n---\n\n# Title\n\nText.\n", "---\r\nid: x\r\n---\r\nText.\r\n", "\ufeff---\nid: x\n---\nText", "No front matter.", "",
		"---\nJust text between\ntwo rules\n---\nText", "---\nplain\n---\nText", "---\n\"id\": x\n---\nText", "---\n{id: x}\n---\nText",
	} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		file, state, found, err := folder.Read("n.md")
		if err != nil || !found {
			t.Fatalf("%q: %v, %v", text, found, err)
		}
		if body, same, err := folder.ReadBody("n.md", state.FileStat); body != file.Body || !same || err != nil {
			t.Errorf("%q: the body is %q, %v, %v, want %q", text, body, same, err, file.Body)
		}
		state.Size++
		if body, same, err := folder.ReadBody("n.md", state.FileStat); body != "" || same || err != nil {
			t.Errorf("%q of another state: %q, %v, %v", text, body, same, err)
		}
	}
	if _, same, err := folder.ReadBody("none.md", core.FileStat{}); same || err != nil {
		t.Errorf("a file that is not there: %v, %v", same, err)
	}
}

// TestParse_lines holds that the line that is told is that of the file.
func TestParse_lines(t *testing.T) {
	for text, want := range map[string]int{
		"---\na: 1\ntitle: [Deploy\n---\n":         3,
		"\n\n---\na: 1\nb: 2\ntitle: [Deploy\n---": 6,
		"---\na: 1\nb: c: d\n---\n":                3,
		"\ufeff---\r\na: 1\r\nb: @x\r\n---\r\n":    3,
	} {
		_, err := parse([]byte(text))
		if err == nil || !strings.Contains(err.Error(), fmt.Sprintf(": line %d: ", want)) {
			t.Errorf("%q: %v, want line %d", text, err, want)
		}
	}
}
