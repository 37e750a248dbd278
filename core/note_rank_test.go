package core

import (
	"context"
	"errors"
	"math"
	"slices"
	"testing"
)

func TestFuse(t *testing.T) {
	list := func(keys ...NoteKey) []scoredNote {
		var notes []scoredNote
		for _, key := range keys {
			notes = append(notes, scoredNote{key: key})
		}
		return notes
	}
	for _, c := range []struct {
		lists [][]scoredNote
		want  []scoredNote
	}{
		{nil, []scoredNote{}},
		{[][]scoredNote{list(7, 8)}, []scoredNote{{7, 0.0164}, {8, 0.0161}}},
		{[][]scoredNote{list(1, 2), list(3, 2)}, []scoredNote{{2, 0.0323}, {1, 0.0164}, {3, 0.0164}}},
	} {
		if got := fuse(c.lists...); !slices.Equal(got, c.want) {
			t.Errorf("fuse(%v) = %v, want %v", c.lists, got, c.want)
		}
	}
}

// TestFusedReach holds that the reach ends where no note can have the score of
// the last one wanted.
func TestFusedReach(t *testing.T) {
	for limit := 1; limit < 400; limit++ {
		reach := fusedReach(limit, 5_000)
		if roundScore(fused(reach)) != roundScore(fused(limit)) || roundScore(fused(reach+1)) == roundScore(fused(limit)) {
			t.Errorf("the reach of %d is %d", limit, reach)
		}
	}
	if got := fusedReach(10, 4); got != 4 {
		t.Errorf("beyond the end it is %d", got)
	}
}

func TestRarestOf(t *testing.T) {
	for _, c := range []struct {
		holding []float64
		want    []int
	}{
		{[]float64{90_000, 0, 4_000, 900}, []int{1, 3, 2}},
		{[]float64{rankedNotes, 1}, []int{1}},
		{[]float64{90_000}, []int{}},
		{[]float64{2, 1}, []int{1, 0}},
	} {
		if got := rarestOf(c.holding, rankedNotes); !slices.Equal(got, c.want) {
			t.Errorf("rarestOf(%v) = %v, want %v", c.holding, got, c.want)
		}
	}
}

// TestHolding holds that what a cut draw has seen is taken for a sample of the
// whole.
func TestHolding(t *testing.T) {
	d := draw{counts: []float64{50}, notes: 900, top: 1_000, last: 901}
	if got := d.holding(0); got != 50 {
		t.Errorf("of a whole draw: %v", got)
	}
	d.cut = true
	if got := d.holding(0); got != 500 {
		t.Errorf("of a tenth: %v", got)
	}
	d.counts[0] = 100
	if got := d.holding(0); got != 900 {
		t.Errorf("more than there are: %v", got)
	}
}

// TestTextPool_score holds what ranks higher.
func TestTextPool_score(t *testing.T) {
	pool := textPool{rarity: []float64{rarity(100, 10), rarity(100, 1)}}
	average := TextField{Length: 10, Average: 10}
	score := func(title, content TextField, phrases ...PhraseHit) float64 {
		s, _ := pool.score(TextHit{Title: title, Content: content, Phrases: phrases})
		return s
	}
	in := func(title, content uint32) PhraseHit { return PhraseHit{Title: title, Content: content} }
	rising := []float64{
		score(average, average, in(0, 0), in(0, 0)),
		score(average, TextField{Length: 100, Average: 10}, in(0, 1), in(0, 0)),
		score(average, average, in(0, 1), in(0, 0)),
		score(average, average, in(0, 2), in(0, 0)),
		score(average, average, in(1, 0), in(0, 0)), // in the title
		score(average, average, in(0, 0), in(1, 0)), // a rarer word
		score(average, average, in(1, 0), in(1, 0)),
	}
	if !slices.IsSorted(rising) || rising[0] != 0 || len(slices.Compact(rising)) != 7 {
		t.Errorf("scores %v", rising)
	}
	if s := score(TextField{}, TextField{}, in(1, 1)); math.IsNaN(s) || math.IsInf(s, 0) {
		t.Errorf("without lengths: %v", s)
	}
	if _, held := pool.score(TextHit{Title: average, Content: average, Phrases: []PhraseHit{in(0, 3), in(0, 0)}}); held != 1 {
		t.Errorf("it holds %d", held)
	}
}

func TestGate(t *testing.T) {
	mo, task := "mo", "t1"
	row := func(status, scope string, source *string) NoteRow {
		return NoteRow{Author: "mo", Namespace: "n", Status: status, AccessScope: scope, Source: source}
	}
	for i, c := range []struct {
		gate gate
		row  NoteRow
		want bool
	}{
		{gate{}, row(NoteActive, ScopeShared, nil), true},
		{gate{}, row(NoteArchived, ScopeShared, nil), true},
		{gate{agent: &mo, task: &task}, row(NoteQuarantined, ScopeShared, nil), false},
		{gate{namespaces: []string{"n", "m"}}, row(NoteActive, ScopeShared, nil), true},
		{gate{namespaces: []string{"m"}}, row(NoteActive, ScopeShared, nil), false},
		{gate{namespaces: []string{}}, row(NoteActive, ScopeShared, nil), false},
		{gate{}, row(NoteActive, ScopePrivate, nil), false},
		{gate{agent: &task}, row(NoteActive, ScopePrivate, nil), false},
		{gate{agent: &mo}, row(NoteActive, ScopePrivate, nil), true},
		{gate{}, row(NoteActive, ScopeTask, &task), false},
		{gate{task: &mo}, row(NoteActive, ScopeTask, &task), false},
		{gate{task: &task}, row(NoteActive, ScopeTask, nil), false},
		{gate{task: &task}, row(NoteActive, ScopeTask, &task), true},
	} {
		if got := c.gate.opens(c.row); got != c.want {
			t.Errorf("case %d: %v", i, got)
		}
	}
}

// TestSalience holds that steps add up exactly and stay within bounds.
func TestSalience(t *testing.T) {
	u := NoteUsage{Salience: startSalience}
	for range 30 {
		u.shiftSalience(citedSalience)
	}
	if u.Salience != 1 {
		t.Errorf("after thirty citations it is %v", u.Salience)
	}
	u.shiftSalience(misleadingSalience)
	if u.Salience != 0.95 {
		t.Errorf("then misleading: %v", u.Salience)
	}
	for range 30 {
		u.shiftSalience(misleadingSalience)
	}
	if u.Salience != 0 {
		t.Errorf("at the end it is %v", u.Salience)
	}
	u = NoteUsage{Cited: 1, Ignored: 2, Misleading: 1}
	if u.score() != 0.25 || (NoteUsage{}).score() != 0 {
		t.Errorf("usage scores %v, %v", u.score(), NoteUsage{}.score())
	}
}

func TestIsFailingSource(t *testing.T) {
	for err, want := range map[error]bool{
		errors.New("a fault"):                     true,
		context.Canceled:                          false,
		context.DeadlineExceeded:                  false,
		NewError(CodeDatabaseBusy, "busy"):        false,
		NewError(CodeRequestTimedOut, "late"):     false,
		NewError(CodeStoreUnavailable, "damaged"): true,
	} {
		if got := isFailingSource(err); got != want {
			t.Errorf("%v: %v", err, got)
		}
	}
}
