package main

import (
	"slices"
	"strings"
)

// measureMemory measures how much memory each command that reads has resident
// at most, on a graph of 100,000 tasks.
func (b *bench) measureMemory() {
	f := b.ordinary(b.about(100_000))
	id, epic, sink := f.ID(f.Plain()[0]), f.ID(f.Epic()), f.ID(f.Sink)
	for _, command := range [][]string{
		{"task", "list"}, {"task", "list", "--json"}, {"task", "list", "--with-claims", "--json"}, {"task", "list", "--text", "close", "--json"},
		{"task", "ready"}, {"task", "ready", "--limit", "1000", "--json"}, {"task", "ready", "--sort", "impact", "--json"},
		{"task", "blocked", "--limit", "1000"}, {"task", "blocked", "--limit", "1000", "--json"},
		{"task", "get", id}, {"task", "get", sink}, {"task", "status", id, "--json"}, {"task", "children", epic, "--recursive", "--include-closed"},
		{"task", "why", sink}, {"task", "why", sink, "--json"}, {"task", "edge", "list", sink, "--json"}, {"finding", "list", id, "--json"},
		{"agent", "list", "--json"}, {"stats", "--json"}, {"prime"}, {"events", "--limit", "1000", "--json"}, {"journal", "--limit", "1000", "--json"},
		{"export"}, {"export", "--json"}, {"export", "--format", "dot"}, {"export", "--format", "mermaid"}, {"export", "--format", "markdown"},
		{"export", "--status", "completed"},
	} {
		took, peak := b.peak(b.lithos, append([]string{"--db", f.path}, command...)...)
		shown := slices.Clone(command)
		for i, word := range shown {
			for _, known := range []string{id, epic, sink} {
				if word == known {
					shown[i] = "ID"
				}
			}
		}
		b.report.add("memory", figure{what: "`" + strings.Join(shown, " ") + "`", size: count(f.Tasks), value: float64(peak) / 1e6, limit: 64, unit: "MB",
			detail: short(took)})
	}
	_, peak := b.peak(b.lithos, "version")
	b.report.add("memory", figure{what: "`version`", value: float64(peak) / 1e6, unit: "MB", detail: "for comparison"})
}
