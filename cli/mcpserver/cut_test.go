package mcpserver

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"dev.lithos/core"
)

func someTasks(n int) []core.Task {
	tasks := make([]core.Task, n)
	for i := range tasks {
		tasks[i].ID = fmt.Sprintf("task-%d", i)
		tasks[i].Title = strings.Repeat("t", i%7*11)
	}
	return tasks
}

func someEvents(n int) []core.Event {
	events := make([]core.Event, n)
	for i := range events {
		events[i] = core.Event{Seq: int64(1000 + 7*i), Payload: json.RawMessage(`{}`)}
	}
	return events
}

// shown is what the answers that can be cut have in common.
type shown struct {
	Tasks, Events []json.RawMessage
	HasMore       *bool `json:"has_more"`
	Truncated     bool
}

func TestCut(t *testing.T) {
	no := false
	cursor := int64(3)
	for name, result := range map[string]any{
		"task_list":             core.TaskListResult{Tasks: someTasks(60)},
		"task_list with limit":  core.TaskListResult{Tasks: someTasks(60), HasMore: &no},
		"task_ready":            core.FrontierResult{Tasks: someTasks(60)},
		"task_ready, more":      core.FrontierResult{Tasks: someTasks(60), HasMore: true},
		"events":                core.EventsResult{Events: someEvents(60), NextSince: 5000},
		"journal":               core.JournalResult{Events: someEvents(60)},
		"journal, more to come": core.JournalResult{Events: someEvents(60), NextBefore: &cursor, HasMore: true},
		"one element":           core.TaskListResult{Tasks: someTasks(1)},
		"none":                  core.FrontierResult{Tasks: []core.Task{}},
	} {
		t.Run(name, func(t *testing.T) {
			whole := encoded(t, result)
			elements := read(t, whole)
			for limit := 1; limit <= len(whole)+1; limit += 1 + limit/50 {
				text := encoded(t, cut(result, limit))
				got := read(t, text)
				if len(whole) <= limit || elements.count() <= 1 {
					if text != whole {
						t.Fatalf("limit %d: an answer of %d bytes was changed", limit, len(whole))
					}
					continue
				}
				n := got.count()
				if n == 0 || len(text) > limit && n > 1 {
					t.Fatalf("limit %d: %d elements, %d bytes", limit, n, len(text))
				}
				if got.HasMore == nil || !*got.HasMore || !got.Truncated {
					t.Fatalf("limit %d: the cut is not marked: %s", limit, text)
				}
				if n == elements.count() {
					t.Fatalf("limit %d: marked as cut, but whole", limit)
				}
				// One more element would not have fitted, give or take the
				// digits of the cursor.
				if next := len(elements.element(n)); n > 1 && len(text)+next+1+19 < limit {
					t.Fatalf("limit %d: the next element of %d bytes would have fitted behind %d", limit, next, len(text))
				}
				checkCursor(t, text, n)
			}
		})
	}
}

func checkCursor(t *testing.T, text string, n int) {
	t.Helper()
	var cursors map[string]json.RawMessage
	if err := json.Unmarshal([]byte(text), &cursors); err != nil {
		t.Fatal(err)
	}
	want := fmt.Sprint(1000 + 7*(n-1))
	for _, name := range []string{"next_since", "next_before"} {
		if got, ok := cursors[name]; ok && string(got) != want {
			t.Fatalf("%s is %s, the last element %s", name, got, want)
		}
	}
}

func (s shown) count() int { return len(s.Tasks) + len(s.Events) }

func (s shown) element(i int) json.RawMessage { return append(s.Tasks, s.Events...)[i] }

func encoded(t *testing.T, v any) string {
	t.Helper()
	text, err := core.EncodeJSON(v)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func read(t *testing.T, text string) shown {
	t.Helper()
	var s shown
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCut_leavesOtherResultsWhole(t *testing.T) {
	result := core.TaskGetResult{Task: someTasks(1)[0]}
	if got, want := encoded(t, cut(result, 1)), encoded(t, result); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
