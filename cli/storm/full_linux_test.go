package storm

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// smallDisk is a file system of so many bytes, mounted for the test.
func smallDisk(t *testing.T, bytes int) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("lithos-test", dir, "tmpfs", 0, fmt.Sprintf("size=%d", bytes)); err != nil {
		t.Skipf("a small disk cannot be mounted here (%v); faults of SQLite's writes are tried in store/faultvfs", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(dir, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return dir
}

// fill takes what is left of a disk, except so many bytes, and returns the name
// of the file that does.
func fill(t *testing.T, dir string, except int) string {
	t.Helper()
	path := filepath.Join(dir, "filler")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	size := int64(0)
	for block := make([]byte, 4096); ; {
		n, err := file.Write(block)
		size += int64(n)
		if err != nil {
			break
		}
	}
	if err := file.Truncate(max(size-int64(except), 0)); err != nil {
		t.Fatal(err)
	}
	return path
}

// full runs a command that has to be refused for lack of space.
func (f *field) full(args ...string) {
	f.Helper()
	stdout, stderr, status := f.try(append(args, "--json")...)
	var e struct{ Code, Reason string }
	if err := json.Unmarshal([]byte(stdout), &e); err != nil || e.Code != "store_unavailable" || e.Reason != "full" || status != 8 {
		f.Errorf("%.60q on a full disk: status %d, %s%s (%v)", args, status, stdout, stderr, err)
	}
}

// TestFull writes until a disk is full, looks at what is there, makes space and
// goes on.
func TestFull(t *testing.T) {
	for _, left := range []int{0, 4 << 10, 40 << 10, 100 << 10, 200 << 10, 500 << 10} {
		t.Run(fmt.Sprint(left>>10, " kB"), func(t *testing.T) {
			f := bareField(t)
			disk := smallDisk(t, 4<<20)
			f.path = filepath.Join(disk, "lithos.db")
			f.env = append(f.env, "LITHOS_DB="+f.path)
			id := f.lithos("task", "create", "First", "--agent", setUp, "--jq", ".task_id")
			filler := fill(t, disk, left)
			long := strings.Repeat("long ", 4000)
			done := 0
			for ; ; done++ {
				stdout, _, status := f.try("task", "create", fmt.Sprint("Task ", done), "--description", long, "--agent", "mo", "--json")
				if status != 0 {
					if !strings.Contains(stdout, `"reason":"full"`) {
						t.Errorf("the disk is full after %d tasks: status %d, %s", done, status, stdout)
					}
					break
				}
			}
			f.full("task", "update", id, "--description", long, "--agent", "mo")
			// A read that needs no space is answered; one that would have to make
			// the index of the log says why it cannot.
			if stdout, stderr, status := f.try("task", "list", "--json"); status != 0 && (status != 8 || !strings.Contains(stdout, `"reason":"full"`)) {
				t.Errorf("a read on a full disk: status %d, %s%s", status, stdout, stderr)
			}
			if err := os.Remove(filler); err != nil {
				t.Fatal(err)
			}
			if got := f.lithos("task", "list", "--created-by", "mo", "--jq", ".tasks | length"); got != fmt.Sprint(done) {
				t.Errorf("%s tasks are there, %d were reported", got, done)
			}
			f.lithos("task", "update", id, "--description", long, "--agent", "mo")
			f.audit()
			t.Logf("full after %d tasks", done)
		})
	}
}

// TestFull_creation makes a store where there is no space for one.
func TestFull_creation(t *testing.T) {
	made := 0
	for _, left := range []int{0, 4, 16, 64, 150, 300, 400, 500, 600, 800, 1000, 1500} {
		f := bareField(t)
		disk := smallDisk(t, 2<<20)
		f.path = filepath.Join(disk, "lithos.db")
		f.env = append(f.env, "LITHOS_DB="+f.path)
		filler := fill(t, disk, left<<10)
		if stdout, _, status := f.try("task", "create", "First", "--agent", setUp, "--json"); status == 0 {
			made++
		} else if !strings.Contains(stdout, `"reason":"full"`) {
			t.Errorf("%d kB: status %d, %s", left, status, stdout)
		}
		if err := os.Remove(filler); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(disk)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range entries {
			if strings.Contains(e.Name(), "-new-") || strings.Contains(e.Name(), "-try-") {
				t.Errorf("%d kB: %s is left", left, e.Name())
			}
		}
		f.lithos("task", "create", "Second", "--agent", setUp)
		f.audit()
	}
	if made == 0 || made == 12 {
		t.Errorf("%d stores were made", made)
	}
}
