package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
	"dev.lithos/store/bench/graph"
)

// fixture is a store with a graph in it.
type fixture struct {
	*graph.Graph
	path    string
	store   *store.Store
	service *core.Service
	raw     *raw
}

// open opens the store in this process; both ways of access are closed again
// by close, since processes are measured without others that have it open.
func (f *fixture) open() *fixture {
	opened, err := store.Open(context.Background(), store.Options{Path: f.path, Create: true})
	check(err)
	f.store, f.service, f.raw = opened, core.New(core.Config{Store: opened}), openRaw(f.path)
	return f
}

func (f *fixture) close() {
	f.raw.close()
	check(f.store.Close())
}

// now in the units of the store.
func now() int64 { return int64(core.StampOf(time.Now())) }

func seconds() int64 { return now() / 1_000_000 }

// fixture returns the store of a shape, making it at the first use.
func (b *bench) fixture(shape graph.Shape) *fixture {
	if f := b.stores[key(shape)]; f != nil {
		return f
	}
	f := &fixture{Graph: graph.New(shape), path: b.pathOf(shape)}
	if b.isMissing(f.path) {
		start := time.Now()
		draft := f.path + ".making"
		check(removeStore(draft))
		s, err := store.Open(b.ctx, store.Options{Path: draft, Create: true, Synchronous: store.Normal})
		check(err)
		check(f.Fill(b.ctx, s))
		check(s.Close())
		check(os.Rename(draft, f.path))
		b.progress("made a graph of %s tasks in %s", count(shape.Tasks), short(time.Since(start)))
	}
	b.stores[key(shape)] = f
	return f
}

// key tells shapes apart.
func key(shape graph.Shape) string {
	text, err := json.Marshal(shape)
	check(err)
	return string(text)
}

// pathOf is where the store of a shape lies.
func (b *bench) pathOf(shape graph.Shape) string {
	return b.place(fmt.Sprintf("graph-%d-%08x.db", shape.Tasks, hash(key(shape))))
}

// ordinary is the store of an ordinary graph.
func (b *bench) ordinary(tasks int) *fixture {
	return b.fixture(graph.Ordinary(tasks, float64(b.edges)))
}

// place is where a file of the run lies.
func (b *bench) place(name string) string {
	if b.keep != "" {
		return filepath.Join(b.keep, name)
	}
	return filepath.Join(b.dir, name)
}

func hash(text string) (sum uint32) {
	for _, c := range []byte(text) {
		sum = (sum ^ uint32(c)) * 16777619
	}
	return sum
}

func (b *bench) isMissing(path string) bool {
	_, err := os.Stat(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		check(err)
	}
	return err != nil
}

// copyOf is a copy of a store that nobody has open.
func (b *bench) copyOf(f *fixture, name string) *fixture {
	path := filepath.Join(b.dir, name)
	check(removeStore(path))
	from, err := os.Open(f.path)
	check(err)
	to, err := os.Create(path)
	check(err)
	_, err = to.ReadFrom(from)
	check(errors.Join(err, to.Close(), from.Close()))
	return &fixture{Graph: f.Graph, path: path}
}

// removeStore removes a store with all that lies beside it.
func removeStore(path string) error {
	var errs []error
	for _, suffix := range []string{"", "-wal", "-shm", "-turn", "-gate"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// sizeOf is the size of a file in bytes, 0 when there is none.
func sizeOf(path string) int64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size()
}
