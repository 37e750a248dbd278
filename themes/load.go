package themes

import (
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

//go:embed builtin/*.toml
var builtin embed.FS

// The names of the themes that have a part of their own.
const (
	Default = "terminal" // what missing tokens are inherited from
	Mono    = "mono"     // no colours at all
)

// autoPrefix marks a family of themes of which the background picks one.
const autoPrefix = "auto"

// autoFamily is what auto alone stands for.
const autoFamily = "catppuccin"

// maxInheritance bounds chains of inherits, which may be rings.
const maxInheritance = 8

// IsAuto reports whether a name leaves the choice to the background, as auto
// and auto:catppuccin do.
func IsAuto(name string) bool {
	return name == autoPrefix || strings.HasPrefix(name, autoPrefix+":")
}

// Load returns the theme of a name: a file NAME.toml of the folder dir, else
// a built-in. dir may be empty or missing. auto:FAMILY is the dark or light
// theme of a family; dark decides.
func Load(name, dir string, dark bool) (Theme, error) {
	if IsAuto(name) {
		family := strings.TrimPrefix(strings.TrimPrefix(name, autoPrefix), ":")
		if family == "" {
			family = autoFamily
		}
		return loadPair(family, dir, dark)
	}
	return load(name, dir, 0)
}

// loadPair finds the theme of a family that fits the background: the family
// is a theme with a pair, or what the names of two themes begin with.
func loadPair(family, dir string, dark bool) (Theme, error) {
	want := Light
	if dark {
		want = Dark
	}
	names := Names(dir)
	for _, name := range names {
		if name != family && !strings.HasPrefix(name, family+"-") {
			continue
		}
		theme, err := load(name, dir, 0)
		if err != nil {
			return Theme{}, err
		}
		if theme.Variant == want {
			return theme, nil
		}
		if theme.Pair != "" && slices.Contains(names, theme.Pair) {
			return load(theme.Pair, dir, 0)
		}
	}
	return Theme{}, &UnknownError{What: "theme", Name: autoPrefix + ":" + family, Allowed: names}
}

func load(name, dir string, depth int) (Theme, error) {
	if depth > maxInheritance {
		return Theme{}, fmt.Errorf("the theme %s inherits from itself", name)
	}
	text, where, err := source(name, dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Theme{}, &UnknownError{What: "theme", Name: name, Allowed: Names(dir)}
	}
	if err != nil {
		return Theme{}, fmt.Errorf("read the theme %s: %w", name, err)
	}
	theme, err := parse(text, where, func(parent string) (Theme, error) {
		switch parent {
		case "":
			if name == Default {
				return Theme{}, nil
			}
			parent = Default
		case name: // a user's theme that builds on the built-in it hides
			return load(parent, "", depth+1)
		}
		return load(parent, dir, depth+1)
	})
	if theme.Name == "" {
		theme.Name = name
	}
	return theme, err
}

// source reads the text of a theme. A user's theme hides a built-in of the
// same name.
func source(name, dir string) (text []byte, where string, err error) {
	if name != filepath.Base(name) {
		return nil, "", fs.ErrNotExist
	}
	if dir != "" {
		path := filepath.Join(dir, name+".toml")
		if text, err = os.ReadFile(path); !errors.Is(err, fs.ErrNotExist) {
			return text, path, err
		}
	}
	text, err = builtin.ReadFile("builtin/" + name + ".toml")
	return text, name, err
}

// Names lists the themes there are, by name: the built-ins and those of the
// folder dir.
func Names(dir string) []string {
	var names []string
	add := func(entries []fs.DirEntry) {
		for _, entry := range entries {
			if name, ok := strings.CutSuffix(entry.Name(), ".toml"); ok && !entry.IsDir() {
				names = append(names, name)
			}
		}
	}
	entries, err := builtin.ReadDir("builtin")
	if err != nil {
		panic(err) // embedded
	}
	add(entries)
	if dir != "" {
		// A folder that is missing or unreadable adds nothing; the themes in
		// it are then reported as unknown.
		if entries, err := os.ReadDir(dir); err == nil {
			add(entries)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}
