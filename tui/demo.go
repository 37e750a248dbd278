package tui

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// demoGraph is a small graph to look around in, as operations of task_apply.
// A timer's ready_at is a distance from now.
//
//go:embed demo.json
var demoGraph []byte

// loadDemo fills an empty store with the sample graph, in one go.
func (m *model) loadDemo() tea.Cmd {
	agent, now := m.options.Agent, m.now()
	return m.act("task_apply", func(ctx context.Context, s *core.Service) (done, error) {
		operations, err := demoOperations(now)
		if err != nil {
			return done{}, err
		}
		result, err := s.TaskApply(ctx, core.TaskApplyRequest{Agent: &agent, Operations: operations})
		return done{text: fmt.Sprintf("loaded a sample graph of %s", plural(len(result.IDs), "task"))}, err
	}, nil)
}

// demoOperations reads the sample graph as of a moment.
func demoOperations(now core.Stamp) ([]json.RawMessage, error) {
	var operations []map[string]any
	if err := json.Unmarshal(demoGraph, &operations); err != nil {
		return nil, fmt.Errorf("read the sample graph: %w", err)
	}
	texts := make([]json.RawMessage, len(operations))
	for i, o := range operations {
		if metadata, ok := o["metadata"].(map[string]any); ok {
			if distance, ok := metadata["ready_at"].(string); ok {
				at, err := display.ParseMoment("ready_at", distance, now)
				if err != nil {
					return nil, err
				}
				metadata["ready_at"] = at
			}
		}
		text, err := json.Marshal(o)
		if err != nil {
			return nil, fmt.Errorf("encode the sample graph: %w", err)
		}
		texts[i] = text
	}
	return texts, nil
}
