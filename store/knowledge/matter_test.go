package knowledge

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dev.lithos/core"
)

// plainMatter is front matter as a tool writes it.
const plainMatter = `access_scope: shared
aliases: []
author: ada
confidence: 1.0
contributors:
  - eve
created_at: '2026-11-30T16:12:11.486922+00:00'
derived_from_ids:
  - 94f8ca62-2c02-48fb-93d4-92998eb464e6
id: 77f72611-4584-40f3-9ff9-d730ceec51e3
reviewed: true
source: null
title: Größe der Puffer, und mehr
version: 12
`

// checkPlain holds that what parsePlain reads is what parseMatter reads.
func checkPlain(t *testing.T, matter string) (read bool) {
	t.Helper()
	fields, ok := parsePlain(matter)
	if !ok {
		return false
	}
	want, isMapping, err := parseMatter(matter)
	if err != nil || !isMapping {
		t.Fatalf("%q is %v, %v", matter, isMapping, err)
	}
	if len(fields) == 0 && len(want) == 0 {
		return true
	}
	if diff := cmp.Diff(want, fields); diff != "" {
		t.Fatalf("%q\n%s", matter, diff)
	}
	return true
}

func TestParsePlain(t *testing.T) {
	if !checkPlain(t, plainMatter) {
		t.Error("what tools write is read the slow way")
	}
	note, err := emitMatter([]core.NoteField{
		{Key: "tags", Value: []byte(`["db","a b"]`)}, {Key: "title", Value: []byte(`"It's done"`)}, {Key: "at", Value: []byte(`"2026-03-02"`)},
		{Key: "none", Value: []byte(`null`)}, {Key: "share", Value: []byte(`0.25`)},
	})
	if err != nil {
		t.Fatal(err)
	}
	if !checkPlain(t, string(note)) {
		t.Errorf("%s is read the slow way", note)
	}
	for _, matter := range []string{
		"a: x # y\n", "ab: x: y\n", "ab: 'it''s'\n", "ab: 007\n", "ab: 1e3\n", "ab: yes\n", "ab: True\n", "ab:\n", "ab: x\n  y\n", "ab: [x]\n", "ab: x \n",
		"ab: x\nab: y\n", "ab: 2026-01-01\n", "ab: \"x\"\n", "ab: |\n  x\n", "ab:\n- x\n", "ab:\n  - x: y\n", "on: x\n", "ab: &a x\n", "ab: \x7f\n", "ab: x\u2028y\n", "ab:x\n",
	} {
		if _, ok := parsePlain(matter); ok {
			t.Errorf("%q counts as simple", matter)
		}
	}
	// Lines of pieces that mean something to YAML.
	pieces := []string{
		"ab", "title", "x", "é", "yes", "No", "null", "~", "1", "0", "12", "1.5", "0x1", "1_0", "-1", ".5", "1e5", "2026-01-02", "77f72611-4584-40f3-9ff9-d730ceec51e3",
		" ", " ", "  ", ": ", ":", " #", "#", "- ", "-", "'", "''", "\"", "[]", "[", "]", "{}", ",", "&a", "*a", "!x", "|", ">", "%", "@", "<<", "\n", "\n", "\n  - ", "\n  ", "\t", "?", "...",
	}
	random := rand.New(rand.NewPCG(1, 2))
	read := 0
	for range 60_000 {
		var b strings.Builder
		b.WriteString([]string{"ab:", "ab: ", "ab: x\ncd: ", "ab:\n  - "}[random.IntN(4)])
		for range 1 + random.IntN(7) {
			b.WriteString(pieces[random.IntN(len(pieces))])
		}
		if checkPlain(t, b.String()) {
			read++
		}
	}
	if read < 1_000 {
		t.Errorf("only %d of the texts are simple", read)
	}
}

// FuzzParsePlain looks for front matter that is read in two ways.
func FuzzParsePlain(f *testing.F) {
	f.Add(plainMatter)
	f.Add("ab: 'x'\ncd:\n  - y z\n")
	f.Fuzz(func(t *testing.T, matter string) { checkPlain(t, matter) })
}

func BenchmarkParse(b *testing.B) {
	for name, parse := range map[string]func(string) bool{
		"plain": func(matter string) bool { _, ok := parsePlain(matter); return ok },
		"YAML":  func(matter string) bool { _, ok, _ := parseMatter(matter); return ok },
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				if !parse(plainMatter) {
					b.Fatal("it was not read")
				}
			}
		})
	}
}
