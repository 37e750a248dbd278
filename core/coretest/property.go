package coretest

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/bits"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"dev.lithos/core"
	"dev.lithos/core/coretest/model"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// leastSteps is how many random operations the property test carries out.
const leastSteps = 10_000

// testModel carries out random operations on a store and on the model, with
// a clock that jumps, and holds everything that can be read equal.
func testModel(t *testing.T, open Open) {
	// The same sequence in every run, unless flags of rapid ask for others.
	defaultFlag(t, "rapid.seed", "20260302")
	defaultFlag(t, "rapid.checks", "170")
	defaultFlag(t, "rapid.steps", "60")
	defaultFlag(t, "rapid.nofailfile", "true")
	folder, steps := t.TempDir(), 0
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(r, open, folder)
		defer w.close()
		r.Repeat(map[string]func(*rapid.T){
			"": func(r *rapid.T) { w.checkState(r) },
			"step": func(r *rapid.T) {
				steps++
				w.step(r)
			},
		})
		w.checkAll(r)
	})
	t.Logf("%d steps", steps)
	if steps < leastSteps && !testing.Short() && !t.Failed() {
		t.Errorf("%d steps are too few to prove anything; %d are wanted", steps, leastSteps)
	}
}

// defaultFlag sets a flag for the test unless the command line has done so.
func defaultFlag(t *testing.T, name, value string) {
	set := false
	flag.Visit(func(f *flag.Flag) { set = set || f.Name == name })
	if set {
		return
	}
	before := flag.Lookup(name).Value.String()
	if err := flag.Set(name, value); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := flag.Set(name, before); err != nil {
			t.Error(err)
		}
	})
}

// world is a store and the model beside it.
type world struct {
	folder   string
	store    Store
	recorder *recorder
	service  *core.Service
	graph    *model.Graph
	made     int // ids made so far
	imports  int
	steps    int
	careless bool // whether the step may make mistakes
}

// hierarchyLimit is low, so that random trees meet it.
const hierarchyLimit = 4

var noon = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)

func newWorld(r *rapid.T, open Open, folder string) *world {
	at, err := os.MkdirTemp(folder, "world")
	if err != nil {
		r.Fatal(err)
	}
	s, err := open(at)
	if err != nil {
		r.Fatal(err)
	}
	w := &world{folder: at, store: s, recorder: &recorder{Store: s}}
	w.graph = &model.Graph{Now: noon.UnixMicro(), Fresh: w.recorder.next, MaxDepth: hierarchyLimit}
	w.service = core.New(core.Config{
		Store: w.recorder, NewID: w.newID,
		Now:      func() time.Time { return time.UnixMicro(w.graph.Now) },
		Settings: core.Settings{MaxHierarchyDepth: hierarchyLimit},
	})
	return w
}

func (w *world) close() {
	if err := w.store.Close(); err != nil {
		panic(err)
	}
	if err := os.RemoveAll(w.folder); err != nil {
		panic(err)
	}
}

// newID makes ids of every kind that resolving has to cope with: with
// prefixes in common, prefixes of one another, shorter than any prefix may be,
// upper and lower case, wildcards, letters of several bytes.
func (w *world) newID() string {
	w.made++
	n := w.made
	switch n % 7 {
	case 0:
		return fmt.Sprintf("%08x-77d3-4c1e-8f60-%012x", uint32(n)*2654435761, n)
	case 1:
		return fmt.Sprintf("abcdef%02d-41a0-4f0e", n)
	case 2:
		return fmt.Sprintf("ABCDEF%02d-41a0-4f0e", n)
	case 3:
		return fmt.Sprintf("bbbbbb%d", n)
	case 4:
		return fmt.Sprintf("t%d", n)
	case 5:
		return fmt.Sprintf("a%%_*?[%d", n)
	}
	return fmt.Sprintf("éèêëüß%d", n)
}

// both runs one operation on both sides, compares the answers and returns that
// of the program.
func (w *world) both(r *rapid.T, operation string, arguments model.Object) model.Object {
	r.Helper()
	text, err := json.Marshal(arguments)
	if err != nil {
		r.Fatal(err)
	}
	w.recorder.inserted = nil
	answer := call(context.Background(), w.service, operation, text)
	want := w.graph.Call(operation, arguments)
	if op, ok := core.OperationNamed(operation); ok && !op.ReadOnly() {
		r.Logf("%s: %s %s", core.Stamp(w.graph.Now), operation, text)
	}
	got, err := decode(answer)
	if err != nil {
		r.Fatal(err)
	}
	if diff := difference(want, got); diff != "" {
		r.Fatalf("%s %s at %s\nanswers %s\n-model +program\n%s", operation, text, core.Stamp(w.graph.Now), answer, diff)
	}
	return got.(map[string]any)
}

// checkState compares what is cheap to read; everything now and then.
func (w *world) checkState(r *rapid.T) {
	w.steps++
	order := oneOf(r, "order", []any{nil, "priority", "created", "updated", "impact"})
	w.both(r, "task_ready", model.Object{"limit": 1000, "sort": order})
	w.both(r, "task_blocked", model.Object{"limit": 1000, "sort": order})
	if ids := w.graph.IDs(); len(ids) > 0 {
		w.why(r, oneOf(r, "task explained", ids))
	}
	w.checkFrontier(r)
	if w.steps%24 == 0 {
		w.checkAll(r)
	}
}

func (w *world) checkFrontier(r *rapid.T) {
	differences, err := w.store.CheckFrontier()
	if err != nil || len(differences) > 0 {
		r.Fatalf("the stored frontier differs from a recount: %v %v", differences, err)
	}
}

// why compares the explanation of a task and tries its plan.
func (w *world) why(r *rapid.T, id string) {
	answer := w.both(r, "task_why", model.Object{"task_id": id})
	if err := w.graph.CheckWhy(answer); err != nil {
		r.Fatalf("task_why of %s at %s\nanswers %v\n%v", id, core.Stamp(w.graph.Now), answer, err)
	}
}

// checkAll compares everything that can be read.
func (w *world) checkAll(r *rapid.T) {
	for _, id := range w.graph.IDs() {
		w.why(r, id)
		w.both(r, "task_status", model.Object{"task_id": id})
		w.both(r, "task_edge_list", model.Object{"task_id": id})
		w.both(r, "task_children", model.Object{"task_id": id, "recursive": true, "include_closed": true})
		w.both(r, "finding_list", model.Object{"task_id": id})
	}
	for _, name := range agents {
		w.both(r, "agent_info", model.Object{"id": name})
	}
	w.both(r, "task_list", model.Object{"with_claims": true})
	w.both(r, "agent_list", model.Object{})
	w.both(r, "stats", model.Object{})
	w.checkEvents(r)
}

// checkEvents compares the feed. Its seq rises; its ids are never repeated.
func (w *world) checkEvents(r *rapid.T) {
	var got []any
	ids := map[any]bool{}
	last := int64(0)
	for since := json.Number("0"); ; {
		answer, err := decode(call(context.Background(), w.service, "events", []byte(`{"limit":1000,"since":`+since.String()+`}`)))
		if err != nil {
			r.Fatal(err)
		}
		page := answer.(map[string]any)
		for _, item := range page["events"].([]any) {
			e := item.(map[string]any)
			seq, err := e["seq"].(json.Number).Int64()
			if err != nil || seq <= last || ids[e["id"]] {
				r.Fatalf("event %v follows seq %d", e, last)
			}
			last, ids[e["id"]] = seq, true
			delete(e, "seq")
			delete(e, "id")
			got = append(got, e)
		}
		if page["has_more"] != true {
			break
		}
		since = page["next_since"].(json.Number)
	}
	var want []any
	for _, e := range w.graph.Events() {
		want = append(want, e)
	}
	if settled := settle(want, got); len(want)+len(got) > 0 && !reflect.DeepEqual(settled, any(got)) {
		r.Fatalf("events: -model +program\n%s", cmp.Diff(settled, any(got)))
	}
}

// The words that random operations are made of. There are few of each, so
// that they meet.
var (
	agents      = []string{"ada", "mo", "zoë"}
	aspects     = []string{"work", "review"}
	titles      = []string{"Write schema", "WRITE importer", "line\nbreak \x1b[31m‮", "é🙂"}
	tagWords    = []string{"db", "urgent", "ü ber"}
	projects    = []string{"core", "tui", ""}
	edgeKinds   = []string{"blocks", "blocks", "blocks", "waits_on_gate", "waits_on_gate", "parent_child", "discovered_from"}
	requestIDs  = []any{nil, nil, nil, nil, nil, nil, nil, "r1", "r2"}
	gateKinds   = []string{"timer", "timer", "timer", "human", "ci"}
	wrongWords  = []string{"block", "gates", "prio", "opened", ""}
	priorities  = []any{"highest", "high", "medium", "low", "lowest", "urgent", 1}
	applyChoice = []string{
		"create", "create", "create", "edge_upsert", "edge_upsert", "edge_upsert", "complete", "cancel", "reopen", "update", "spawn",
		"claim", "renew", "release", "edge_delete", "finding_post",
	}
)

// operationChoice weighs the steps.
var operationChoice = slices.Concat(
	slices.Repeat([]string{"edge_upsert"}, 24), slices.Repeat([]string{"create"}, 18), slices.Repeat([]string{"complete"}, 13),
	slices.Repeat([]string{"clock"}, 12), slices.Repeat([]string{"edge_delete"}, 9), slices.Repeat([]string{"update"}, 9),
	slices.Repeat([]string{"reopen"}, 9), slices.Repeat([]string{"apply"}, 7), slices.Repeat([]string{"cancel"}, 6),
	slices.Repeat([]string{"claim"}, 6), slices.Repeat([]string{"next"}, 5), slices.Repeat([]string{"spawn"}, 4),
	slices.Repeat([]string{"load"}, 4), slices.Repeat([]string{"renew"}, 3), slices.Repeat([]string{"release"}, 3),
	slices.Repeat([]string{"read"}, 6), slices.Repeat([]string{"finding_post"}, 2), slices.Repeat([]string{"register"}, 2),
)

// step carries out one random operation.
func (w *world) step(r *rapid.T) {
	w.careless = rarely(r, "careless", 4)
	word := oneOf(r, "operation", operationChoice)
	if word == "create" && len(w.graph.IDs()) >= 16 || word == "load" && len(w.graph.IDs()) >= 20 {
		word = "edge_upsert" // what is there shall meet
	}
	switch word {
	case "clock":
		w.moveClock(r)
	case "load":
		w.load(r)
	case "read":
		w.read(r)
	case "apply":
		w.both(r, "task_apply", w.applyArguments(r))
	case "next":
		o := w.filters(r)
		o["agent"] = w.agent(r)
		o["aspect"] = maybe(r, "aspect", any(oneOf(r, "aspect", aspects)))
		o["ttl_minutes"] = w.lease(r)
		w.both(r, "task_next", o)
	case "register":
		o := model.Object{"id": oneOf(r, "id", agents)}
		o["name"] = maybe(r, "name", any(oneOf(r, "name", titles)))
		o["type"] = maybe(r, "type", any("coder"))
		o["metadata"] = maybe(r, "metadata", any(w.metadata(r)))
		w.both(r, "agent_register", o)
	default:
		tool := "task_" + word
		if word == "finding_post" {
			tool = word
		}
		o := w.arguments(r, word, nil)
		if word == "create" || word == "spawn" {
			o["request_id"] = oneOf(r, "request_id", requestIDs)
		}
		w.both(r, tool, o)
	}
}

// below draws a number below n, each as often as the others: the integers of
// rapid lean towards small ones, and with them most steps would be of one kind.
func below(r *rapid.T, label string, n int) int {
	return rapid.Custom(func(r *rapid.T) int {
		u := 0
		for range bits.Len(uint(n-1)) + 3 {
			u <<= 1
			if coin.Draw(r, "bit") {
				u++
			}
		}
		return u % n
	}).Draw(r, label)
}

var coin = rapid.Bool()

func oneOf[V any](r *rapid.T, label string, values []V) V {
	return values[below(r, label, len(values))]
}

// maybe is the value in one of three cases, null else.
func maybe(r *rapid.T, label string, value any) any {
	if rarely(r, label+"?", 3) {
		return value
	}
	return nil
}

// rarely is true once in n times.
func rarely(r *rapid.T, label string, n int) bool { return below(r, label, n) == n-1 }

func (w *world) agent(r *rapid.T) string {
	if w.mistake(r, "blank agent", 20) {
		return " "
	}
	return oneOf(r, "agent", agents)
}

// id names a task, mostly one that is there. names are those that an apply has
// given so far.
func (w *world) id(r *rapid.T, label string, names []string) string {
	ids := w.graph.IDs()
	if len(names) > 0 && rarely(r, label+" by name", 2) {
		return "$" + oneOf(r, label, names)
	}
	if len(ids) == 0 || w.mistake(r, label+" unknown", 12) {
		return oneOf(r, label, []string{"ffffffff-none", "abc", "", "abcde", "t", "$nobody", "ABCDEF", "abcdef", "bbbbbb"})
	}
	id := oneOf(r, label, ids)
	if rarely(r, label+" short", 6) && (w.careless || utf8.RuneCountInString(id) > 12) {
		characters := []rune(id)
		return string(characters[:len(characters)-below(r, label+" cut", max(len(characters)-4, 1))])
	}
	return id
}

// mistake is true once in n times while mistakes are allowed.
func (w *world) mistake(r *rapid.T, label string, n int) bool {
	return w.careless && rarely(r, label, n)
}

func (w *world) lease(r *rapid.T) any {
	return oneOf(r, "ttl", []any{nil, 1, 60, 0, -5, 9000})
}

func (w *world) tags(r *rapid.T, label string) any {
	if !rarely(r, label+"?", 3) {
		return nil
	}
	list := []any{}
	for range below(r, label+" count", 4) {
		list = append(list, any(oneOf(r, label, tagWords)))
	}
	return list
}

func (w *world) metadata(r *rapid.T) model.Object {
	o := model.Object{}
	if rarely(r, "priority?", 2) {
		o["priority"] = oneOf(r, "priority", priorities)
	}
	switch below(r, "project?", 6) {
	case 0, 1:
		o["project"] = oneOf(r, "project", projects)
	case 2:
		o["project"] = []any{oneOf(r, "project", projects), 1, "tui"}
	}
	switch below(r, "key", 9) {
	case 0:
		o["n"] = oneOf(r, "n", []any{1, json.Number("1.0"), "1", true, nil, []any{1, "x"}, model.Object{"a": 1}})
	case 1:
		o["phase"] = oneOf(r, "phase", []any{1, json.Number("2.50"), nil})
	case 2:
		if w.mistake(r, "forbidden", 2) {
			o[oneOf(r, "forbidden key", []string{"depends_on", "blocked_on"})] = nil
		}
	}
	return o
}

// gateMetadata is what a gate needs, timers mostly close to now.
func (w *world) gateMetadata(r *rapid.T) model.Object {
	o := model.Object{"gate_type": oneOf(r, "gate type", gateKinds)}
	if o["gate_type"] == "timer" || rarely(r, "time of another gate", 4) {
		o["ready_at"] = w.time(r)
	}
	if w.mistake(r, "bad gate", 4) {
		switch below(r, "how bad", 4) {
		case 0:
			delete(o, "gate_type")
		case 1:
			delete(o, "ready_at")
		case 2:
			o["gate_type"] = "timed"
		case 3:
			o["ready_at"] = "soon"
		}
	}
	return o
}

func (w *world) time(r *rapid.T) string {
	at := w.graph.Now + int64(oneOf(r, "seconds from now", []int{-3600, -1, 0, 1, 2, 60, 3600}))*1_000_000
	at += int64(oneOf(r, "microseconds more", []int{0, 0, 1, 500_000}))
	t := time.UnixMicro(at)
	return oneOf(r, "written", []string{
		t.UTC().Format("2006-01-02T15:04:05.999999999Z07:00"), t.In(time.FixedZone("", -19800)).Format("2006-01-02T15:04:05.999999Z07:00"),
		t.UTC().Format("2006-01-02T15:04:05"), t.UTC().Format("2006-01-02"),
	})
}

func (w *world) title(r *rapid.T) string {
	if w.mistake(r, "bad title", 10) {
		return oneOf(r, "title", []string{"", "\u2003\n", strings.Repeat("é", 501)})
	}
	return oneOf(r, "title", titles)
}

// arguments makes those of an operation that task_apply knows too.
func (w *world) arguments(r *rapid.T, word string, names []string) model.Object {
	o := model.Object{"agent": w.agent(r)}
	if !slices.Contains([]string{"create", "spawn", "edge_upsert", "edge_delete"}, word) {
		o["task_id"] = w.id(r, "task_id", names)
	}
	w.aim(r, word, o)
	switch word {
	case "create":
		o["title"] = w.title(r)
		o["description"] = maybe(r, "description", "About the Schema.")
		o["tags"] = w.tags(r, "tags")
		o["task_type"] = oneOf(r, "task_type", []any{nil, nil, nil, "task", "epic", "gate", "gate", "gate"})
		if o["task_type"] == "gate" {
			o["metadata"] = w.gateMetadata(r)
		} else {
			o["metadata"] = maybe(r, "metadata", w.metadata(r))
		}
		if w.mistake(r, "bad type", 10) {
			o["task_type"] = oneOf(r, "task_type", wrongWords)
		}
		if rarely(r, "parent", 4) {
			o["parent_task_id"] = w.id(r, "parent_task_id", names)
		}
		if rarely(r, "dependencies", 3) {
			list := []any{}
			for range below(r, "dependency count", 4) {
				list = append(list, w.id(r, "dependency", names))
			}
			o["depends_on"] = list
		}
	case "spawn":
		o["source_task_id"], o["title"] = w.id(r, "source", names), w.title(r)
		o["relation_type"] = oneOf(r, "relation", []any{nil, "blocks", "discovered_from", "blocks"})
		if w.mistake(r, "bad relation", 6) {
			o["relation_type"] = "parent_child"
		}
		for _, key := range []string{"inherit_project", "inherit_tags", "inherit_context"} {
			o[key] = oneOf(r, key, []any{nil, true, false})
		}
		o["metadata"] = maybe(r, "metadata", w.metadata(r))
	case "update":
		o["title"] = maybe(r, "title?", w.title(r))
		o["description"] = maybe(r, "description", "")
		if w.careless || rarely(r, "whole tags", 2) {
			o["tags"] = w.tags(r, "tags")
		}
		if w.careless || o["tags"] == nil {
			o["add_tags"], o["remove_tags"] = w.tags(r, "add_tags"), w.tags(r, "remove_tags")
		}
		switch below(r, "metadata", 4) {
		case 0:
			o["metadata"] = w.metadata(r)
		case 1:
			o["metadata"] = w.gateMetadata(r)
		}
		w.expectVersion(r, o)
	case "complete":
		o["outcome"] = maybe(r, "outcome", oneOf(r, "outcome", []string{"", "done\nwell"}))
		w.expectVersion(r, o)
		if rarely(r, "feedback", 30) {
			o["cited_nodes"], o["receipt_id"] = []any{"n1"}, oneOf(r, "receipt", []any{nil, "no-such-receipt"})
		}
	case "cancel":
		o["reason"] = maybe(r, "reason", oneOf(r, "reason", []string{"", " ", "pipeline retired"}))
		w.expectVersion(r, o)
	case "reopen":
		w.expectVersion(r, o)
	case "claim", "renew", "release":
		if o["aspect"] == nil {
			o["aspect"] = oneOf(r, "aspect", aspects)
		}
		if word != "release" {
			o["ttl_minutes"] = w.lease(r)
		}
	case "edge_upsert", "edge_delete":
		o["from_task_id"], o["to_task_id"] = w.id(r, "from", names), w.id(r, "to", names)
		o["type"] = oneOf(r, "type", edgeKinds)
		if gates := w.graph.Gates(); o["type"] == "waits_on_gate" && !w.careless && len(gates) > 0 {
			o["from_task_id"] = oneOf(r, "gate", gates)
		}
		if edges := w.graph.Edges(); len(edges) > 0 && (word == "edge_delete" || rarely(r, "repeated", 8)) && !rarely(r, "any ends", 5) {
			e := oneOf(r, "edge", edges)
			o["from_task_id"], o["to_task_id"], o["type"] = e[0], e[1], e[2]
		} else if w.mistake(r, "bad type", 10) {
			o["type"] = oneOf(r, "type", wrongWords)
		}
		if word == "edge_upsert" {
			o["metadata"] = maybe(r, "metadata", w.metadata(r))
		}
	case "finding_post":
		o["summary"] = oneOf(r, "summary", []string{"", "CSV needs a BOM check"})
		o["knowledge_id"] = maybe(r, "knowledge_id", "5f0d3c2a")
	}
	return o
}

// aim lets most operations hit a task that they do something to: one that is
// open or closed as needed and that others wait for, or a claim that is there.
func (w *world) aim(r *rapid.T, word string, o model.Object) {
	if w.careless {
		return
	}
	var hits []string
	switch word {
	case "complete", "cancel", "reopen":
		for _, e := range w.graph.Edges() {
			if isOpen := w.graph.Status(e[0]) == "open"; (e[2] == "blocks" || e[2] == "waits_on_gate") && isOpen == (word != "reopen") {
				hits = append(hits, e[0])
			}
		}
	case "renew", "release":
		if claims := w.graph.Claims(); len(claims) > 0 {
			c := oneOf(r, "claim", claims)
			o["task_id"], o["agent"], o["aspect"] = c[0], c[1], c[2]
		}
	}
	if len(hits) > 0 {
		o["task_id"] = oneOf(r, "target", hits)
	}
}

// expectVersion gives the version that is stored, or another, or none.
func (w *world) expectVersion(r *rapid.T, o model.Object) {
	n := 1
	if id, _ := o["task_id"].(string); slices.Contains(w.graph.IDs(), id) {
		n = w.graph.Version(id)
	}
	o["expected_version"] = oneOf(r, "expected_version", []any{nil, nil, n})
	if w.careless {
		o["expected_version"] = oneOf(r, "wrong version", []any{nil, n, n + 1, max(n-1, 1), 0})
	}
}

func (w *world) applyArguments(r *rapid.T) model.Object {
	o := model.Object{"agent": maybe(r, "default agent", w.agent(r)), "request_id": oneOf(r, "request_id", requestIDs)}
	operations := []any{}
	var names []string
	for i := range 1 + below(r, "operations", 6) {
		word := oneOf(r, "word", applyChoice)
		operation := w.arguments(r, word, names)
		operation["op"] = word
		if o["agent"] != nil && rarely(r, "agent by default", 2) {
			delete(operation, "agent")
		}
		if (word == "create" || word == "spawn") && below(r, "named", 4) > 0 {
			name := fmt.Sprintf("n%d", i)
			if rarely(r, "same name", 20) {
				name = "n0"
			}
			operation["as"] = name
			names = append(names, name)
		}
		operations = append(operations, operation)
	}
	o["operations"] = operations
	return o
}

func (w *world) filters(r *rapid.T) model.Object {
	o := model.Object{"tags": w.tags(r, "filter tags")}
	if rarely(r, "by project", 3) {
		o["project"] = oneOf(r, "project", projects)
	}
	if rarely(r, "by metadata", 3) {
		key := oneOf(r, "match key", []string{"n", "priority", "project", "phase", "gate_type"})
		o["metadata_match"] = model.Object{key: oneOf(r, "match value", []any{1, json.Number("1.0"), "1", true, "core", "high", json.Number("2.5"), nil})}
	}
	return o
}

// read compares one read with filters and pages.
func (w *world) read(r *rapid.T) {
	o := w.filters(r)
	limit := oneOf(r, "limit", []any{nil, 1, 2, 5, 0})
	offset := oneOf(r, "offset", []any{nil, nil, 0, 1, 3, -1})
	switch which := oneOf(r, "which", []string{"task_ready", "task_blocked", "task_list", "task_list", "task_children", "task_edge_list", "task_get", "finding_list"}); which {
	case "task_ready", "task_blocked":
		o["limit"], o["offset"] = limit, offset
		o["sort"] = oneOf(r, "sort", []any{nil, "priority", "created", "updated", "impact", "prio"})
		if which == "task_ready" {
			o["with_claims"] = oneOf(r, "with_claims", []any{nil, true, false})
		}
		w.both(r, which, o)
	case "task_list":
		delete(o, "project")
		o["limit"], o["offset"] = limit, offset
		o["agent"] = maybe(r, "created by", oneOf(r, "agent", agents))
		o["status"] = oneOf(r, "status", []any{nil, nil, "", "open", "completed", "cancelled", "opened"})
		o["task_type"] = oneOf(r, "task_type", []any{nil, nil, "", "task", "epic", "gate", "gates"})
		o["claimed_by"] = oneOf(r, "claimed_by", []any{nil, nil, "", "*", "mo"})
		o["text"] = oneOf(r, "text", []any{nil, nil, "", "SCHEMA", "write", "abcd", "ABCD", "É", "no such"})
		o["since"] = maybe(r, "since", w.time(r))
		o["resolved_since"] = maybe(r, "resolved_since", w.time(r))
		o["with_claims"] = oneOf(r, "with_claims", []any{nil, true})
		w.both(r, which, o)
	case "task_children":
		w.both(r, which, model.Object{
			"task_id": w.id(r, "task_id", nil), "recursive": oneOf(r, "recursive", []any{nil, true}), "include_closed": oneOf(r, "closed", []any{nil, true}),
		})
	case "task_edge_list":
		w.both(r, which, model.Object{
			"task_id": w.id(r, "task_id", nil), "direction": oneOf(r, "direction", []any{nil, "incoming", "outgoing", "both", "up"}),
			"types": oneOf(r, "types", []any{nil, []any{}, []any{"blocks"}, []any{"nonsense"}, []any{"parent_child", "nonsense", "waits_on_gate"}}),
		})
	case "task_get":
		w.both(r, which, model.Object{"task_id": w.id(r, "task_id", nil)})
	case "finding_list":
		w.both(r, which, model.Object{"task_id": w.id(r, "task_id", nil), "since": maybe(r, "since", w.time(r))})
	}
}

// moveClock goes forward, back, or to the edge of a timer or lease.
func (w *world) moveClock(r *rapid.T) {
	moments := slices.Concat(w.graph.Timers(), w.graph.Expiries())
	if len(moments) > 0 && rarely(r, "to an edge", 2) {
		w.graph.Now = oneOf(r, "moment", moments) + int64(oneOf(r, "off by", []int{-1_000_000, -1, 0, 1, 999_999, 1_000_000}))
		return
	}
	w.graph.Now += int64(oneOf(r, "by", []int{1, 1, 1000, 1_000_000, 1_000_000, 60_000_000, 3_600_000_000, 0, -1, -1_000_000, -60_000_000, -7_200_000_000}))
}

// load writes rows past all rules, as imports may: closed tasks, rings,
// timers with fractions, claims that are over.
func (w *world) load(r *rapid.T) {
	w.imports++
	count := 1 + below(r, "tasks loaded", 4)
	var fresh []core.Task
	for i := range count {
		kind := oneOf(r, "kind", []core.TaskType{core.TypeTask, core.TypeTask, core.TypeTask, core.TypeGate, core.TypeEpic})
		metadata := model.Object{"priority": oneOf(r, "priority", priorities)}
		if kind == core.TypeGate {
			metadata = model.Object{"gate_type": oneOf(r, "gate type", []any{"timer", "timer", "timer", "ci", 5, "odd"})}
			metadata["ready_at"] = oneOf(r, "ready_at", []any{w.time(r), w.time(r), "never", nil})
		}
		text, err := json.Marshal(metadata)
		if err != nil {
			r.Fatal(err)
		}
		parsed, err := core.ParseMetadata(text)
		if err != nil {
			r.Fatal(err)
		}
		created := core.Stamp(w.graph.Now) - core.Stamp(oneOf(r, "age", []int{0, 1, 5_000_000, 86_400_000_000}))
		task := core.Task{
			TaskHead: core.TaskHead{
				ID: fmt.Sprintf("abcdef-%d%d", w.imports, i), Title: oneOf(r, "title", titles), Type: kind,
				Status: oneOf(r, "status", []core.Status{
					core.StatusOpen, core.StatusOpen, core.StatusOpen, core.StatusOpen, core.StatusCompleted, core.StatusCancelled,
				}),
				CreatedAt: created, UpdatedAt: created + 1, Version: 3,
			},
			CreatedBy: "importer", Metadata: parsed,
		}
		if task.Status != core.StatusOpen {
			task.ResolvedAt = &task.UpdatedAt
		}
		fresh = append(fresh, task)
		w.graph.AddTask(task.ID, task.Title, string(task.Status), string(kind), "importer", int64(created), int64(task.UpdatedAt), 3, metadata)
	}
	type link struct{ from, to, kind string }
	var links []link
	var wanted []link
	for range below(r, "edges loaded", 9) {
		ids := w.graph.IDs()
		wanted = append(wanted, link{oneOf(r, "from", ids), oneOf(r, "to", ids), oneOf(r, "type", edgeKinds)})
	}
	for _, task := range fresh {
		if task.Type == core.TypeGate {
			wanted = append(wanted, link{task.ID, oneOf(r, "waiter", w.graph.IDs()), "waits_on_gate"})
		}
	}
	for range below(r, "rings loaded", 3) {
		var open []string
		for _, id := range w.graph.IDs() {
			if w.graph.Status(id) == "open" {
				open = append(open, id)
			}
		}
		if len(open) == 0 {
			break
		}
		first := oneOf(r, "ring member", open)
		at := first
		for range 1 + below(r, "ring length", 3) {
			next := oneOf(r, "ring member", open)
			wanted = append(wanted, link{at, next, "blocks"})
			at = next
		}
		wanted = append(wanted, link{at, first, "blocks"})
	}
	for _, l := range wanted {
		known := slices.Contains(w.graph.Edges(), [3]string{l.from, l.to, l.kind})
		if l.from == l.to || known || l.kind == "waits_on_gate" && w.graph.Kind(l.from) != "gate" || l.kind == "parent_child" && w.graph.HasParent(l.to) {
			continue
		}
		links = append(links, l)
		w.graph.AddEdge(l.from, l.to, l.kind, "importer", w.graph.Now)
	}
	r.Logf("%s: load %d tasks and %v", core.Stamp(w.graph.Now), count, links)
	expires := core.Stamp(w.graph.Now) + core.Stamp(oneOf(r, "lease", []int{-1, 0, 1, 60_000_000}))
	w.graph.AddClaim(fresh[0].ID, "mo", "imported", int64(expires))
	err := w.store.Write(context.Background(), func(tx core.WriteTx) error {
		return tx.Load(func(l core.Loader) error {
			for i := range fresh {
				key, err := l.InsertTask(fresh[i], core.FacetsOf(fresh[i].Type, fresh[i].Metadata))
				if err != nil {
					return err
				}
				fresh[i].Key = key
			}
			for _, link := range links {
				from, fromFound, err := tx.TaskByID(link.from)
				if err != nil {
					return err
				}
				to, toFound, err := tx.TaskByID(link.to)
				if err != nil {
					return err
				}
				changed, err := l.PutEdge(core.Edge{
					From: from.Key, To: to.Key, Type: core.EdgeType(link.kind), CreatedBy: "importer", CreatedAt: core.Stamp(w.graph.Now),
				})
				if err != nil {
					return err
				}
				if !fromFound || !toFound || !changed {
					return fmt.Errorf("the edge %v is not added: from %v, to %v, changed %v", link, fromFound, toFound, changed)
				}
			}
			_, err := l.PutClaim(fresh[0].Key, core.Claim{Agent: "mo", Aspect: "imported", ClaimedAt: expires - 1, ExpiresAt: expires})
			return err
		})
	})
	if err != nil {
		r.Fatalf("%s: %v", filepath.Base(w.folder), err)
	}
}
