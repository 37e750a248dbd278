package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"time"

	"dev.lithos/core"
	"dev.lithos/store"
)

// web is a store whose tasks form chains, layers and random graphs, for the
// search for rings.
type web struct {
	fixture
	first map[string]int // the first task of a part, by its name
	tasks int
}

// The parts of a web.
const (
	chainLong   = 100_000
	layers      = 20
	layerWide   = 100
	randomTasks = 10_000
	randomEdges = 50_000
)

// openWeb makes the store.
func (b *bench) openWeb() *web {
	w := &web{first: map[string]int{}}
	w.path = b.place("web.db")
	fresh := b.isMissing(w.path)
	draft := w.path
	if fresh {
		draft += ".making"
		check(removeStore(draft))
	}
	s, err := store.Open(b.ctx, store.Options{Path: draft, Create: true})
	check(err)
	fill := func(edge func(from, to int) error) error {
		r := rand.New(rand.NewPCG(9, 9))
		part := func(name string, tasks int) int {
			w.first[name] = w.tasks
			w.tasks += tasks
			return w.first[name]
		}
		var errs []error
		for _, name := range []string{"chain", "other chain"} {
			first := part(name, chainLong)
			for i := 1; i < chainLong; i++ {
				errs = append(errs, edge(first+i-1, first+i))
			}
		}
		first := part("layers", layers*layerWide)
		for to := layerWide; to < layers*layerWide; to++ {
			for from := range layerWide {
				errs = append(errs, edge(first+to/layerWide*layerWide-layerWide+from, first+to))
			}
		}
		first = part("random", randomTasks)
		for range randomEdges {
			a, b := r.IntN(randomTasks), r.IntN(randomTasks)
			if a != b {
				errs = append(errs, edge(first+min(a, b), first+max(a, b)))
			}
		}
		part("alone", 10)
		return errors.Join(errs...)
	}
	if fresh {
		check(s.Write(b.ctx, func(tx core.WriteTx) error {
			return tx.Load(func(l core.Loader) error {
				made := 0
				insert := func(upTo int) error {
					for ; made <= upTo; made++ {
						t := core.Task{TaskHead: core.TaskHead{
							ID: w.id(made), Title: fmt.Sprintf("Task %d", made), Status: core.StatusOpen, Type: core.TypeTask,
							CreatedAt: core.Stamp(made + 1), UpdatedAt: core.Stamp(made + 1), Version: 1,
						}, CreatedBy: "bench"}
						if _, err := l.InsertTask(t, core.FacetsOf(t.Type, t.Metadata)); err != nil {
							return err
						}
					}
					return nil
				}
				err := fill(func(from, to int) error {
					err := insert(max(from, to))
					if err == nil {
						_, err = l.PutEdge(core.Edge{From: core.TaskKey(from + 1), To: core.TaskKey(to + 1), Type: core.EdgeBlocks, Metadata: "{}", CreatedBy: "bench"})
					}
					return err
				})
				return errors.Join(err, insert(w.tasks-1))
			})
		}))
		check(s.Close())
		check(os.Rename(draft, w.path))
	} else {
		check(fill(func(int, int) error { return nil }))
		check(s.Close())
	}
	w.open()
	return w
}

// id is the id of a task of the web.
func (w *web) id(i int) string { return fmt.Sprintf("%08x-%d", uint32(i)*2654435761, i) }

// judge has an edge judged and made, then taken back; it returns how long that
// took and whether the edge was refused.
func judge(f *fixture, from, to string) (took time.Duration, refused bool) {
	arguments := []byte(fmt.Sprintf(`{"from_task_id":%q,"to_task_id":%q,"type":"blocks","agent":"bench"}`, from, to))
	start := time.Now()
	_, err := core.TaskEdgeUpsert.Call(core.Rehearse(context.Background()), f.service, arguments)
	took = time.Since(start)
	if err != nil {
		var e *core.Error
		if !errors.As(err, &e) || e.Code != core.CodeCycle {
			check(err)
		}
		return took, true
	}
	return took, false
}

// measureEdges measures the search for rings against the same walk as one
// statement.
func (b *bench) measureEdges() {
	w := b.openWeb()
	walk := func(f *fixture, from, to int) time.Duration {
		start := time.Now()
		f.raw.exec("BEGIN")
		f.raw.query(reaches, int64(to+1), int64(from+1))
		f.raw.exec("COMMIT")
		return time.Since(start)
	}
	n := max(b.turns/4, 5)
	// What an upsert costs besides its search is measured with an edge that needs
	// none, turn by turn with the others, and left out.
	compare := func(what, size string, refused bool, f *fixture, ids func(int) string, free [2]string, ends func(turn int) (from, to int)) {
		var besides []time.Duration
		c := turns(n, func(turn int) time.Duration {
			plain, _ := judge(f, free[0], free[1])
			besides = append(besides, plain)
			from, to := ends(turn)
			took, was := judge(f, ids(from), ids(to))
			if was != refused {
				check(fmt.Errorf("%s: refused %v", what, was))
			}
			return took
		}, func(turn int) time.Duration {
			from, to := ends(turn)
			return walk(f, from, to)
		})
		search, reference := median(c.ours)-median(besides), median(c.theirs)
		b.report.add("limits", figure{what: "edge check: " + what, size: size, value: float64(search) / float64(reference), limit: 1.5, unit: "×",
			detail: fmt.Sprintf("%s beyond the %s of an edge that needs no search; the forward walk %s", short(search), short(median(besides)), short(reference))})
	}
	fixedEnds := func(from, to int) func(int) (int, int) { return func(int) (int, int) { return from, to } }
	chain, other, dense, random := w.first["chain"], w.first["other chain"], w.first["layers"], w.first["random"]
	free := [2]string{w.id(chain + chainLong/2), w.id(w.first["alone"])}
	compare("chain, its end to the head of another", count(chainLong), false, &w.fixture, w.id, free, fixedEnds(chain+chainLong-1, other))
	compare("chain, its end to its head: refused, path included", count(chainLong), true, &w.fixture, w.id, free, fixedEnds(chain+chainLong-1, chain))
	compare("dense layers, within one", "20 × 100", false, &w.fixture, w.id, free, fixedEnds(dense+150, dense+120))
	compare("dense layers, from last to first: refused", "20 × 100", true, &w.fixture, w.id, free, fixedEnds(dense+layers*layerWide-1, dense))
	compare("random graph, older to newer", "10 k, 50 k edges", false, &w.fixture, w.id, free, func(turn int) (int, int) {
		return random + 3000 + turn*17, random + 3400 + turn*29
	})
	b.freeEdges(w)
	w.close()

	f := b.ordinary(b.largest())
	f.open()
	plain := f.Plain()
	free = [2]string{f.ID(plain[0]), f.lone()}
	pair := func(turn int) (int, int) {
		a, b := plain[turn*2%len(plain)], plain[(turn*2+1)%len(plain)]
		return min(a, b), max(a, b)
	}
	compare("between open tasks of a large history", count(f.Tasks), false, f, f.ID, free, pair)
	compare("from an open task to one of them, made before", count(f.Tasks), false, f, f.ID, free, func(turn int) (int, int) {
		_, to := pair(turn)
		return f.Open - 20 - turn*3, to
	})
	f.close()
}

// lone makes a task without edges and returns its id.
func (f *fixture) lone() string {
	var made struct {
		TaskID string `json:"task_id"`
	}
	check(json.Unmarshal(f.call("task_create", `{"title":"Alone","agent":"bench"}`), &made))
	return made.TaskID
}

// freeEdges measures edges to and from a task that has none.
func (b *bench) freeEdges(w *web) {
	w.call("agent_register", `{"id":"bench"}`) // as whoever works on a store is
	alone, chain := w.id(w.first["alone"]), w.id(w.first["chain"]+chainLong/2)
	n := b.turns * 5
	nothing := repeat(n, func(int) time.Duration {
		start := time.Now()
		check(ignoreRehearsed(w.store.Write(b.ctx, func(core.WriteTx) error { return errRehearsed })))
		return time.Since(start)
	})
	for _, free := range []struct{ what, from, to string }{{"to a new task", chain, alone}, {"from a new task", alone, chain}} {
		times := repeat(n, func(int) time.Duration {
			took, _ := judge(&w.fixture, free.from, free.to)
			return took
		})
		took := median(times) - median(nothing)
		b.report.add("limits", figure{what: "edge check, free: " + free.what, size: count(chainLong), value: float64(took) / 1e3, limit: 50, unit: "µs",
			detail: fmt.Sprintf("the whole upsert without its commit; an empty transaction takes %s", short(median(nothing)))})
	}
}

// errRehearsed rolls a transaction back that was only tried.
var errRehearsed = errors.New("rehearsed")

func ignoreRehearsed(err error) error {
	if errors.Is(err, errRehearsed) {
		return nil
	}
	return err
}
