package exchange

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"dev.lithos/core"
)

func TestOpen_recognises(t *testing.T) {
	const (
		issue   = `{"id":"bd-1","title":"t","status":"open","created_at":"2026-03-01"}`
		warrior = `{"uuid":"u","description":"d","status":"pending","entry":"20260301T080000Z"}`
		header  = `{"type":"lithos","format":1}`
	)
	for content, want := range map[string]string{
		header + "\n":                    "lithos",
		"\ufeff\n\r\n" + header:          "lithos",
		"<<<<<<< ours\n" + header + "\n": "lithos",
		issue:                            "beads",
		"{broken\n" + issue + "\n":       "beads",
		`{"_type":"memory"}`:             "beads",
		warrior:                          "taskwarrior",
		"[" + warrior + "]":              "taskwarrior",
		" \n[\n" + warrior + ",\n5]\n":   "taskwarrior",
		"\ufeff[]":                       "taskwarrior",
		"[\n]\n":                         "taskwarrior",
		"":                               "empty",
		"\n \n":                          "empty",
		"[5]":                            "none",
		"[" + issue + "]":                "none",
		`{"a":1}`:                        "none",
		"words\n" + `{"a":1}`:            "none Line 1: It is not valid JSON",
		strings.Repeat("{\n", 200):       "none",
		`"lithos"`:                       "none Line 1: It is no JSON object.",
		"\x1f\x8b\x08":                   "none gunzip -c FILE",

		`{"format":"lithos","records":[]}`: "none jq -c .records[] FILE",
	} {
		f, err := open(t, content, "")
		if err == nil {
			if f.Format() != want {
				t.Errorf("%.40q: %s, want %s", content, f.Format(), want)
			}
			continue
		}
		e := core.AsError(err)
		kind, detail, _ := strings.Cut(want, " ")
		if e.Code != core.CodeInvalidInput || e.Extra("reason") != core.ReasonMalformed || e.Extra("field") != "file" ||
			strings.Contains(e.Message, "empty") != (kind == "empty") || !strings.Contains(e.Message, detail) || kind != "empty" && kind != "none" {
			t.Errorf("%.40q: %v, want %s", content, err, want)
		}
	}
}

func TestOpen_namedFormat(t *testing.T) {
	for format, count := range map[string]int{"beads": 0, "taskwarrior": 0} {
		if records := recordsOf(t, "", format); len(records) != count {
			t.Errorf("%s: an empty file has %d records", format, len(records))
		}
	}
	f, err := open(t, "", "lithos")
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Each(context.Background(), func(*core.TransferRecord) error { return nil }); err == nil {
		t.Error("a file without header was read")
	}
	_, err = open(t, "", "beds")
	if e := core.AsError(err); e == nil || e.Extra("field") != "format" || e.Extra("nearest") != "beads" {
		t.Errorf("got %v", err)
	}
}

// What can be read only once is kept, in memory or, when it is long, in a file
// that is gone afterwards.
func TestOpen_readTwice(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	line := `{"id":"bd-1","title":"` + strings.Repeat("x", 1000) + `","status":"open","created_at":"2026-03-01"}` + "\n"
	for _, content := range []string{line, strings.Repeat(line, maxInMemory/len(line)+10)} {
		f, err := Open(StandardInput, "", Sources{Stdin: iotest.HalfReader(strings.NewReader(content))})
		if err != nil {
			t.Fatal(err)
		}
		for range 2 {
			n := 0
			if err := f.Each(context.Background(), func(*core.TransferRecord) error { n++; return nil }); err != nil {
				t.Fatal(err)
			}
			if want := strings.Count(content, "\n"); n != want {
				t.Errorf("%d records, want %d", n, want)
			}
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	if left, err := os.ReadDir(os.TempDir()); err != nil || len(left) != 0 && runtime.GOOS == "linux" {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

func TestOpen_unreadable(t *testing.T) {
	cause := errors.New("gone")
	for name, from := range map[string]Sources{
		StandardInput:                         {Stdin: iotest.ErrReader(cause)},
		filepath.Join(t.TempDir(), "nowhere"): {},
		t.TempDir():                           {},
	} {
		_, err := Open(name, "", from)
		if e := core.AsError(err); e == nil || e.Code != core.CodeInvalidInput || e.Extra("field") != "file" || e.Extra("value") != name {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestOpen_database(t *testing.T) {
	path := filepath.Join(t.TempDir(), "coordination.db")
	if err := os.WriteFile(path, append(bytes.Clone(databaseHead), make([]byte, 100)...), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path, "", Sources{OpenTables: func(string) (Tables, error) { return serverAges["newest"], nil }})
	if err != nil {
		t.Fatal(err)
	}
	if f.Format() != "lithos-server" {
		t.Errorf("format %s", f.Format())
	}
	n := 0
	if err := f.Each(context.Background(), func(*core.TransferRecord) error { n++; return nil }); err != nil || n != 2 {
		t.Errorf("%d records, %v", n, err)
	}
	if err := f.Close(); err != nil {
		t.Error(err)
	}
	if _, err := Open(StandardInput, "", Sources{Stdin: bytes.NewReader(databaseHead)}); err == nil {
		t.Error("a database was read from standard input")
	}
	refusal := errors.New("refused")
	if _, err := Open(path, "", Sources{OpenTables: func(string) (Tables, error) { return nil, refusal }}); !errors.Is(err, refusal) {
		t.Errorf("got %v", err)
	}
}

// A database that comes through a pipe would have to be opened twice.
func TestOpen_databaseInPipe(t *testing.T) {
	pipe := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	written := make(chan error, 1)
	go func() { written <- os.WriteFile(pipe, append(databaseHead, make([]byte, 100)...), 0o600) }()
	_, err := Open(pipe, "", Sources{})
	if err == nil || err.Error() != "A database cannot be read from a pipe or a device; name its file." {
		t.Errorf("opened: %v", err)
	}
	if err := <-written; err != nil {
		t.Error(err)
	}
}
