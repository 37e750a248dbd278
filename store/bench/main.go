// Command bench measures how fast lithos is: every operation and the commands
// used most, on graphs of several sizes, each against the least that SQLite
// has to do for it, turn by turn in the same run. 'make bench' runs it; it
// writes docs/benchmarks.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// settings are what a run was asked for.
type settings struct {
	sizes  []int // of the graphs, smallest first
	edges  int   // of a task
	turns  int   // of whole processes; quick operations take ten times as many
	storm  time.Duration
	out    string // the report; empty: standard output
	keep   string // folder for stores that outlives the run; empty: none
	only   string // the parts to measure, by name; empty: all
	module string // root of the sources
}

func main() {
	if len(os.Args) > 1 && os.Args[1] == writerRole {
		os.Exit(playWriter(os.Args[2:]))
	}
	var s settings
	sizes := flag.String("sizes", "10k,100k", "sizes of the graphs: 10k, 100k, 1M or any number of tasks")
	flag.IntVar(&s.edges, "edges", 5, "edges of a task")
	flag.IntVar(&s.turns, "turns", 40, "turns of each whole process; quick operations take ten times as many")
	flag.DurationVar(&s.storm, "storm", 8*time.Second, "how long many processes write at once")
	flag.StringVar(&s.out, "out", "", "file of the report; standard output when empty")
	flag.StringVar(&s.keep, "keep", "", "folder that keeps the stores for the next run")
	flag.StringVar(&s.only, "only", "", "parts to measure, with commas: "+strings.Join(partNames(), ", "))
	flag.StringVar(&s.module, "module", ".", "root of the sources")
	flag.Parse()
	for word := range strings.SplitSeq(*sizes, ",") {
		size, err := parseSize(word)
		if err != nil {
			fmt.Fprintln(os.Stderr, "bench:", err)
			os.Exit(2)
		}
		s.sizes = append(s.sizes, size)
	}
	slices.Sort(s.sizes)
	if err := run(context.Background(), s); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// parseSize reads 10k, 1M or a plain number.
func parseSize(word string) (int, error) {
	factor := 1
	switch {
	case strings.HasSuffix(word, "k"):
		factor = 1000
	case strings.HasSuffix(word, "M"):
		factor = 1_000_000
	}
	n, err := strconv.Atoi(strings.TrimRight(word, "kM"))
	if err != nil || n < 1 {
		return 0, fmt.Errorf("%q is no size of a graph", word)
	}
	return n * factor, nil
}

// part is one part of the measurements.
type part struct {
	name    string
	measure func(*bench)
}

// parts are in the order in which they are measured: reads first, since what
// writes changes the stores.
var parts = []part{
	{"import", (*bench).measureImports},
	{"start", (*bench).measureStart},
	{"reads", (*bench).measureReads},
	{"variants", (*bench).measureVariants},
	{"memory", (*bench).measureMemory},
	{"operations", (*bench).measureOperations},
	{"commands", (*bench).measureCommands},
	{"notes", (*bench).measureNotes},
	{"writes", (*bench).measureWrites},
	{"fan", (*bench).measureFan},
	{"edges", (*bench).measureEdges},
	{"writers", (*bench).measureWriters},
	{"screen", (*bench).measureScreen},
	{"peers", (*bench).measurePeers},
}

func partNames() []string {
	var names []string
	for _, p := range parts {
		names = append(names, p.name)
	}
	return names
}

// bench is one run.
type bench struct {
	settings
	ctx     context.Context
	dir     string // for everything that the run makes
	lithos  string // as it is released
	plain   string // as 'go build' makes it
	empty   string // a Go program that does nothing
	witness string // see there
	shell   string // sqlite3; empty when it is not installed
	stores  map[string]*fixture
	report  report
}

// failure is what ends a part.
type failure struct{ err error }

// check ends a part at an error.
func check(err error) {
	if err != nil {
		panic(failure{err})
	}
}

func run(ctx context.Context, s settings) (err error) {
	b := &bench{settings: s, ctx: ctx, stores: map[string]*fixture{}}
	if b.dir, err = os.MkdirTemp("", "lithos-bench-"); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.dir)) }()
	if err := caught(b.prepare); err != nil {
		return err
	}
	var failed []error
	for _, p := range parts {
		if b.only != "" && !slices.Contains(strings.Split(b.only, ","), p.name) {
			continue
		}
		start := time.Now()
		b.progress("%s …", p.name)
		// What one part cannot measure, the others still can.
		if err := caught(func() { p.measure(b) }); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", p.name, err))
			b.progress("%s failed: %s", p.name, err)
			b.report.note(fmt.Sprintf("The part '%s' could not be measured in full.", p.name))
		}
		b.progress("%s: %s", p.name, short(time.Since(start)))
	}
	return errors.Join(append(failed, b.write())...)
}

// caught runs a part and returns what ended it early.
func caught(part func()) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			failed, ok := fault.(failure)
			if !ok {
				panic(fault)
			}
			err = failed.err
		}
	}()
	part()
	return nil
}

// progress tells on standard error how far the run is.
func (b *bench) progress(format string, args ...any) {
	fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...)
}

// prepare builds the programs that are compared.
func (b *bench) prepare() {
	b.lithos, b.plain, b.empty = filepath.Join(b.dir, "lithos"), filepath.Join(b.dir, "lithos-plain"), filepath.Join(b.dir, "empty")
	b.build("make", "-s", "build")
	content, err := os.ReadFile(filepath.Join(b.module, "lithos"))
	check(err)
	check(os.WriteFile(b.lithos, content, 0o755))
	b.build("go", "build", "-o", b.plain, ".")
	b.witness = filepath.Join(b.dir, "witness")
	for program, source := range map[string]string{b.empty: "package main\n\nfunc main() {}\n", b.witness: witness} {
		check(os.WriteFile(program+".go", []byte(source), 0o644))
		b.build("go", "build", "-o", program, program+".go")
	}
	if b.shell, err = exec.LookPath("sqlite3"); err != nil {
		b.report.note("The sqlite3 shell is not installed here, so whole processes are not compared with it.")
	}
	for _, folder := range []string{"home", "work"} {
		check(os.MkdirAll(filepath.Join(b.dir, folder), 0o755))
	}
	if b.keep != "" {
		check(os.MkdirAll(b.keep, 0o755))
	}
}

func (b *bench) build(name string, args ...string) {
	command := exec.Command(name, args...)
	command.Dir = b.module
	if out, err := command.CombinedOutput(); err != nil {
		check(fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out))
	}
}

// largest is the size of the largest graph.
func (b *bench) largest() int { return b.sizes[len(b.sizes)-1] }

// about is the size nearest to the one wanted, for measurements of one size.
func (b *bench) about(wanted int) int {
	best := b.sizes[0]
	for _, size := range b.sizes {
		if size <= wanted {
			best = size
		}
	}
	return best
}
