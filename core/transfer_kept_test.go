package core_test

import (
	"context"
	"math"
	"strings"
	"testing"

	"dev.lithos/core"
)

// What the store has otherwise is kept, and said.
func TestImport_saysWhatItKept(t *testing.T) {
	s := transferStore(t)
	bring(t, s, nil, agent("mo", 1), task("a"), task("b"), finding("a", "f1"))
	named := agent("mo", 9)
	name := "Mo"
	named.Agent.Name = &name
	other, moved := finding("a", "f1"), finding("b", "f1")
	other.Finding.Summary = "another"
	checkReport(t, bring(t, s, nil, named, task("a"), task("b"), other, moved, finding("a", "f1"), agent("mo", 9)), counts{2, 0, 0, 2, 0, 0},
		"1 - Kept: the store's agent 'mo' has another name, type or metadata.",
		"4 a The finding 'f1' was left out: the store has another of that id.",
		"5 b The finding 'f1' was left out: the store has another of that id.")
}

// A newer file opens again what was closed here, and that is said.
func TestImport_saysWhatItReopened(t *testing.T) {
	s := transferStore(t)
	bring(t, s, nil, task("a", later(1), completed))
	checkReport(t, bring(t, s, nil, task("a", later(2))), counts{1, 0, 1, 0, 0, 0},
		"1 a The task is open again, as in the file: the store had it completed since 2026-03-01T08:01:00+00:00.")
}

// No import brings what no command writes and no export would read.
func TestImport_turnsAway(t *testing.T) {
	nobody, aspectless, last := claim("a", "", 1), claim("a", "mo", 1), task("z", version(math.MaxInt64))
	aspectless.Claim.Aspect = ""
	records := []core.TransferRecord{agent("", 1), task("a"), nobody, aspectless, finding("a", ""), last}
	s := transferStore(t)
	_, err := s.Import(context.Background(), core.ImportRequest{Source: &file{records: records}, Agent: "importer"})
	if err == nil || err.Error() != "Line 6 (task 'z'): The task has a version that can rise no more. Nothing was imported." {
		t.Errorf("refused as %v", err)
	}
	report := bring(t, s, func(r *core.ImportRequest) { r.SkipBadLines = true }, records...)
	checkReport(t, report, counts{2, 1, 0, 0, 1, 0},
		"1 - The agent was left out: it has an empty id.",
		"3 a The claim was left out: it has an empty agent.",
		"4 a The claim was left out: it has an empty aspect.",
		"5 a The finding was left out: it has an empty id.",
		"6 z The task has a version that can rise no more.")
	if after := dump(t, s); strings.Contains(after, "claim") || strings.Contains(after, "finding") {
		t.Errorf("brought over:\n%s", after)
	}
}

// A ring that edges of file and store close together is named once.
func TestImport_namesRings(t *testing.T) {
	s := transferStore(t)
	bring(t, s, nil, task("a"), task("b"), task("epic", of(core.TypeEpic)), task("part", of(core.TypeEpic)),
		edge("b", core.EdgeBlocks, "a"), edge("epic", core.EdgeParentChild, "part"))
	checkReport(t, bring(t, s, nil, task("c"), edge("a", core.EdgeBlocks, "c"), edge("c", core.EdgeBlocks, "b"), edge("part", core.EdgeParentChild, "epic")),
		counts{1, 1, 0, 0, 0, 3},
		"2 c The blocks edge from 'a' closes a ring: a → b → c → a.",
		"4 epic The parent_child edge from 'part' closes a ring: part → epic → part.")
}
