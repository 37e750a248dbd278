package main

import (
	"bufio"
	"database/sql/driver"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"dev.lithos/store"
	"dev.lithos/store/bench/graph"
)

// measureImports imports a file of each size with the program and puts the
// same rows into an empty store with bare inserts. The stores that come of it
// are those of the other measurements.
func (b *bench) measureImports() {
	var ours []time.Duration
	for _, size := range b.sizes {
		shape := graph.Ordinary(size, float64(b.edges))
		f := &fixture{Graph: graph.New(shape)}
		file, draft := b.place(fmt.Sprintf("graph-%d.jsonl", size)), b.place(fmt.Sprintf("imported-%d.db", size))
		records := b.writeGraph(f.Graph, file)
		var peak int64
		var imports, inserts []time.Duration
		for range min(max(1, 200_000/size), 5) {
			check(removeStore(draft))
			took, memory := b.peak(b.lithos, "--db", draft, "import", file)
			imports, peak = append(imports, took), max(peak, memory)
			inserts = append(inserts, b.insertBare(draft))
		}
		c := contest{imports, inserts}
		ours = append(ours, median(c.ours))
		detail := fmt.Sprintf("%s rows a second in %s, bare %s; the file has %d MB",
			count(int(float64(records)/median(c.ours).Seconds())), short(median(c.ours)), short(median(c.theirs)), sizeOf(file)>>20)
		b.report.add("import", figure{what: "`import`, rows a second", size: count(size), value: 1 / c.ratio(), limit: 0.6, atLeast: true, unit: "×", detail: detail})
		b.report.add("import", figure{what: "`import`, memory at most", size: count(size), value: float64(peak) / 1e6, limit: 500, unit: "MB"})
		check(os.Remove(file))
		b.adopt(f, draft, shape)
	}
	b.report.growth("`lithos import FILE`", b.sizes, ours, nil)
}

// adopt makes an imported store the one of its shape, with events.
func (b *bench) adopt(f *fixture, draft string, shape graph.Shape) {
	s, err := store.Open(b.ctx, store.Options{Path: draft, Synchronous: store.Normal})
	check(err)
	check(f.AddEvents(b.ctx, s))
	check(s.Close())
	f.path = b.pathOf(shape)
	check(removeStore(f.path))
	check(os.Rename(draft, f.path))
	check(removeStore(draft))
	b.stores[key(shape)] = f
}

// writeGraph writes the file of a graph, and returns how many records it has.
func (b *bench) writeGraph(g *graph.Graph, path string) int {
	file, err := os.Create(path)
	check(err)
	out := bufio.NewWriterSize(file, 1<<20)
	records, err := g.WriteFile(out)
	check(err)
	check(out.Flush())
	check(file.Close())
	return records
}

// insertBare writes all rows of a store into an empty one, through one
// prepared statement a table in one durable transaction, and returns how long
// the inserts took.
func (b *bench) insertBare(from string) (took time.Duration) {
	const batch = 20_000
	source := openRaw(from)
	defer source.close()
	path := b.place("bare.db")
	check(removeStore(path))
	b.start(false, b.lithos, "--db", path, "import", "--format", "lithos", b.emptyFile())
	to := openRaw(path)
	to.script("PRAGMA cache_size = -98304")
	clock := func(run func()) {
		start := time.Now()
		run()
		took += time.Since(start)
	}
	clock(func() { to.script("BEGIN IMMEDIATE") })
	for _, table := range []string{"agents", "tasks", "open_tasks", "edges", "claims", "findings"} {
		var insert string
		var rows [][]driver.Value
		flush := func() {
			clock(func() {
				for _, row := range rows {
					to.exec(insert, row...)
				}
			})
			rows = rows[:0]
		}
		source.each("SELECT * FROM "+table, func(row []driver.Value) {
			if insert == "" {
				insert = "INSERT INTO " + table + " VALUES (?" + strings.Repeat(", ?", len(row)-1) + ")"
			}
			if rows = append(rows, slices.Clone(row)); len(rows) == batch {
				flush()
			}
		})
		flush()
	}
	clock(func() { to.script("COMMIT") })
	to.close()
	check(removeStore(path))
	return took
}

// emptyFile is a file to import that holds nothing.
func (b *bench) emptyFile() string {
	path := b.place("empty.jsonl")
	check(os.WriteFile(path, []byte(`{"type":"lithos","format":1}`+"\n"), 0o644))
	return path
}
