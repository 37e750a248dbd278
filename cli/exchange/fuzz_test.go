package exchange

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"dev.lithos/core"
)

// seed adds the lines of the fixtures to a corpus.
func seed(f *testing.F, format string) {
	f.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", format, "*.json*"))
	if err != nil || len(files) == 0 {
		f.Fatalf("no fixtures: %v", err)
	}
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(content))
		for line := range strings.SplitSeq(string(content), "\n") {
			f.Add(line)
		}
	}
}

// each reads content in a format, whatever it holds, and checks that judging
// it finds the same.
func each(t *testing.T, content, format string) ([]core.TransferRecord, error) {
	t.Helper()
	file, err := open(t, content, format)
	if err != nil {
		t.Fatal(err)
	}
	var records []core.TransferRecord
	var written, judged []core.TransferRecord
	err = file.Each(context.Background(), func(rec *core.TransferRecord) error {
		records = append(records, *rec)
		written = append(written, judgement(*rec)...)
		return nil
	})
	judgeErr := file.Judge(context.Background(), func(rec *core.TransferRecord) error {
		judged = append(judged, judgement(*rec)...)
		return nil
	})
	if diff := cmp.Diff(written, judged); diff != "" || (err == nil) != (judgeErr == nil) {
		t.Errorf("judging differs (-written +judged): %v, %v\n%s", err, judgeErr, diff)
	}
	return records, err
}

// judgement is what of a record counts when a file is judged.
func judgement(rec core.TransferRecord) []core.TransferRecord {
	kept := core.TransferRecord{Kind: rec.Kind, Line: rec.Line, Reason: rec.Reason}
	switch rec.Kind {
	case core.TransferTask:
		kept.Task.ID, kept.Task.UpdatedAt, kept.Task.Version = rec.Task.ID, rec.Task.UpdatedAt, rec.Task.Version
	case core.TransferBroken:
		kept.TaskID = rec.TaskID
	case core.TransferLeftOut:
	default:
		return nil
	}
	return []core.TransferRecord{kept}
}

// checkRecords checks what every reader promises of its records.
func checkRecords(t *testing.T, records []core.TransferRecord) {
	t.Helper()
	last, edges := 0, false // edges come last, and with them why some do not
	for _, rec := range records {
		edges = edges || rec.Kind == core.TransferEdge || rec.Kind == core.TransferProblem && rec.Line < last
		if rec.Line < 1 || rec.Line < last && !(edges && (rec.Kind == core.TransferEdge || rec.Kind == core.TransferProblem)) {
			t.Errorf("line %d after %d", rec.Line, last)
		}
		last = max(last, rec.Line)
		if (rec.Reason != "") != (rec.Kind == core.TransferBroken || rec.Kind == core.TransferProblem) {
			t.Errorf("kind %d with reason %q", rec.Kind, rec.Reason)
		}
		if text := describe(t, []core.TransferRecord{rec}); !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			t.Errorf("unreadable text: %q", text)
		}
		if rec.Kind == core.TransferTask && (rec.Task.ID == "" || rec.Task.Version < 1 || (rec.Task.ResolvedAt == nil) != (rec.Task.Status == core.StatusOpen)) {
			t.Errorf("impossible task %+v", rec.Task)
		}
	}
}

func FuzzReadBeads(f *testing.F) {
	seed(f, "beads")
	f.Fuzz(func(t *testing.T, content string) {
		records, err := each(t, content, "beads")
		if err != nil {
			t.Fatal(err)
		}
		checkRecords(t, records)
		again, err := each(t, content, "beads")
		if diff := cmp.Diff(records, again); diff != "" || err != nil {
			t.Errorf("the second reading differs: %v\n%s", err, diff)
		}
	})
}

func FuzzReadTaskwarrior(f *testing.F) {
	seed(f, "taskwarrior")
	f.Fuzz(func(t *testing.T, content string) {
		records, err := each(t, content, "taskwarrior")
		if err != nil {
			t.Fatal(err)
		}
		checkRecords(t, records)
	})
}

// What the own format reads it writes so that reading it again gives the same,
// and writing that the same bytes.
func FuzzReadLithos(f *testing.F) {
	seed(f, "lithos")
	f.Fuzz(func(t *testing.T, content string) {
		records, err := each(t, `{"type":"lithos","format":1}`+"\n"+content, "lithos")
		if err != nil {
			if core.AsError(err).Code != core.CodeInvalidInput {
				t.Fatal(err)
			}
			return
		}
		checkRecords(t, records)
		var sound []core.TransferRecord
		for _, rec := range records {
			if rec.Kind != core.TransferBroken {
				rec.Line = len(sound) + 2
				sound = append(sound, rec)
			}
		}
		text := write(t, "lithos", Plain, sound)
		again, err := each(t, text, "lithos")
		if diff := cmp.Diff(sound, again); diff != "" || err != nil {
			t.Fatalf("reading what was written differs: %v\n%s", err, diff)
		}
		if second := write(t, "lithos", Plain, again); second != text {
			t.Errorf("writing again differs:\n%s\nwant\n%s", second, text)
		}
	})
}
