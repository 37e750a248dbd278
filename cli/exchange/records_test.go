package exchange

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dev.lithos/core"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// checkGolden compares a result with a golden file.
func checkGolden(t *testing.T, name, got string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s differs (-want +got):\n%s", path, diff)
	}
}

// open opens content as a file to import.
func open(t *testing.T, content, format string) (*File, error) {
	t.Helper()
	f, err := Open(StandardInput, format, Sources{Stdin: strings.NewReader(content)})
	if err == nil {
		t.Cleanup(func() {
			if err := f.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	return f, err
}

// recordsOf reads all records of content.
func recordsOf(t *testing.T, content, format string) []core.TransferRecord {
	t.Helper()
	f, err := open(t, content, format)
	if err != nil {
		t.Fatal(err)
	}
	var records []core.TransferRecord
	if err := f.Each(context.Background(), func(rec *core.TransferRecord) error {
		records = append(records, *rec)
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return records
}

// describe writes records down, a line each: the number of their line, then
// the line of the own format, or what is wrong.
func describe(t *testing.T, records []core.TransferRecord) string {
	t.Helper()
	var out bytes.Buffer
	for _, rec := range records {
		fmt.Fprintf(&out, "%d ", rec.Line)
		switch rec.Kind {
		case core.TransferLeftOut:
			out.WriteString("left out\n")
		case core.TransferProblem:
			fmt.Fprintf(&out, "problem %q %s\n", rec.TaskID, rec.Reason)
		case core.TransferBroken:
			fmt.Fprintf(&out, "broken %q %s\n", rec.TaskID, rec.Reason)
		default:
			w := bufio.NewWriter(&out)
			if err := newLithosWriter(w).put(&rec); err != nil {
				t.Fatal(err)
			}
			if err := w.Flush(); err != nil {
				t.Fatal(err)
			}
		}
	}
	return out.String()
}

func TestRead_golden(t *testing.T) {
	for _, format := range []string{"lithos", "beads", "taskwarrior"} {
		files, err := filepath.Glob(filepath.Join("testdata", format, "*.json*"))
		if err != nil || len(files) == 0 {
			t.Fatalf("no fixtures of %s: %v", format, err)
		}
		for _, path := range files {
			name := filepath.Join(format, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))
			t.Run(name, func(t *testing.T) {
				f, err := Open(path, "", Sources{})
				if err != nil {
					t.Fatal(err)
				}
				defer f.Close()
				if f.Format() != format {
					t.Errorf("recognised as %s", f.Format())
				}
				content, err := os.ReadFile(path)
				if err != nil {
					t.Fatal(err)
				}
				checkGolden(t, name+".golden", describe(t, recordsOf(t, string(content), format)))
			})
		}
	}
}
