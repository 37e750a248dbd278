package store

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dev.lithos/core"
	"dev.lithos/core/search"
)

// TestPlans_search looks at the plan of everything that search and retrieval
// read and write: no table is walked from end to end but for the list of all
// edges, and nothing is sorted.
func TestPlans_search(t *testing.T) {
	s := create(t)
	write(t, s, func(tx *tx) error {
		if err := tx.finalize(); err != nil {
			return err
		}
		ids := []string{"x", "y"}
		query := search.Parse(`busy "two words" 京`)
		reads := []error{}
		note := func(err error) { reads = append(reads, err) }
		for _, q := range []core.NoteEdgeQuery{
			{}, {From: "x"}, {To: "x"}, {From: "x", To: "y", Type: "t", Namespace: "n", Asserted: true}, {Type: "t"}, {At: ids}, {At: ids, Type: "t", Asserted: true},
		} {
			_, err := tx.NoteEdges(q)
			note(err)
		}
		for _, q := range []core.TextQuery{{}, {Limit: 5}, {All: true}, {InTitle: true, Limit: 5}, {Of: []int{0, 2}, Limit: 5}} {
			q.Phrases = query.Phrases
			note(tx.EachTextHit(q, func(core.TextHit) bool { return true }))
		}
		_, _, err := tx.NoteEdge("x")
		note(err)
		_, err = tx.NoteIDs([]core.NoteKey{1, 2})
		note(err)
		_, err = tx.NoteKeys(ids)
		note(err)
		_, err = tx.ShortNoteIDs(ids)
		note(err)
		_, err = tx.NotesByChange(10, 5)
		note(err)
		_, err = tx.NotePosition(core.NoteRow{NoteHead: core.NoteHead{Key: 1}, UpdatedAt: epoch})
		note(err)
		_, err = tx.NotesOfTask("x", 5)
		note(err)
		_, err = tx.IsNoteName("x")
		note(err)
		_, _, err = tx.Receipt("x")
		note(err)
		_, _, err = tx.LatestReceipt("x", "y")
		note(err)
		_, err = tx.Usage(ids)
		note(err)
		note(tx.mirrorSources("x", "n", ids, epoch))
		note(tx.putWords(1, "A title", "and content", epoch))
		note(tx.dropWords(1, epoch))
		for _, err := range reads {
			if err != nil {
				return err
			}
		}
		seen := 0
		for _, sql := range slices.Sorted(maps.Keys(tx.idle)) {
			if strings.HasPrefix(sql, "PRAGMA") || strings.HasPrefix(sql, "INSERT INTO note_words") || strings.Contains(sql, "sqlite_schema") {
				continue
			}
			seen++
			for line := range strings.SplitSeq(plan(t, tx, sql), "\n") {
				meant := line == "SCAN n USING INDEX notes_by_change" && strings.Contains(sql, " LIMIT ") || line == "SCAN e" && strings.HasSuffix(sql, " FROM note_edges e") || strings.HasPrefix(line, "SCAN note_words VIRTUAL TABLE INDEX ") ||
					slices.ContainsFunc(scans, func(r *regexp.Regexp) bool { return r.MatchString(line) })
				if strings.HasPrefix(line, "SCAN") && !meant || strings.Contains(line, "TEMP B-TREE") || strings.Contains(line, "AUTOMATIC") {
					t.Errorf("%s\n\t%s", line, sql)
				}
			}
		}
		if seen < 20 {
			t.Errorf("only %d statements were seen", seen)
		}
		return nil
	})
}
