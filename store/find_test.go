package store

import (
	"context"
	"testing"

	"github.com/google/uuid"

	"dev.lithos/core"
)

// People type ids as screens show them: the beginning of random ones, any part
// of those that came with a file.
func TestFindTask(t *testing.T) {
	ctx := context.Background()
	names := []string{"learning_agent-xu5g.1", "learning_agent-xu5g.2", "3f9a1c02-9b1e-4a6d-8c7f-1e2d3c4b5a69"}
	task := ""
	s := core.New(core.Config{Store: create(t), NewID: func() string {
		id := task
		task = uuid.NewString() // of events
		return id
	}})
	for _, task = range names {
		if _, err := s.TaskCreate(ctx, core.TaskCreateRequest{Title: "Task", Agent: "ada"}); err != nil {
			t.Fatal(err)
		}
	}
	for text, want := range map[string]string{
		"xu5g.2": names[1], "g.1": names[0], "learning_agent-xu5g.1": names[0], "3F9A1C02-9b1e": names[2], "3f9a1c": names[2],
	} {
		if found, err := s.FindTask(ctx, text); err != nil || found.ID != want {
			t.Errorf("%q finds %q (%v), want %q", text, found.ID, err, want)
		}
	}
	for text, want := range map[string]core.Code{
		"nosuch": core.CodeTaskNotFound, "4a6d-8c7f": core.CodeTaskNotFound, "xu5g": core.CodeAmbiguousIDPrefix, "learning": core.CodeAmbiguousIDPrefix,
		"ab": core.CodeInvalidInput,
	} {
		if found, err := s.FindTask(ctx, text); core.AsError(err).Code != want {
			t.Errorf("%q finds %q (%v), want %s", text, found.ID, err, want)
		}
	}
}
