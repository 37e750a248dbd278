package core

import "testing"

func TestTaskHead_isCalled(t *testing.T) {
	for _, c := range []struct {
		id, text string
		want     bool
	}{
		{"learning_agent-xu5g.1", "xu5g.1", true}, {"learning_agent-xu5g.1", "learning", true}, {"Team-7", "team-7", true},
		{"learning_agent-xu5g.1", "xu5h", false},
		{"3f9a1c02-9b1e-4a6d-8c7f-1e2d3c4b5a69", "3f9a", true}, {"3f9a1c02-9b1e-4a6d-8c7f-1e2d3c4b5a69", "4a6d", false},
	} {
		if got := (TaskHead{ID: c.id}).isCalled(c.text); got != c.want {
			t.Errorf("%q is called %q: %v", c.id, c.text, got)
		}
	}
}
