package themes

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The contrasts of WCAG 2 level AA: text, and what is no text.
const (
	textContrast   = 4.5
	borderContrast = 3.0
)

func TestBuiltins_areReadable(t *testing.T) {
	for _, name := range Names("") {
		theme, err := Load(name, "", true)
		if err != nil {
			t.Fatal(err)
		}
		if theme.Background == "" {
			// Such a theme may only use the terminal's palette, whose
			// colours are the user's, and must leave text its own colour.
			for _, token := range Tokens() {
				if p := theme.Paint(token); strings.HasPrefix(p.Color, "#") {
					t.Errorf("%s: %s has the colour %s, but the theme knows no background", name, token, p.Color)
				}
			}
			if p := theme.Paint(Text); p != (Paint{}) {
				t.Errorf("%s: text is painted %+v", name, p)
			}
			continue
		}
		if theme.Variant == "" || theme.Pair == "" {
			t.Errorf("%s has variant %q and pair %q", name, theme.Variant, theme.Pair)
		}
		for _, token := range Tokens() {
			color := theme.Paint(token).Color
			behind := []string{theme.Background, theme.Paint(BgSelected).Color, theme.Paint(BgMarked).Color}
			want := textContrast
			switch {
			case token.IsBackground():
				if color == "" {
					t.Errorf("%s: %s has no colour", name, token)
				}
				continue
			case token == Border || token == BorderFocus:
				behind, want = behind[:1], borderContrast
			}
			for _, back := range behind {
				if got := contrast(t, color, back); got < want {
					t.Errorf("%s: %s %s on %s has contrast %.2f, want %.1f", name, token, color, back, got, want)
				}
			}
		}
	}
}

func TestMono_hasNoColour(t *testing.T) {
	theme, err := Load(Mono, "", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, token := range Tokens() {
		if p := theme.Paint(token); p.Color != "" || p.Italic {
			t.Errorf("%s is %+v", token, p)
		}
	}
}

func TestContrast(t *testing.T) {
	if got := contrast(t, "#ffffff", "#000000"); math.Abs(got-21) > 0.001 {
		t.Errorf("white on black has contrast %f", got)
	}
	if got := contrast(t, "#777777", "#ffffff"); math.Abs(got-4.478) > 0.001 {
		t.Errorf("grey on white has contrast %f", got)
	}
}

func TestNames(t *testing.T) {
	want := []string{"catppuccin-latte", "catppuccin-mocha", "deuteranopia-dark", "deuteranopia-light", "mono", "terminal"}
	if got := Names(""); !slices.Equal(got, want) {
		t.Errorf("the built-ins are %v", got)
	}
	dir := userThemes(t, map[string]string{"own": `text = "red"`, "mono": ``})
	if got := Names(dir); !slices.Contains(got, "own") || len(got) != len(want)+1 {
		t.Errorf("with the user's own they are %v", got)
	}
}

func TestLoad_auto(t *testing.T) {
	dir := userThemes(t, map[string]string{
		"night":   "variant = \"dark\"\npair = \"morning\"",
		"morning": "variant = \"light\"\npair = \"night\"",
	})
	for _, c := range []struct {
		name string
		dark bool
		want string
	}{
		{"auto", true, "catppuccin-mocha"},
		{"auto", false, "catppuccin-latte"},
		{"auto:deuteranopia", true, "deuteranopia-dark"},
		{"auto:deuteranopia", false, "deuteranopia-light"},
		{"auto:deuteranopia-light", true, "deuteranopia-dark"},
		{"auto:night", true, "night"},
		{"auto:night", false, "morning"},
		{"catppuccin-mocha", false, "catppuccin-mocha"},
	} {
		theme, err := Load(c.name, dir, c.dark)
		if err != nil || theme.Name != c.want {
			t.Errorf("Load(%q, dark %v) = %q, %v, want %q", c.name, c.dark, theme.Name, err, c.want)
		}
	}
}

func TestLoad_inherits(t *testing.T) {
	dir := userThemes(t, map[string]string{
		"plain":            `ready = "bright-blue bold"`,
		"child":            "inherits = \"catppuccin-latte\"\nready = \"#000000\"",
		"catppuccin-mocha": "inherits = \"catppuccin-mocha\"\nready = \"#ffffff\"",
	})
	base, err := Load(Default, "", true)
	if err != nil {
		t.Fatal(err)
	}
	plain, err := Load("plain", dir, true)
	if err != nil || plain.Paint(Stuck) != base.Paint(Stuck) || plain.Paint(Ready) != (Paint{Color: "12", Bold: true}) || plain.Name != "plain" {
		t.Errorf("plain is %+v, %v", plain, err)
	}
	child, err := Load("child", dir, true)
	if err != nil || child.Variant != Light || child.Paint(Text).Color != "#4c4f69" || child.Paint(Ready).Color != "#000000" || child.Pair != "" {
		t.Errorf("child is %+v, %v", child, err)
	}
	own, err := Load("catppuccin-mocha", dir, true)
	if err != nil || own.Paint(Ready).Color != "#ffffff" || own.Paint(Text).Color != "#cdd6f4" {
		t.Errorf("the user's catppuccin-mocha is %+v, %v", own, err)
	}
}

func TestLoad_mistakes(t *testing.T) {
	dir := userThemes(t, map[string]string{
		"token":   `redy = "red"`,
		"type":    `ready = 3`,
		"colour":  `ready = "#12345"`,
		"two":     `ready = "red green"`,
		"word":    `ready = "blink"`,
		"variant": `variant = "dim"`,
		"broken":  `ready = `,
		"ring":    `inherits = "ring2"`,
		"ring2":   `inherits = "ring"`,
		"orphan":  `inherits = "gone"`,
	})
	for name, want := range map[string]string{
		"token":    "there is no theme key 'redy'",
		"type":     "ready must be a string",
		"colour":   "'#12345' is no colour",
		"two":      "'red green' names two colours",
		"word":     "'blink' is no colour",
		"variant":  "variant is dark or light, not 'dim'",
		"broken":   "read the theme",
		"ring":     "inherits from itself",
		"orphan":   "there is no theme 'gone'",
		"nowhere":  "there is no theme 'nowhere'",
		"../token": "there is no theme '../token'",
		"auto:nix": "there is no theme 'auto:nix'",
	} {
		_, err := Load(name, dir, true)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Load(%q) = %v, want %q in it", name, err, want)
		}
	}
	_, err := Load("token", dir, true)
	var unknown *UnknownError
	if !errors.As(err, &unknown) || !slices.Contains(unknown.Allowed, "ready") || !slices.Contains(unknown.Allowed, "variant") {
		t.Errorf("the error for an unknown key is %#v", err)
	}
}

func userThemes(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name+".toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// contrast is the contrast ratio of WCAG 2 between two colours #rrggbb.
func contrast(t *testing.T, a, b string) float64 {
	t.Helper()
	light, dark := luminance(t, a), luminance(t, b)
	if light < dark {
		light, dark = dark, light
	}
	return (light + 0.05) / (dark + 0.05)
}

func luminance(t *testing.T, color string) float64 {
	t.Helper()
	n, err := strconv.ParseUint(strings.TrimPrefix(color, "#"), 16, 32)
	if err != nil {
		t.Fatalf("%q is no colour: %v", color, err)
	}
	linear := func(c uint64) float64 {
		v := float64(c&0xff) / 255
		if v <= 0.04045 {
			return v / 12.92
		}
		return math.Pow((v+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(n>>16) + 0.7152*linear(n>>8) + 0.0722*linear(n)
}
