package tui

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"dev.lithos/core"
)

// scope is a part of the UI that gives keys a meaning. Several are active at
// once; the innermost decides.
type scope string

// The scopes.
const (
	scopeApp   scope = "everywhere"
	scopeList  scope = "list"
	scopeTask  scope = "task" // a task is at hand
	scopeBoard scope = "board"
	scopeGates scope = "gates"
	scopePage  scope = "task page"
	scopeTree  scope = "tree"
	scopeGraph scope = "graph"
	scopeNotes scope = "notes"
	scopeNote  scope = "note"
)

// places are the combinations of scopes that can be active together, innermost
// first, by the name of the place.
var places = []struct {
	name   string
	scopes []scope
}{
	{"Board", []scope{scopeBoard, scopeList, scopeTask, scopeApp}},
	{"Gates", []scope{scopeGates, scopeBoard, scopeList, scopeTask, scopeApp}},
	{"Task", []scope{scopePage, scopeList, scopeTask, scopeApp}},
	{"Tree", []scope{scopeTree, scopeList, scopeTask, scopeApp}},
	{"Graph", []scope{scopeGraph, scopeTask, scopeApp}},
	{"Notes", []scope{scopeNotes, scopeList, scopeApp}},
	{"Note", []scope{scopeNote, scopeList, scopeApp}},
}

// binding is a key or a sequence of keys with its action.
type binding struct {
	keys   []string
	action *action
}

// keymap tells what keys mean in each scope.
type keymap struct {
	scopes map[scope][]binding
	keys   map[string][][]string // action id → sequences
}

// newKeymap lays the user's keys over the defaults. keys maps ids of actions
// to the keys they shall have instead; an empty list takes an action its
// keys. Unknown actions, unreadable keys and keys with two meanings in one
// scope are refused.
func newKeymap(keys map[string][]string) (*keymap, error) {
	m := &keymap{scopes: map[scope][]binding{}, keys: map[string][][]string{}}
	for _, id := range sortedKeys(keys) {
		if actionNamed(id) == nil {
			return nil, core.UnknownField(id, "action", actionIDs())
		}
	}
	for i := range actions() {
		a := &actions()[i]
		names, own := keys[a.id]
		if !own {
			names = a.keys
		}
		for _, name := range names {
			sequence, err := parseKeys(name)
			if err != nil {
				return nil, core.InvalidValue("keys."+a.id, name, fmt.Sprintf("The keys of %s cannot be used: %s.", a.id, err))
			}
			m.keys[a.id] = append(m.keys[a.id], sequence)
			for _, s := range a.scopes {
				if other := m.clash(s, sequence, a); other != nil {
					return nil, core.InvalidValue("keys."+a.id, name,
						fmt.Sprintf("The key '%s' stands for %s and for %s (%s).", keyName(sequence), other.id, a.id, s))
				}
				m.scopes[s] = append(m.scopes[s], binding{sequence, a})
			}
		}
	}
	return m, nil
}

// clash finds another action of a scope that a sequence would make
// unreachable, or that would make it so: one has the keys with which the
// other begins.
func (m *keymap) clash(s scope, sequence []string, a *action) *action {
	for _, b := range m.scopes[s] {
		n := min(len(b.keys), len(sequence))
		if b.action != a && slices.Equal(b.keys[:n], sequence[:n]) {
			return b.action
		}
	}
	return nil
}

// find looks a sequence up in the active scopes. action is nil when there is
// none; more tells whether the sequence begins longer ones.
func (m *keymap) find(scopes []scope, sequence []string) (a *action, more bool) {
	for _, s := range scopes {
		for _, b := range m.scopes[s] {
			if len(b.keys) < len(sequence) || !slices.Equal(b.keys[:len(sequence)], sequence) {
				continue
			}
			if len(b.keys) == len(sequence) {
				return b.action, false
			}
			more = true
		}
		if more {
			return nil, true
		}
	}
	return nil, false
}

// after lists what can follow the beginning of a sequence.
func (m *keymap) after(scopes []scope, sequence []string) []binding {
	var list []binding
	for _, s := range scopes {
		for _, b := range m.scopes[s] {
			if len(b.keys) > len(sequence) && slices.Equal(b.keys[:len(sequence)], sequence) {
				list = append(list, b)
			}
		}
	}
	return list
}

// shown is how the first key of an action is written, "" for none.
func (m *keymap) shown(id string, g *glyphs) string {
	if sequences := m.keys[id]; len(sequences) > 0 {
		return shownKeys(sequences[0], g)
	}
	return ""
}

// keyAliases are other names under which keys may be configured.
var keyAliases = map[string]string{
	"space": " ", "pgdn": "pgdown", "pageup": "pgup", "pagedown": "pgdown",
	"return": "enter", "escape": "esc", "del": "delete", "ins": "insert",
}

// namedKeys are the keys that have a name instead of a character.
var namedKeys = []string{
	"up", "down", "left", "right", "home", "end", "pgup", "pgdown", "tab", "enter", "esc", "backspace",
	"delete", "insert", "f1", "f2", "f3", "f4", "f5", "f6", "f7", "f8", "f9", "f10", "f11", "f12",
}

// parseKeys reads a key or a sequence of keys separated by spaces, such as
// ctrl+d or g b.
func parseKeys(text string) ([]string, error) {
	var sequence []string
	for _, word := range strings.Fields(text) {
		modifiers, key := "", word
		for _, m := range []string{"ctrl+", "alt+", "shift+"} {
			if rest, ok := strings.CutPrefix(key, m); ok && rest != "" {
				modifiers, key = modifiers+m, rest
			}
		}
		if alias, ok := keyAliases[key]; ok {
			key = alias
		}
		if nextCluster(key) != len(key) && !slices.Contains(namedKeys, key) {
			return nil, fmt.Errorf("'%s' is no key", word)
		}
		sequence = append(sequence, modifiers+key)
	}
	if len(sequence) == 0 {
		return nil, errors.New("a key is missing")
	}
	return sequence, nil
}

// keyName is how a sequence is configured and documented.
func keyName(sequence []string) string {
	names := make([]string, len(sequence))
	for i, key := range sequence {
		names[i] = strings.Replace(key, " ", "space", 1)
		names[i] = strings.Replace(names[i], "pgdown", "pgdn", 1)
	}
	return strings.Join(names, " ")
}

// shownKeys is how a sequence is shown on screen: short.
func shownKeys(sequence []string, g *glyphs) string {
	var out strings.Builder
	for _, key := range sequence {
		switch key {
		case "enter":
			key = g.enter
		case "up", "down", "left", "right":
			if !g.ascii {
				key = map[string]string{"up": "↑", "down": "↓", "left": "←", "right": "→"}[key]
			}
		default:
			key = keyName([]string{key})
		}
		out.WriteString(key)
	}
	return out.String()
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
