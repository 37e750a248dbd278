package coretest

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"dev.lithos/core"
)

// undocumented tells what of an envelope the registry does not know: a code,
// an extra, their order, a message that gives the inside away. Empty when the
// answer is no error or all is well.
func undocumented(operation string, answer []byte) string {
	dec := json.NewDecoder(bytes.NewReader(answer))
	var keys []string
	values := map[string]any{}
	if _, err := dec.Token(); err != nil {
		return err.Error()
	}
	for dec.More() {
		token, err := dec.Token()
		if err != nil {
			return err.Error()
		}
		var value any
		if err := dec.Decode(&value); err != nil {
			return err.Error()
		}
		key, ok := token.(string)
		if !ok {
			return fmt.Sprintf("the answer %.100s is no object", answer)
		}
		keys = append(keys, key)
		values[key] = value
	}
	if values["status"] != "error" {
		return ""
	}
	code, _ := values["code"].(string)
	message, _ := values["message"].(string)
	info := core.Describe(core.Code(code))
	switch {
	case info.Code == "" || info.Code == core.CodeInternalError:
		return fmt.Sprintf("the code is %q", code)
	case len(keys) < 3 || keys[0] != "status" || keys[1] != "code" || keys[2] != "message":
		return fmt.Sprintf("the keys are %v", keys)
	}
	if problem := badMessage(message); problem != "" {
		return fmt.Sprintf("the message %q %s", message, problem)
	}
	extras := keys[3:]
	if operation == "task_apply" && len(extras) > 0 && extras[len(extras)-1] == "operation_index" {
		extras = extras[:len(extras)-1]
	}
	for _, documented := range info.Extras {
		name, optional := strings.CutSuffix(documented, "?")
		if len(extras) > 0 && extras[0] == name {
			extras = extras[1:]
		} else if !optional {
			return fmt.Sprintf("%s lacks %s among %v", code, name, keys)
		}
	}
	if len(extras) > 0 {
		return fmt.Sprintf("%s carries %v, which is undocumented or out of order", code, extras)
	}
	reasons := []any{core.ReasonUnknownField, core.ReasonMissingField, core.ReasonInvalidValue, core.ReasonInvalidStatus, core.ReasonMalformed}
	if code == string(core.CodeInvalidInput) && !slices.Contains(reasons, values["reason"]) {
		return fmt.Sprintf("the reason is %v", values["reason"])
	}
	return ""
}

// rehearse runs an operation without leaving a trace.
func (s *session) rehearse(operation string, arguments []byte) []byte {
	return call(core.Rehearse(context.Background()), s.service, operation, arguments)
}

// FuzzCall tries any text as the arguments of any operation: no panic, no
// code, reason, extra or message that is not documented, and the answer is
// well-formed.
func FuzzCall(f *testing.F, open Open) {
	s := newSession(f, open)
	graph(s)
	names := make([]string, len(core.Operations))
	for i, op := range core.Operations {
		names[i] = op.Name()
		f.Add(i, plausible[op.Name()])
	}
	for i, text := range []string{
		``, `[]`, `{}`, `{"task_id":"first-01"`, `{"task_id":"\ud800"}`, "{\"task_id\":\"\x00\"}", `{"limit":1e400,"offset":-0.0}`,
		`{"metadata_match":{"k":[1]},"tags":[null]}`, `{"title":"T","agent":"mo","metadata":{"gate_type":"timer","ready_at":"2026-W10"},"task_type":"gate"}`,
		`{"operations":[{"op":"create","as":"a","title":"T","agent":"mo"},{"op":"complete","task_id":"$a"}]}`,
		`{"from_task_id":"third-01","to_task_id":"first-01","type":"blocks","agent":"mo"}`, `{"since":"0001-01-01T00:00:00+23:59","task_id":"first-01"}`,
	} {
		f.Add(i*5, text)
	}
	f.Fuzz(func(t *testing.T, which int, text string) {
		name := names[uint(which)%uint(len(names))]
		answer := s.rehearse(name, []byte(text))
		if problem := undocumented(name, answer); problem != "" {
			t.Errorf("%s %q: %s", name, text, problem)
		}
		if !json.Valid(answer) || !utf8.Valid(answer) {
			t.Errorf("%s %q answers %q", name, text, answer)
		}
	})
}

// FuzzApply tries any text as the operations of task_apply after one that is
// sound.
func FuzzApply(f *testing.F, open Open) {
	s := newSession(f, open)
	graph(s)
	for _, text := range []string{
		``, `,{}`, `,{"op":"complete","task_id":"$a"}`, `,{"op":"create","as":"a","title":"T"}`, `,{"op":"create","as":"a b","title":"T"},7`,
		`,{"op":"create","as":"b","title":"T","depends_on":["$a","$b"]}`, `,{"op":"spawn","source_task_id":"$a","title":"\u0000"}`,
		`,{"op":"edge_upsert","from_task_id":"$a","to_task_id":"$a","type":"blocks"}`, `,{"op":"edge_upsert","from_task_id":"third-01","to_task_id":"first-01","type":"blocks"}`,
		`,{"op":"claim","task_id":"first-01","aspect":"work","ttl_minutes":1e300}`, `,{"op":"finding_post","task_id":"$a","summary":"","knowledge_id":"$a"}`,
		`,{"op":"update","task_id":"gate-001","metadata":{"gate_type":null}}`, `,{"op":"complete","op":"cancel","task_id":"$a","task_id":"first-01"}`, `]}{"`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		arguments := `{"agent":"mo","operations":[{"op":"create","as":"a","title":"T"}` + text + `]}`
		answer := s.rehearse("task_apply", []byte(arguments))
		if problem := undocumented("task_apply", answer); problem != "" {
			t.Errorf("%q: %s", text, problem)
		}
	})
}

// FuzzID tries any text as an id and holds the outcome to the table of the
// contract.
func FuzzID(f *testing.F, open Open) {
	s := newSession(f, open)
	ids := []string{"ab", "abcdef", "abcdefgh", "abcdefghij", "ABCDEFGH", "éèêëüß1", "zzzzzz9", "zzzzzz10", "a%_*?[1", "\U0010ffff\U0010ffff\U0010ffff\U0010ffff\U0010ffff\U0010ffff!"}
	for _, id := range ids {
		s.task(id, "")
		f.Add(id)
	}
	for _, text := range []string{"", "a", "abcde", "abcdefg", "zzzzzz", "éèêëüß", "éèêëü\xc3", "a%____", "abcdef\x00", "\U0010ffff\U0010ffff\U0010ffff\U0010ffff\U0010ffff\U0010ffff", "\xff\xff\xff\xff\xff\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		var hits []string
		for _, id := range ids {
			if strings.HasPrefix(id, text) {
				hits = append(hits, id)
			}
		}
		want := "task_not_found"
		switch {
		case !utf8.ValidString(text) || strings.Contains(text, "\x00"):
			want = "invalid_input"
		case slices.Contains(ids, text):
			want, hits = "", []string{text}
		case utf8.RuneCountInString(text) < core.MinIDPrefixCharacters:
			want = "invalid_input"
		case len(hits) == 1:
			want = ""
		case len(hits) > 1:
			want = "ambiguous_id_prefix"
		}
		result, err := s.service.TaskGet(t.Context(), core.TaskGetRequest{TaskID: text})
		if err != nil {
			e := core.AsError(err)
			if string(e.Code) != want {
				t.Errorf("%q: %s, want %q", text, e.Code, want)
			}
			if problem := undocumented("task_get", e.AppendJSON(nil)); problem != "" {
				t.Errorf("%q: %s", text, problem)
			}
			return
		}
		if want != "" || result.Task.ID != hits[0] {
			t.Errorf("%q resolves to %q, want %q %v", text, result.Task.ID, want, hits)
		}
	})
}
