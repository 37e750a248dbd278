package coretest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dev.lithos/core"
)

// session is a store with a clock that stands until it is set and ids that can
// be chosen.
type session struct {
	testing.TB
	store   Store
	service *core.Service
	now     time.Time
	nextID  string // of the next task or finding; empty: any
	made    atomic.Int64
}

func newSession(t testing.TB, open Open) *session { return newSessionWith(t, open, core.Settings{}) }

func newSessionWith(t testing.TB, open Open, settings core.Settings) *session {
	t.Helper()
	s := &session{TB: t, store: mustOpen(t, open), now: noon}
	s.service = core.New(core.Config{Store: s.store, Folder: s.store.Folder, Now: func() time.Time { return s.now }, NewID: s.newID, Settings: settings})
	return s
}

func (s *session) newID() string {
	if id := s.nextID; id != "" {
		s.nextID = ""
		return id
	}
	n := s.made.Add(1)
	return fmt.Sprintf("%08x-5e55-4107-8000-%012x", uint32(n)*2654435761, n)
}

// at sets the clock.
func (s *session) at(text string) {
	s.Helper()
	at, err := core.ParseStamp(text)
	if err != nil {
		s.Fatalf("%q: %v", text, err)
	}
	s.now = at.Time()
}

// answer runs an operation and returns its answer, whatever it is.
func (s *session) answer(operation, arguments string) string {
	return string(call(context.Background(), s.service, operation, []byte(arguments)))
}

// do runs an operation that has to succeed and returns its answer.
func (s *session) do(operation, arguments string) string {
	s.Helper()
	answer := s.answer(operation, arguments)
	if strings.HasPrefix(answer, `{"status":"error"`) {
		s.Fatalf("%s %s\nanswers %s", operation, arguments, answer)
	}
	return answer
}

// want runs an operation and compares the bytes of its answer with JSON text
// that may be spaced for reading.
func (s *session) want(operation, arguments, answer string) {
	s.Helper()
	if got, want := s.do(operation, arguments), compact(s, answer); got != want {
		s.Errorf("%s %s\nanswers %s\nwant    %s", operation, arguments, got, want)
	}
}

// fail runs an operation that has to fail with a code and exactly these
// extras, in this order, and to leave the store as it was.
func (s *session) fail(operation, arguments, code, extras string) {
	s.Helper()
	before := s.dump()
	answer := call(context.Background(), s.service, operation, []byte(arguments))
	var envelope struct{ Message string }
	if err := json.Unmarshal(answer, &envelope); err != nil {
		s.Fatalf("%s: %v", answer, err)
	}
	message, err := core.EncodeJSON(envelope.Message)
	if err != nil {
		s.Fatal(err)
	}
	want := fmt.Sprintf(`{"status":"error","code":%q,"message":%s`, code, message)
	if isOutcome(operation, code) {
		want = fmt.Sprintf(`{"status":%q,"message":%s,"warnings":[]`, code, message)
	}
	if extras = compact(s, extras); extras == "{}" {
		want += "}"
	} else {
		want += "," + extras[1:]
	}
	if string(answer) != want {
		s.Errorf("%s %.300s\nanswers %.1500s\nwant    %.1500s", operation, arguments, answer, want)
	}
	if problem := badMessage(envelope.Message); problem != "" {
		s.Errorf("%s %.300s: the message %q %s", operation, arguments, envelope.Message, problem)
	}
	if after := s.dump(); after != before {
		s.Errorf("%s %.300s failed, yet the store changed:\nbefore\n%s\nafter\n%s", operation, arguments, before, after)
	}
}

// isOutcome reports whether a failure is a status of a note write of its own.
func isOutcome(operation, code string) bool {
	return (operation == "write" || operation == "note_update") && (code == "invalid_input" || code == "content_too_large")
}

// same runs a read and fails when it writes anything but who was shown what.
func (s *session) same(operation, arguments string) {
	s.Helper()
	before := without(s.dump(), accessTables[operation])
	s.do(operation, arguments)
	if after := without(s.dump(), accessTables[operation]); after != before {
		s.Errorf("%s %s is a read, yet the store changed:\nbefore\n%s\nafter\n%s", operation, arguments, before, after)
	}
}

// without leaves the rows of some tables out of a dump.
func without(dump string, tables []string) string {
	if len(tables) == 0 {
		return dump
	}
	var kept []string
	for _, line := range strings.Split(dump, "\n") {
		table, _, _ := strings.Cut(line, " ")
		if !slices.Contains(tables, table) {
			kept = append(kept, line)
		}
	}
	return strings.Join(kept, "\n")
}

func (s *session) dump() string {
	s.Helper()
	text, err := s.store.Dump()
	if err != nil {
		s.Fatal(err)
	}
	return text
}

// task creates a task with the id given, open, and more arguments if any.
func (s *session) task(id, more string) {
	s.Helper()
	s.nextID = id
	if more != "" {
		more = "," + more
	}
	s.do("task_create", fmt.Sprintf(`{"title":%s,"agent":"ada"%s}`, core.AppendJSONString(nil, "Task "+id), more))
}

// edge adds an edge.
func (s *session) edge(from, to, kind string) {
	s.Helper()
	s.do("task_edge_upsert", fmt.Sprintf(`{"from_task_id":%q,"to_task_id":%q,"type":%q,"agent":"ada"}`, from, to, kind))
}

// value reads a value of an answer by the path of keys and indexes.
func (s *session) value(answer string, path ...any) any {
	s.Helper()
	v, err := decode([]byte(answer))
	if err != nil {
		s.Fatal(err)
	}
	for _, step := range path {
		switch step := step.(type) {
		case string:
			o, ok := v.(map[string]any)
			if !ok {
				s.Fatalf("%s has no %v", answer, path)
			}
			v = o[step]
		case int:
			l, ok := v.([]any)
			if !ok || step >= len(l) {
				s.Fatalf("%s has no %v", answer, path)
			}
			v = l[step]
		}
	}
	return v
}

// values reads one key of every object of a list.
func (s *session) values(answer, list, key string) []any {
	s.Helper()
	items, ok := s.value(answer, list).([]any)
	if !ok {
		s.Fatalf("%s has no list %s", answer, list)
	}
	all := []any{}
	for _, item := range items {
		all = append(all, item.(map[string]any)[key])
	}
	return all
}

func compact(t testing.TB, text string) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Compact(&b, []byte(text)); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return b.String()
}

// badMessage tells what is wrong with a text for people; empty when nothing
// is.
func badMessage(message string) string {
	if strings.TrimSpace(message) == "" {
		return "is empty"
	}
	for _, word := range []string{
		"SELECT ", "INSERT ", "UPDATE ", "DELETE FROM", "sqlite", "SQLITE", "SQL", "constraint", "UNIQUE", "no such column", "no such table",
		"goroutine", "runtime error", "nil pointer", "strconv", "json:", "cannot unmarshal", "invalid character", "reflect",
	} {
		if strings.Contains(message, word) {
			return fmt.Sprintf("speaks of %q", word)
		}
	}
	return ""
}

// refuse runs a note write that has to end in a status other than success: the
// whole answer is given. Nothing may have changed.
func (s *session) refuse(operation, arguments, answer string) {
	s.Helper()
	before := s.dump() + s.files()
	got := s.answer(operation, arguments)
	if want := compact(s, answer); got != want {
		s.Errorf("%s %.300s\nanswers %.1500s\nwant    %.1500s", operation, arguments, got, want)
	}
	if after := s.dump() + s.files(); after != before {
		s.Errorf("%s %.300s was refused, yet something changed:\nbefore\n%s\nafter\n%s", operation, arguments, before, after)
	}
}

// files is the content of all note files, hidden ones included.
func (s *session) files() string {
	s.Helper()
	var b strings.Builder
	err := filepath.WalkDir(s.store.Knowledge, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			if errors.Is(err, fs.ErrNotExist) && path == s.store.Knowledge {
				return nil
			}
			return err
		}
		if !entry.Type().IsRegular() {
			fmt.Fprintf(&b, "%s %s\n", path, entry.Type())
			return nil
		}
		text, err := os.ReadFile(path)
		fmt.Fprintf(&b, "%s\n%s\n", path, text)
		return err
	})
	if err != nil {
		s.Fatal(err)
	}
	return b.String()
}
