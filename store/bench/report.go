package main

import (
	_ "embed"
	"fmt"
	"math"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/mattn/go-sqlite3"
)

// report collects what was measured.
type report struct {
	figures map[string][]figure
	curves  []curve
	notes   []string
}

// curve is how one thing grows with the size of the graph.
type curve struct {
	group curveGroup
	what  string
	sizes []int
	times []time.Duration
	ratio []float64 // to an empty Go program; nil: not a whole process
}

func (r *report) add(section string, f figure) {
	if r.figures == nil {
		r.figures = map[string][]figure{}
	}
	r.figures[section] = append(r.figures[section], f)
	mark := ""
	if !f.isMet() {
		mark = "  MISSED"
	}
	fmt.Fprintf(os.Stderr, "  %-70s %-12s %10s %10s%s  %s\n", f.what, f.size, f.amount(f.value), f.bound(), mark, f.detail)
}

// curveGroup is a table of curves.
type curveGroup int

const (
	ofOperations curveGroup = iota
	ofProcesses
	ofNotes // operations on them, over their number
)

// growth adds a curve of operations or, with ratios, of whole processes.
func (r *report) growth(what string, sizes []int, times []time.Duration, ratio []float64) {
	group := ofOperations
	if ratio != nil {
		group = ofProcesses
	}
	r.curve(curve{group, what, sizes, times, ratio})
}

// noteGrowth adds a curve of operations on notes.
func (r *report) noteGrowth(what string, sizes []int, times []time.Duration) {
	r.curve(curve{ofNotes, what, sizes, times, nil})
}

func (r *report) curve(c curve) {
	r.curves = append(r.curves, c)
	fmt.Fprintf(os.Stderr, "  %-70s %v exponent %.2f\n", c.what, c.times, exponent(c.sizes, c.times))
}

func (r *report) note(text string) { r.notes = append(r.notes, text) }

// findings is what the measurements called for, written by hand.
//
//go:embed findings.md
var findings string

const opening = `# Speed

Written by ` + "`make bench-full`" + `, which anybody can run; ` + "`make bench`" + ` does the same on smaller graphs. Times depend on the machine, so what
counts are ratios: each operation and its reference run turn by turn in one run, and the medians are compared. References are

* in process: the statements that SQLite has to run for it at least, prepared, on the bare driver, rows read but not encoded;
* whole processes: the ` + "`sqlite3`" + ` shell with the same SQL on the same file, or a Go program that does nothing.

The graphs are made: %d edges a task, nine of ten tasks closed, chains, wide fans in and out, diamonds, epics and gates, 800 bytes a task,
the same in every run. Writes are durable: a reported one has reached the disk.

`

// write writes the report.
func (b *bench) write() error {
	var out strings.Builder
	fmt.Fprintf(&out, opening, b.edges)
	library, _, _ := sqlite3.Version()
	fmt.Fprintf(&out, "This run: graphs of %s tasks, SQLite %s, %s on %s/%s, %d processors.\n", sizesInWords(b.sizes), library,
		runtime.Version(), runtime.GOOS, runtime.GOARCH, runtime.NumCPU())
	for _, note := range b.report.notes {
		fmt.Fprintf(&out, "\n%s\n", note)
	}
	b.table(&out, "limits", "Limits", "Each against its reference in the same run.")
	b.table(&out, "import", "Import", "The program reads a file; the reference inserts the same rows, prepared, in one transaction. Both are durable at the end.")
	b.table(&out, "notes", "Notes", notesText)
	b.table(&out, "memory", "Memory", "What each command that reads has resident at most, its output included.")
	b.table(&out, "peers", "Others", "Whole processes on graphs of 2 edges a task.")
	b.table(&out, "more", "Besides", "")
	b.growthTable(&out, ofOperations, "Operations", "In process, answer encoded, writes durable. The exponent is the power of the graph's size that the time grows with: 0 is the same at any size.")
	b.growthTable(&out, ofProcesses, "Whole processes", "In brackets: times an empty Go program.")
	b.growthTable(&out, ofNotes, "Operations on notes", "The same over the number of notes, a thousand a folder, beside a store without tasks.")
	out.WriteString("\n" + strings.TrimSpace(findings) + "\n")
	if b.out == "" {
		_, err := fmt.Print(out.String())
		return err
	}
	return os.WriteFile(b.out, []byte(out.String()), 0o644)
}

func sizesInWords(sizes []int) string {
	var words []string
	for _, size := range sizes {
		words = append(words, count(size))
	}
	return strings.Join(words, ", ")
}

// table writes the figures of a section.
func (b *bench) table(out *strings.Builder, section, title, text string) {
	figures := b.report.figures[section]
	if len(figures) == 0 {
		return
	}
	fmt.Fprintf(out, "\n## %s\n", title)
	if text != "" {
		fmt.Fprintf(out, "%s\n", text)
	}
	sizes := "tasks"
	if section == "notes" {
		sizes = section
	}
	limited := false
	for _, f := range figures {
		limited = limited || f.limit != 0
	}
	if limited {
		fmt.Fprintf(out, "\n| what | %s | measured | limit | kept | of it |\n|---|---|---|---|---|---|\n", sizes)
	} else {
		fmt.Fprintf(out, "\n| what | %s | measured | of it |\n|---|---|---|---|\n", sizes)
	}
	for _, f := range figures {
		kept := "yes"
		switch {
		case f.limit == 0:
			kept = ""
		case !f.isMet():
			kept = "**no**"
		}
		if limited {
			fmt.Fprintf(out, "| %s | %s | %s | %s | %s | %s |\n", f.what, f.size, f.amount(f.value), f.bound(), kept, f.detail)
		} else {
			fmt.Fprintf(out, "| %s | %s | %s | %s |\n", f.what, f.size, f.amount(f.value), f.detail)
		}
	}
}

// growthTable writes the curves, of whole processes or of operations.
func (b *bench) growthTable(out *strings.Builder, group curveGroup, title, text string) {
	heading := fmt.Sprintf("\n## %s\n%s\n", title, text)
	for _, c := range b.report.curves {
		if c.group != group {
			continue
		}
		if heading != "" {
			out.WriteString(heading + "\n| |")
			heading = ""
			for _, size := range c.sizes {
				fmt.Fprintf(out, " %s |", count(size))
			}
			out.WriteString(" exponent |\n|---|" + strings.Repeat("---|", len(c.sizes)+1) + "\n")
		}
		fmt.Fprintf(out, "| %s |", c.what)
		for i, took := range c.times {
			fmt.Fprintf(out, " %s", short(took))
			if c.ratio != nil {
				fmt.Fprintf(out, " (%.1f)", c.ratio[i])
			}
			out.WriteString(" |")
		}
		power := "–"
		if e := exponent(c.sizes, c.times); !math.IsNaN(e) {
			power = fmt.Sprintf("%.2f", e)
		}
		fmt.Fprintf(out, " %s |\n", power)
	}
}
