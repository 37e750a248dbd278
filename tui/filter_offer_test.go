package tui

import "testing"

// TestFilter_completes: tab takes what the store holds, and tab again the next.
func TestFilter_completes(t *testing.T) {
	for typed, want := range map[string][]string{
		"tag:c":          {"tag:cli"},
		"-tags:DO":       {"-tags:docs"},
		"by:pl":          {"by:planner-1"},
		"agent:b":        {"agent:build-7"},
		"owner:you":      {"owner:you@box"},
		"epic:gate":      {`epic:"Gate types"`},
		`epic:"claims &`: {`epic:"Claims & leases"`},
		"project:a":      {"project:acme"},
		"tag:":           {"tag:docs", "tag:cli", "tag:release", "tag:docs"},
		"word is:c":      {"word is:claimed", "word is:cancelled", "word is:claimed"},
		"kind:g":         {"kind:gate"},
		"p:n":            {"p:none"},
		"ta":             {"tag:", "tags:", "task_type:", "tag:"},
		"tag:zebra":      {"tag:zebra"},
	} {
		t.Run(typed, func(t *testing.T) {
			d := drive(t, acme, 100, 30)
			d.press("/")
			d.typeText(typed)
			for _, text := range want {
				d.press("tab")
				if got := d.m.board.filter.editor.text(); got != text {
					t.Fatalf("it became %q, want %q", got, text)
				}
			}
		})
	}
	d := drive(t, acme, 80, 24)
	d.press("/")
	d.typeText("tag:")
	d.press("tab")
	d.shows("means tag 'docs'", "docs  cli  release", "Ready 2 of 4")
	d.typeText("x")
	d.hides("docs  cli")
	d.press("ctrl+u")
	d.typeText("agent:zebra")
	d.press("tab")
	d.shows("no agent begins so")
}

// TestFilter_priorities: a filter can ask for tasks without a priority, and says
// where they are among others.
func TestFilter_priorities(t *testing.T) {
	d := drive(t, acme, 80, 24)
	for text, want := range map[string][]string{
		"p:none":  {"means no priority", "Ready 0 of 4", "Blocked 4 of 8"},
		"-p:none": {"means not no priority", "Ready 4 of 4", "Blocked 4 of 8"},
		"p:2":     {"means priority P2 (medium) or none", "Ready 1 of 4", "Blocked 4 of 8"},
		"p:<2":    {"means priority P0 to P1", "Ready 2 of 4", "Blocked 2 of 8"},
		"p:>=2":   {"means priority P2 to P4 or none", "Ready 2 of 4", "Blocked 6 of 8"},
		"p:9":     {"'p:9' is no priority: 0 (highest) to 4 (lowest), or none."},
	} {
		d.press("/", "ctrl+u")
		d.typeText(text)
		d.shows(want...)
		d.press("esc")
	}
}
