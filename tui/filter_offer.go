package tui

import (
	"context"
	"slices"
	"strings"
	"unicode/utf8"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// filterOffer is how a term of a filter can be completed: tab takes the first
// value, and tab again the next.
type filterOffer struct {
	before string   // what stands before the value
	values []string // as they are typed
	at     int      // the one that was taken
	text   string   // the whole text with it; once that is edited the offer is void
	none   string   // what there is none of
}

// maxOffered is how many values are offered.
const maxOffered = 30

// isOffering reports whether what is typed is what an offer made of it.
func (f *filterBar) isOffering() bool {
	return (len(f.offer.values) > 0 || f.offer.none != "") && f.offer.text == f.editor.text()
}

// complete finishes the last term: where it is the beginning of a key or of a
// value that is known, and else by what the store holds.
func (f *filterBar) complete(m *model) tea.Cmd {
	text := f.editor.text()
	if f.isOffering() && len(f.offer.values) > 0 {
		return f.take(m, f.offer.at+1)
	}
	begin := lastTerm(text)
	term := strings.TrimPrefix(text[begin:], "-")
	key, value, hasValue := strings.Cut(term, ":")
	before := text[:len(text)-len(value)]
	if !hasValue {
		if key == "" {
			return nil
		}
		before = text[:len(text)-len(key)]
		var keys []string
		for _, k := range append(slices.Clone(core.FilterKeys), sortedKeys(core.FilterAliases)...) {
			keys = append(keys, k+":")
		}
		return f.propose(m, before, key, keys, "")
	}
	if alias, ok := core.FilterAliases[strings.ToLower(key)]; ok {
		key = alias
	}
	value = strings.ReplaceAll(value, `"`, "")
	switch strings.ToLower(key) {
	case "is":
		return f.propose(m, before, value, core.FilterStates, "state")
	case "kind":
		return f.propose(m, before, value, []string{string(core.TypeTask), string(core.TypeEpic), string(core.TypeGate)}, "kind")
	case "p":
		return f.propose(m, before, value, append(slices.Clone(core.Priorities), "none"), "priority")
	}
	service := m.live.service
	what, ok := map[string]string{"tag": "tag", "project": "project", "by": "agent", "agent": "agent", "epic": "open epic"}[strings.ToLower(key)]
	if service == nil || !ok {
		return nil
	}
	return m.work(func() func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(m.ctx, readLimit)
		defer cancel()
		values, err := service.FilterValues(ctx, key, value, maxOffered)
		return func(m *model) tea.Cmd {
			switch {
			case err != nil:
				return m.loadFailed(err)
			case !f.active || f.editor.text() != text:
				return nil // typed on
			}
			for i, v := range values {
				values[i] = typedValue(v)
			}
			return f.offerAll(m, before, slices.DeleteFunc(values, func(v string) bool { return v == "" }), what)
		}
	})
}

// propose offers those of fixed values that begin so.
func (f *filterBar) propose(m *model, before, begin string, values []string, what string) tea.Cmd {
	var fitting []string
	for _, v := range values {
		if strings.HasPrefix(v, strings.ToLower(begin)) {
			fitting = append(fitting, v)
		}
	}
	return f.offerAll(m, before, fitting, what)
}

// offerAll takes the first of the values, and shows the others.
func (f *filterBar) offerAll(m *model, before string, values []string, what string) tea.Cmd {
	f.offer = filterOffer{before: before, values: values, text: f.editor.text()}
	if len(values) == 0 {
		f.offer.none = what
		return nil
	}
	return f.take(m, 0)
}

// take puts a value of the offer behind what stands before it.
func (f *filterBar) take(m *model, at int) tea.Cmd {
	o := &f.offer
	o.at = at % len(o.values)
	o.text = o.before + o.values[o.at]
	f.editor.setText(o.text)
	return f.set(m, o.text)
}

// lastTerm is where the last term of a filter begins: behind the last blank
// outside quotation marks.
func lastTerm(text string) int {
	begin, quoted := 0, false
	for i, r := range text {
		if r == '"' {
			quoted = !quoted
		}
		if !quoted && (r == ' ' || r == '\t') {
			begin = i + utf8.RuneLen(r)
		}
	}
	return begin
}

// typedValue is a value as it is typed behind a key; "" for one that cannot be
// typed.
func typedValue(value string) string {
	if display.Visible(value) != value || strings.Contains(value, `"`) {
		return ""
	}
	if strings.ContainsAny(value, " \t") {
		return `"` + value + `"`
	}
	return value
}

// spans show the values, the one that was taken among them.
func (o *filterOffer) spans(g *glyphs, width int) []span {
	if len(o.values) == 0 {
		return []span{{"no " + o.none + " begins so", warnLook}}
	}
	var spans []span
	first := 0
	for i := range o.values[:o.at+1] { // from the one that lets the taken one be seen
		n := 0
		for _, v := range o.values[i : o.at+1] {
			n += cells(v) + 2
		}
		if first = i; n <= width-2 {
			break
		}
	}
	if first > 0 {
		spans = append(spans, span{g.ellipsis + " ", dimText})
	}
	for i, v := range o.values[first:] {
		l := dimText
		if first+i == o.at {
			l = keyLook
		}
		spans = append(spans, span{v, l}, span{"  ", dimText})
	}
	return spans
}
