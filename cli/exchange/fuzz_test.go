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

// each reads content in a format, whatever it holds.
func each(t *testing.T, content, format string) ([]core.TransferRecord, error) {
	t.Helper()
	file, err := open(t, content, format)
	if err != nil {
		t.Fatal(err)
	}
	var records []core.TransferRecord
	err = file.Each(context.Background(), func(rec *core.TransferRecord) error {
		records = append(records, *rec)
		return nil
	})
	return records, err
}

// checkRecords checks what every reader promises of its records.
func checkRecords(t *testing.T, records []core.TransferRecord) {
	t.Helper()
	last := 0
	for _, rec := range records {
		if rec.Line < 1 || rec.Line < last && rec.Kind != core.TransferEdge {
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
