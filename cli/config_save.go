package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/BurntSushi/toml"

	"dev.lithos/core"
)

// saveFilter keeps a filter of the board under a name: in the file that has the
// name already, else in the user's. What else stands in the file stays as it
// is, comments too. With an error nothing has changed.
func (s *session) saveFilter(name, text string) error {
	path := s.fileOfFilter(name)
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the link stays one
	}
	failed := func(why string) error {
		return core.InvalidInput(core.ReasonInvalidValue, "filters."+name, fmt.Sprintf("The filter cannot be saved in %s: %s.", path, why))
	}
	mode := fs.FileMode(0o600)
	old, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		err = s.env.Files.MakeFolders(filepath.Dir(path), 0o700)
	case err == nil:
		var info fs.FileInfo
		if info, err = os.Stat(path); err == nil {
			mode = info.Mode().Perm()
		}
	}
	if err != nil {
		return failed(plainReason(err))
	}
	edited, err := withFilter(old, name, text)
	if err != nil {
		return failed(err.Error())
	}
	if err := s.env.Files.Replace(path, edited, mode); err != nil {
		return failed(plainReason(err))
	}
	return nil
}

// fileOfFilter is the file to save a filter in.
func (s *session) fileOfFilter(name string) string {
	paths := configPaths(s.env, s.place)
	for _, path := range slices.Backward(paths) {
		found := config{values: map[string]setting{}, keys: map[string][]string{}, filters: map[string]string{}, freeOrigins: map[string]origin{}}
		if err := found.readFile(path); err != nil {
			continue // it is refused when it is written to
		}
		if _, ok := found.filters[name]; ok {
			return path
		}
	}
	return paths[0]
}

var (
	filtersHeader = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`^\s*\[\s*filters\s*\]\s*(#.*)?$`)
	})
	tableHeader = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^\s*\[`) })
)

// withFilter is a configuration with a filter added or changed. It fails when
// the text cannot be edited so that nothing else changes.
func withFilter(old []byte, name, text string) ([]byte, error) {
	var want map[string]any
	if err := toml.Unmarshal(old, &want); err != nil {
		return nil, errors.New("it is no valid TOML")
	}
	if want == nil {
		want = map[string]any{}
	}
	filters, ok := want["filters"].(map[string]any)
	if !ok {
		filters = map[string]any{}
		want["filters"] = filters
	}
	filters[name] = text
	var line bytes.Buffer
	if err := toml.NewEncoder(&line).Encode(map[string]string{name: text}); err != nil {
		return nil, err
	}
	entry := strings.TrimSuffix(line.String(), "\n")
	edited := []byte(placeEntry(string(old), name, entry))
	var got map[string]any
	if err := toml.Unmarshal(edited, &got); err != nil || !reflect.DeepEqual(got, want) {
		return nil, fmt.Errorf("add it by hand: %s", entry)
	}
	return edited, nil
}

// placeEntry puts an entry into the table of the filters, in the place of the
// one it had.
func placeEntry(text, name, entry string) string {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	header := slices.IndexFunc(lines, filtersHeader().MatchString)
	if header < 0 {
		if strings.TrimSpace(text) == "" {
			return text + "[filters]\n" + entry + "\n"
		}
		return strings.Join(lines, "\n") + "\n\n[filters]\n" + entry + "\n"
	}
	last := header
	for i := header + 1; i < len(lines) && !tableHeader().MatchString(lines[i]); i++ {
		var one map[string]any
		if toml.Unmarshal([]byte(lines[i]), &one) == nil && one[name] != nil {
			lines[i] = entry
			return strings.Join(lines, "\n") + "\n"
		}
		if strings.TrimSpace(lines[i]) != "" {
			last = i
		}
	}
	return strings.Join(slices.Insert(lines, last+1, entry), "\n") + "\n"
}
