package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

func TestParseMoment(t *testing.T) {
	now := core.StampOf(time.Date(2026, 3, 2, 9, 15, 0, 0, time.UTC))
	for text, want := range map[string]string{
		"+90m": "2026-03-02T10:45:00+00:00", "+2h": "2026-03-02T11:15:00+00:00", "+3d": "2026-03-05T09:15:00+00:00",
		"+1w": "2026-03-09T09:15:00+00:00", "+30s": "2026-03-02T09:15:30+00:00", "+0m": "2026-03-02T09:15:00+00:00",
		"2026-03-05": "2026-03-05", "yesterday": "yesterday", "": "", "-2h": "-2h",
	} {
		if got, err := display.ParseMoment("since", text, now); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"+", "+2", "+h", "+-2h", "+2x", "+1.5h", "+9999999999d", "+99999999d"} {
		if got, err := display.ParseMoment("since", text, now); err == nil {
			t.Errorf("%q is read as %q", text, got)
		} else if e := core.AsError(err); e.Extra("reason") != core.ReasonInvalidValue || e.Extra("field") != "since" {
			t.Errorf("%q: %v %v", text, e.Extra("reason"), e.Extra("field"))
		}
	}
}

func TestParseMinutes(t *testing.T) {
	for text, want := range map[string]int{"90": 90, "45m": 45, "2h": 120, "1h30m": 90, "0": 0, "-5": -5, "120s": 2} {
		if got, err := parseMinutes("ttl_minutes", text); err != nil || got != want {
			t.Errorf("%q: %d, %v; want %d", text, got, err, want)
		}
	}
	for _, text := range []string{"90s", "1.5", "", "m", "2d", "99999999999999999999"} {
		if got, err := parseMinutes("ttl_minutes", text); err == nil {
			t.Errorf("%q is read as %d", text, got)
		}
	}
}

func TestParseDuration(t *testing.T) {
	if got, err := parseDuration("wait", "1m30s", 1); err != nil || got != 90*time.Second {
		t.Errorf("1m30s: %s, %v", got, err)
	}
	if got, err := parseDuration("wait", "0", 0); err != nil || got != 0 {
		t.Errorf("0: %s, %v", got, err)
	}
	for _, text := range []string{"", "5", "0s", "-1s", "soon", "1d"} {
		if got, err := parseDuration("wait", text, 1); err == nil {
			t.Errorf("%q is read as %s", text, got)
		}
	}
}

func TestParsePriority(t *testing.T) {
	for text, want := range map[string]string{"highest": "highest", "P0": "highest", "0": "highest", "2": "medium", "P4": "lowest", "low": "low"} {
		if got, err := parsePriority("metadata.priority", text); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"", "P5", "p0", "5", "-1", "High", "urgent"} {
		_, err := parsePriority("metadata.priority", text)
		if err == nil {
			t.Errorf("%q is accepted", text)
			continue
		}
		if allowed, _ := core.AsError(err).Extra("allowed").([]string); !slices.Contains(allowed, "P4") || !slices.Contains(allowed, "high") {
			t.Errorf("%q: allowed is %q", text, allowed)
		}
	}
}

func TestMetadataPairs(t *testing.T) {
	pairs := &metadataPairs{field: "metadata"}
	for _, pair := range []string{"a=1", "b:=1.0", "c=x=y", "d:={\"k\": [1, null]}", "e=", "f:=null", "ünï=ö,ß", "g=:=x"} {
		if err := pairs.addPair(pair); err != nil {
			t.Fatalf("%q: %v", pair, err)
		}
	}
	object, err := pairs.object()
	if err != nil {
		t.Fatal(err)
	}
	want := `{"a":"1","b":1.0,"c":"x=y","d":{"k":[1,null]},"e":"","f":null,"ünï":"ö,ß","g":":=x"}`
	if object.Text() != want {
		t.Errorf("metadata is %s, want %s", object.Text(), want)
	}
	for pair, reason := range map[string]string{
		"novalue": core.ReasonInvalidValue, "=x": core.ReasonInvalidValue, ":=1": core.ReasonInvalidValue, "a=again": core.ReasonInvalidValue,
		"z:=": core.ReasonMalformed, "z:={": core.ReasonMalformed, "z:=1 2": core.ReasonMalformed, "z=\xff": core.ReasonMalformed,
		`z:="\ud800"`: core.ReasonMalformed, `z:="\u0000"`: core.ReasonMalformed,
	} {
		err := pairs.addPair(pair)
		if err == nil {
			t.Errorf("%q is accepted", pair)
		} else if got := core.AsError(err).Extra("reason"); got != reason {
			t.Errorf("%q: %v, want %s", pair, got, reason)
		}
	}
	deep := &metadataPairs{field: "metadata"}
	if err := deep.addPair("a:=" + strings.Repeat("[", 5000) + strings.Repeat("]", 5000)); err != nil {
		t.Fatal(err)
	}
	if _, err := deep.object(); err == nil {
		t.Error("metadata nested 5000 deep is accepted")
	}
}

func FuzzParseMoment(f *testing.F) {
	f.Add("+2h")
	f.Add("+99999999999999999999d")
	f.Fuzz(func(t *testing.T, text string) {
		at, err := display.ParseMoment("since", text, 0)
		if err == nil && strings.HasPrefix(text, "+") {
			if _, err := core.ParseStamp(at); err != nil {
				t.Fatalf("%q is read as %q, which is no time", text, at)
			}
		}
	})
}
