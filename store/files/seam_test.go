package files_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// changing are the functions that change files past the seam.
var changing = map[string][]string{
	"os": {
		"Create", "CreateTemp", "WriteFile", "OpenFile", "OpenRoot", "Rename", "Remove", "RemoveAll", "Mkdir", "MkdirAll", "MkdirTemp",
		"Link", "Symlink", "Truncate", "Chmod", "Chown", "Lchown", "Chtimes", "CopyFS",
	},
	"syscall": {"Open", "Creat", "Rename", "Unlink", "Unlinkat", "Link", "Mkdir", "Rmdir", "Truncate", "Ftruncate", "Chmod", "Chown"},
	"unix":    {"Open", "Openat", "Creat", "Rename", "Renameat", "Renameat2", "Unlink", "Unlinkat", "Link", "Linkat", "Mkdir", "Mkdirat", "Rmdir", "Truncate", "Ftruncate"},
	"ioutil":  {"WriteFile", "TempFile", "TempDir"},
}

// beyond are the places that may do so nonetheless, and why.
var beyond = map[string]string{
	"cli/profile.go os.Create":              "a profile may go to a device or a pipe, and nothing depends on it",
	"store/use.go os.OpenFile":              "makes files that are only locked: they hold nothing, and the lock needs the open file itself",
	"store/flock_unix.go syscall.Open":      "opens such a file",
	"store/flock_other.go os.OpenFile":      "opens such a file",
	"store/beside.go os.Remove":             "takes away an empty log that a mere read has made, as the engine would; nothing depends on it",
	"store/beside_unix.go syscall.Open":     "opens a file for reading",
	"store/knowledge/quick.go unix.Open":    "opens a folder for reading",
	"store/knowledge/quick.go unix.Openat":  "opens a file for reading",
	"store/knowledge/folder.go os.OpenRoot": "opens the folder of notes for reading",
	"store/knowledge/scan.go unix.Openat":   "opens a folder for reading",
	"store/knowledge/scan.go unix.Unlinkat": "sweeps what killed programs have left, below an open folder; nothing depends on it",
	"store/knowledge/write.go os.OpenRoot":  "opens the folder that a files.Disk is then bound to",
}

// apart are folders of what is no part of the program.
var apart = []string{"store/files", "store/bench", "store/storetest", "core/coretest"}

// TestSeam walks the source: everything that changes files does so where tests
// can make it fail.
func TestSeam(t *testing.T) {
	const top = "../.."
	used := map[string]bool{}
	parsed := 0
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		name = filepath.ToSlash(name)
		switch {
		case entry.IsDir() && (slices.Contains(apart, name) || strings.HasPrefix(entry.Name(), ".") && name != "." || entry.Name() == "testdata" || strings.HasSuffix(name, "test")):
			return fs.SkipDir
		case entry.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		parsed++
		for _, call := range callsPastSeam(file) {
			place := name + " " + call
			used[place] = true
			if beyond[place] == "" {
				t.Errorf("%s calls %s: use files.Disk, so that tests can make it fail", name, call)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for place := range beyond {
		if !used[place] {
			t.Errorf("%s is allowed, and is not there", place)
		}
	}
	if parsed < 200 {
		t.Errorf("only %d files were read", parsed)
	}
}

// callsPastSeam names the functions of changing that a file uses.
func callsPastSeam(file *ast.File) (calls []string) {
	packages := map[string]string{} // name in the file → last part of the path
	for _, spec := range file.Imports {
		path := strings.Trim(spec.Path.Value, `"`)
		last := path[strings.LastIndexByte(path, '/')+1:]
		name := last
		if spec.Name != nil {
			name = spec.Name.Name
		}
		packages[name] = last
	}
	ast.Inspect(file, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok && slices.Contains(changing[packages[x.Name]], selector.Sel.Name) {
				calls = append(calls, packages[x.Name]+"."+selector.Sel.Name)
			}
		}
		return true
	})
	return calls
}

// TestSeam_notices holds that the walk finds what it looks for, also under
// another name and where a function is only handed on.
func TestSeam_notices(t *testing.T) {
	const source = `package p
import (
	system "os"
	"golang.org/x/sys/unix"
)
func f() { system.Remove("x"); unix.Unlinkat(0, "x", 0); system.Stat("x"); g(system.WriteFile) }
`
	file, err := parser.ParseFile(token.NewFileSet(), "p.go", source, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := callsPastSeam(file), []string{"os.Remove", "unix.Unlinkat", "os.WriteFile"}; !slices.Equal(got, want) {
		t.Errorf("found are %q instead of %q", got, want)
	}
}
