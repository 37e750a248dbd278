package themes

import (
	"fmt"

	"github.com/BurntSushi/toml"
)

// Variant says for which background a theme is made.
type Variant string

// The variants. A theme without one fits both.
const (
	Dark  Variant = "dark"
	Light Variant = "light"
)

// Theme is a set of paints. The zero value paints nothing.
type Theme struct {
	Name    string
	Variant Variant
	// Pair names the theme of the other variant, if there is one.
	Pair string
	// Background is the colour that the theme reckons with behind everything.
	// It is not painted.
	Background string
	paints     [tokenCount]Paint
}

// Paint returns how a token looks.
func (t Theme) Paint(token Token) Paint { return t.paints[token] }

// file is a theme as its file holds it; tokens are the rest of the keys.
type file struct {
	Name       string `toml:"name"`
	Variant    string `toml:"variant"`
	Pair       string `toml:"pair"`
	Inherits   string `toml:"inherits"`
	Background string `toml:"background"`
}

// fileKeys are the keys of a theme file that are no tokens.
var fileKeys = []string{"name", "variant", "pair", "inherits", "background"}

// Keys lists every key that a theme file may have.
func Keys() []string {
	keys := append([]string{}, fileKeys...)
	for _, t := range Tokens() {
		keys = append(keys, t.String())
	}
	return keys
}

// UnknownError is a name that is not among the permitted ones, so that the
// caller can offer the nearest.
type UnknownError struct {
	What    string // "theme" or "theme key"
	Name    string
	Where   string // the file, or empty
	Allowed []string
}

// Error names what is unknown.
func (e *UnknownError) Error() string {
	if e.Where == "" {
		return fmt.Sprintf("there is no %s '%s'", e.What, e.Name)
	}
	return fmt.Sprintf("there is no %s '%s' (in %s)", e.What, e.Name, e.Where)
}

// parse reads a theme. where names the source in errors; base returns the
// theme that missing tokens come from, the default one for "".
func parse(text []byte, where string, base func(name string) (Theme, error)) (Theme, error) {
	var head file
	if err := toml.Unmarshal(text, &head); err != nil {
		return Theme{}, fmt.Errorf("read the theme %s: %w", where, err)
	}
	var rest map[string]any
	meta, err := toml.Decode(string(text), &rest)
	if err != nil {
		return Theme{}, fmt.Errorf("read the theme %s: %w", where, err)
	}
	theme, err := base(head.Inherits)
	if err != nil {
		return Theme{}, err
	}
	theme.Name, theme.Pair = head.Name, head.Pair
	if head.Variant != "" {
		theme.Variant = Variant(head.Variant)
	}
	if v := theme.Variant; v != "" && v != Dark && v != Light {
		return Theme{}, fmt.Errorf("the theme %s: variant is dark or light, not '%s'", where, v)
	}
	if head.Background != "" {
		theme.Background = head.Background
	}
	// In the order of the file, so that the first mistake is reported.
	for _, key := range meta.Keys() {
		if err := theme.set(key.String(), rest, where); err != nil {
			return Theme{}, err
		}
	}
	return theme, nil
}

// set takes one key of a theme file over.
func (t *Theme) set(key string, values map[string]any, where string) error {
	for _, own := range fileKeys {
		if key == own {
			return nil
		}
	}
	for token, name := range tokenNames {
		if name != key {
			continue
		}
		text, ok := values[key].(string)
		if !ok {
			return fmt.Errorf("the theme %s: %s must be a string", where, key)
		}
		paint, err := ParsePaint(text)
		if err != nil {
			return fmt.Errorf("the theme %s: %s: %w", where, key, err)
		}
		t.paints[token] = paint
		return nil
	}
	return &UnknownError{What: "theme key", Name: key, Where: where, Allowed: Keys()}
}
