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
	return s.editConfig(s.fileOfFilter(name), name, "saved in", func(old []byte) ([]byte, error) { return withFilter(old, name, text) })
}

// dropFilter forgets a filter of the board: it goes out of every file that has
// the name, and nothing else does.
func (s *session) dropFilter(name string) error {
	for {
		path, found := s.filterIn(name)
		if !found {
			return nil
		}
		if err := s.editConfig(path, name, "taken out of", func(old []byte) ([]byte, error) { return withoutFilter(old, name) }); err != nil {
			return err
		}
	}
}

// editConfig changes a filter in a configuration file; what says what becomes of
// it. With an error nothing has changed.
func (s *session) editConfig(path, name, what string, edit func(old []byte) ([]byte, error)) error {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real // the link stays one
	}
	failed := func(why string) error {
		return core.InvalidInput(core.ReasonInvalidValue, "filters."+name, fmt.Sprintf("The filter cannot be %s %s: %s.", what, path, why))
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
	edited, err := edit(old)
	if err != nil {
		return failed(err.Error())
	}
	if err := s.env.Files.Replace(path, edited, mode); err != nil {
		return failed(plainReason(err))
	}
	return nil
}

// userConfig is the configuration file of the user, where filters are saved that
// no file has yet.
func (s *session) userConfig() string { return configPaths(s.env, s.place)[0] }

// fileOfFilter is the file to save a filter in.
func (s *session) fileOfFilter(name string) string {
	if path, found := s.filterIn(name); found {
		return path
	}
	return s.userConfig()
}

// filterIn is the file whose filter of a name counts.
func (s *session) filterIn(name string) (path string, found bool) {
	for _, path := range slices.Backward(configPaths(s.env, s.place)) {
		found := config{values: map[string]setting{}, keys: map[string][]string{}, filters: map[string]string{}, freeOrigins: map[string]origin{}}
		if err := found.readFile(path); err != nil {
			continue // it is refused when it is written to
		}
		if _, ok := found.filters[name]; ok {
			return path, true
		}
	}
	return "", false
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
	want, err := tablesOf(old)
	if err != nil {
		return nil, err
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
	if got, err := tablesOf(edited); err != nil || !reflect.DeepEqual(got, want) {
		return nil, fmt.Errorf("add it by hand: %s", entry)
	}
	return edited, nil
}

// withoutFilter is a configuration without a filter. It fails when the text
// cannot be edited so that nothing else changes.
func withoutFilter(old []byte, name string) ([]byte, error) {
	want, err := tablesOf(old)
	if err != nil {
		return nil, err
	}
	if filters, ok := want["filters"].(map[string]any); ok {
		delete(filters, name)
	}
	lines := strings.Split(string(old), "\n")
	for i, line := range lines {
		if !isEntry(line, name) {
			continue
		}
		edited := []byte(strings.Join(slices.Delete(slices.Clone(lines), i, i+1), "\n"))
		if got, err := tablesOf(edited); err == nil && reflect.DeepEqual(got, want) {
			return edited, nil
		}
	}
	return nil, fmt.Errorf("take %s out by hand", name)
}

// tablesOf reads a configuration without judging it.
func tablesOf(text []byte) (map[string]any, error) {
	tables := map[string]any{}
	if err := toml.Unmarshal(text, &tables); err != nil {
		return nil, errors.New("it is no valid TOML")
	}
	return tables, nil
}

// isEntry reports whether a line is the whole entry of a name.
func isEntry(line, name string) bool {
	var one map[string]any
	return toml.Unmarshal([]byte(line), &one) == nil && one[name] != nil
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
		if isEntry(lines[i], name) {
			lines[i] = entry
			return strings.Join(lines, "\n") + "\n"
		}
		if strings.TrimSpace(lines[i]) != "" {
			last = i
		}
	}
	return strings.Join(slices.Insert(lines, last+1, entry), "\n") + "\n"
}
