package cli_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"dev.lithos/cli"
	"dev.lithos/core"
)

// TestDocumentation_json runs every command that answers with JSON, holds the
// shapes of documentation_shapes_test.go and the answers against each other,
// and docs/json.md equal to what both say.
func TestDocumentation_json(t *testing.T) {
	s := newSurvey(t)
	for _, step := range scenario {
		s.take(step)
	}
	s.complete()
	compareDocument(t, "../docs/json.md", s.document())
}

// step is one command of the scenario. $name stands for the id of the task
// that the step of this name has made. A step refused ends with an error, one
// unwell with the result of an examination that found something.
type step struct {
	as     string
	args   []string
	stdin  string
	before func(t *testing.T, notes string) // what happens to the folder of notes before it
}

// scenario is a day on the graph of seed in which every command answers, in
// every form. The first answer of a form is its example.
var scenario = []step{
	{args: words("agent register mo --name Mo --type coder")},
	{args: words("agent register ada")},
	{args: words("agent info mo")},
	{args: words("agent info ada")},
	{args: words("agent info nobody")},
	{args: words("agent list")},
	{as: "csv", args: append(words("task create"), "Import CSV files", "--description", "Comma or semicolon.", "--depends-on", "83257c", "--parent", "0b7a9e",
		"--tag", "csv", "--priority", "high", "--request-id", "import-1")},
	{as: "frost", args: append(words("task create --type gate --gate-type timer --ready-at 2099-01-01"), "After the freeze")},
	{as: "approval", args: append(words("task create --type gate --gate-type human"), "Release approved")},
	{as: "radar", args: append(words("task create"), "Licence for the test data")},
	{as: "release", args: append(words("task create --depends-on $csv --depends-on 9c1f02 --depends-on $radar"), "Release")},
	{as: "bom", args: append(words("task spawn $csv"), "Skip the byte order mark")},
	{args: words("task edge upsert $approval $release --type waits_on_gate")},
	{args: words("task edge upsert $frost $release --type waits_on_gate --meta reason=holidays")},
	{args: words("task edge list $csv")},
	{args: words("task edge upsert $frost $bom --type waits_on_gate")},
	{args: words("task edge delete $frost $bom --type waits_on_gate")},
	{args: words("task why 9c1f02")},
	{args: words("task get $csv")},
	{args: words("task get $csv $bom")},
	{args: words("task next --tag db --ttl 90")},
	{args: words("task next --tag nothing")},
	{args: words("task status 83257c")},
	{args: words("task list --created-by mo --limit 1")},
	{args: words("task list --with-claims")},
	{args: words("task update $csv --add-tag parser --meta phase=2 --expected-version 1")},
	{args: words("task claim $bom --ttl 2h")},
	{args: words("task renew $bom")},
	{args: words("task release $bom")},
	{args: append(words("finding post 83257c"), "Names are case-sensitive.", "--knowledge-id", "naming")},
	{args: append(words("finding post 83257c"), "Three tables are enough.")},
	{args: words("finding list 83257c")},
	{args: append(words("task complete 83257c --outcome"), "three tables", "--cited", "n1", "--misleading", "n2")},
	{args: words("task ready --limit 1")},
	{args: words("task blocked --limit 1")},
	{args: words("task claim $radar")},
	{args: append(words("task cancel $radar --reason"), "too dear")},
	{args: words("task why $release")},
	{args: words("task complete 83257c $bom --dry-run"), as: "refused"},
	{args: words("task complete $csv $bom --dry-run")},
	{args: words("task complete $bom --receipt rcpt_0123456789ab")},
	{args: words("task reopen 83257c")},
	{args: append(words("task complete $csv --outcome"), "reads both")},
	{args: words("task children 0b7a9e --include-closed")},
	{args: words("task cancel 9c1f02 83257c --dry-run")},
	{args: words("task cancel 9c1f02")},
	{args: words("task reopen 9c1f02 $bom")},
	{
		args: words("task apply"),
		stdin: `{"op": "create", "as": "docs", "title": "Document the importer", "agent": "mo"}` + "\n" +
			`{"op": "edge_upsert", "from_task_id": "83257c", "to_task_id": "$docs", "type": "blocks", "agent": "mo"}` + "\n",
	},
	{args: words("stats")},
	{as: "busy", args: append(words("note write"), "SQLite busy handling", "--content", "Begin writes with IMMEDIATE; see [[locks|the locks]].", "--path", "storage", "--tag", "db",
		"--source-url", "https://example.org/busy", "--derived-from", "00000000-0000-4000-8000-000000000000")},
	{as: "locks", args: append(words("note write"), "Locks", "--content", "One writer at a time.", "--derived-from", "$busy", "--ttl-hours", "1", "--short", "One writer.", "--source-task", "83257c")},
	{args: append(words("note write"), "Locks", "--content", "One writer at a time, in turn.", "--id", "$locks", "--expected-version", "1")},
	{args: words("note update $busy --status archived --agent eve")},
	{args: words("note read $busy")},
	{args: words("note read $locks")},
	{args: words("note read --path old/entities.md")},
	{args: words("note list --path-prefix storage")},
	{args: words("note list")},
	{args: words("note tags --prefix d")},
	{args: words("note search busy immediate --limit 1 --mode fulltext")},
	{args: words("note search writer")},
	{args: words("note cache-lookup immediate --max-age-hours 24 --min-confidence 0.8")},
	{args: words("note cache-lookup writer")},
	{args: words("note cache-lookup writer --max-age-hours 0.001")},
	{args: words("note cache-lookup nothing of this kind")},
	{as: "edge", args: append(words("note edge upsert $busy $locks --type contradicts --namespace storage --weight 0.7 --provenance-type reading --evidence"), `{"page":12}`)},
	{args: words("note edge upsert old-1a2b $busy --type contradicts --namespace storage --conflict-state open")},
	{args: words("note edge list --type contradicts")},
	{args: words("note related $busy --include links --include provenance")},
	{args: words("note related $busy")},
	{args: words("note related $locks --include edges")},
	{args: words("note related $locks")},
	{args: words("note node-stats old-1a2b")},
	{as: "receipt", args: words("note retrieve writer --task $release --conflicts")},
	{args: words("note retrieve writer immediate")},
	{args: words("note conflict resolve $edge --resolution superseded --winner $busy")},
	{args: words("note edge list")},
	{args: words("note node-stats $locks")},
	{args: words("task complete $release --dry-run --cited n1 --receipt $receipt")},
	{as: "study", args: append(words("task create"), "Read about locks")},
	{args: words("note retrieve writer --task $study")},
	{args: words("task complete $study --cited $locks")},
	{args: words("note node-stats $locks")},
	{args: words("note read $busy")},
	{args: words("note delete $locks")},
	{args: words("note reindex"), before: editNotes},
	{args: words("stats")},
	{args: words("import plan.jsonl --format beads --skip-bad-lines")},
	{args: words("task why ring-1a")},
	{args: words("task blocked")},
	{args: words("events --type task.claimed --limit 1")},
	{args: words("events --limit 1000")},
	{args: words("journal --task $radar --limit 1")},
	{args: words("journal --limit 1000")},
	{args: words("events archive --before 2026-01-01")},
	{args: words("events archive --before 2026-03-02")},
	{args: words("migrate --db old.db")},
	{args: words("migrate")},
	{args: words("doctor"), as: "unwell"},
	{args: words("doctor --db none.db"), as: "unwell"},
	{args: words("doctor --fix --db wrong.db")},
	{args: words("backup take --to safe")},
	{args: words("backup list safe")},
	{args: words("backup verify $backup")},
	{args: words("backup restore $backup --yes")},
	{args: words("backup restore $backup --yes --db new.db")},
	{args: words("backup restore --undo --db midst.db")},
	{args: words("init")},
	{args: words("init --agents")},
	{args: words("where")},
	{args: words("config")},
	{args: words("prime")},
	{args: words("explain claim_failed")},
	{args: words("explain gates")},
	{args: words("explain")},
	{args: append(words("export --text"), "Import CSV")},
	{args: words("task claim $bom")},
	{args: words("export")},
	{args: append(words("export --format mermaid --text"), "Import CSV")},
	{args: words("version")},
}

// imported is plan.jsonl: a ring, which only a file can bring, a reference
// that leads nowhere, and a line that cannot be read.
const imported = `{"id":"ring-1a","title":"Choose the format","status":"open","priority":2,"issue_type":"task","created_at":"2026-02-01T08:00:00Z","updated_at":"2026-02-01T08:00:00Z","dependencies":[{"issue_id":"ring-1a","depends_on_id":"ring-2b","type":"blocks"},{"issue_id":"ring-1a","depends_on_id":"lost-9z","type":"blocks"}]}
{"id":"ring-2b","title":"Ask for samples","status":"open","priority":2,"issue_type":"task","created_at":"2026-02-01T08:00:00Z","updated_at":"2026-02-01T08:00:00Z","dependencies":[{"issue_id":"ring-2b","depends_on_id":"ring-1a","type":"blocks"}]}
{"id":
`

// handWritten is a note that only a person writes.
const handWritten = "---\nid: old-1a2b\ntitle: Entities\nauthor: eve\ncreated_at: 2026-02-28\nupdated_at: 2026-02-28\nentities: [SQLite]\n" +
	"aliases: [names]\nentities_extractor: by hand\n---\nAn old note.\n"

// editNotes renames a note by hand and leaves a file that is none.
func editNotes(t *testing.T, notes string) {
	t.Helper()
	if err := os.Rename(filepath.Join(notes, "old", "entities.md"), filepath.Join(notes, "old", "things.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(notes, "broken.md"), []byte("---\ncreated_at: yesterday\n---\n"), 0o600); err != nil {
		t.Fatal(err)
	}
}

func words(line string) []string { return strings.Fields(line) }

// survey runs the scenario and collects what the answers show.
type survey struct {
	t     *testing.T
	world *world
	now   time.Time
	paths map[string]string // words of a command to its name: that of its operation, or the words
	ids   map[string]string // name of a step to the id of its task
	known map[string]string // id of this run to the one in the document
	seen  map[string]bool   // what the answers have shown of each key
	shown map[string]example

	backup string // the path of the backup that was taken last
}

// example is a command with what it answered.
type example struct{ command, result string }

func newSurvey(t *testing.T) *survey {
	s := &survey{
		t: t, world: seeded(t), paths: map[string]string{}, ids: map[string]string{}, known: map[string]string{},
		seen: map[string]bool{}, shown: map[string]example{},
	}
	s.now = s.world.env.Now()
	s.world.env.Now = func() time.Time { return s.now }
	for _, id := range []string{schemaID, importerID, gateID, epicID} {
		s.known[id] = id
	}
	for name, command := range cli.OperationCommands() {
		s.paths[strings.Join(command, " ")] = name
	}
	for _, d := range documents {
		s.paths[d.command] = d.command
	}
	if err := os.WriteFile(filepath.Join(s.world.env.Dir, "plan.jsonl"), []byte(imported), 0o600); err != nil {
		t.Fatal(err)
	}
	folder := filepath.Join(s.world.env.Dir, "knowledge", "old")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "entities.md"), []byte(handWritten), 0o600); err != nil {
		t.Fatal(err)
	}
	// Files among backups that are none, and a store whose restore was
	// interrupted before anything was moved.
	if err := os.Mkdir(filepath.Join(s.world.env.Dir, "safe"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{filepath.Join("safe", "notes.txt"), "midst.db-restore"} {
		if err := os.WriteFile(filepath.Join(s.world.env.Dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	seed(t, filepath.Join(s.world.env.Dir, "midst.db"))
	old, err := os.ReadFile(filepath.Join("..", "store", "testdata", "schema-1.db"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.world.env.Dir, "old.db"), old, 0o600); err != nil {
		t.Fatal(err)
	}
	wrong := filepath.Join(s.world.env.Dir, "wrong.db")
	seed(t, wrong)
	if err := changeStore(wrong, "UPDATE open_tasks SET hard = 1 - hard"); err != nil {
		t.Fatal(err)
	}
	return s
}

// take runs a step and looks at its answer.
func (s *survey) take(step step) {
	s.t.Helper()
	// Each step has its own minute, so that nothing is sorted by chance.
	s.now = s.now.Add(time.Minute)
	s.world.env.Stdin = strings.NewReader(step.stdin)
	if step.before != nil {
		step.before(s.t, filepath.Join(s.world.env.Dir, "knowledge"))
	}
	var args, typed []string
	for _, arg := range step.args {
		if arg == "$backup" {
			args, typed = append(args, s.backup), append(typed, `"$backup"`)
			continue
		}
		if id, ok := s.ids[strings.TrimPrefix(arg, "$")]; ok && strings.HasPrefix(arg, "$") {
			args, typed = append(args, id), append(typed, shortened(s.known[id]))
			continue
		}
		args, typed = append(args, arg), append(typed, typedWord(arg))
	}
	out, stderr, status := s.world.run(s.t, append(slices.Clone(args), "--json")...)
	refused, unwell := step.as == "refused", step.as == "unwell"
	if (status != 0) != (refused || unwell) {
		s.t.Fatalf("%q ends with status %d\n%s%s", args, status, out, stderr)
	}
	command := "lithos " + strings.Join(typed, " ")
	shown := s.stable(out)
	if refused {
		s.shown["error"] = example{command, shown}
		return
	}
	raw := json.RawMessage(bytes.TrimSpace([]byte(out)))
	var backup struct {
		Path string `json:"path"`
	}
	if strings.HasPrefix(strings.Join(args, " "), "backup take") && json.Unmarshal(raw, &backup) == nil {
		s.backup = backup.Path
	}
	if step.as != "" && !unwell {
		var created struct {
			TaskID    string `json:"task_id"`
			NoteID    string `json:"id"`
			EdgeID    string `json:"edge_id"`
			ReceiptID string `json:"receipt_id"`
		}
		if err := json.Unmarshal(raw, &created); err != nil {
			s.t.Fatal(err)
		}
		s.ids[step.as] = cmp.Or(created.TaskID, created.NoteID, created.EdgeID, created.ReceiptID)
	}
	name, answers := s.shapesOf(args)
	form := s.fitting(name, answers, raw)
	at := fmt.Sprintf("%s/%d", name, form)
	s.object(at, answers[form].keys, raw)
	if _, ok := s.shown[at]; !ok {
		if step.stdin != "" {
			command += " <<'END'\n" + step.stdin + "END"
		}
		s.shown[at] = example{command, shown}
	}
}

// shortened is an id as people type it: those of tasks and notes by their
// beginning.
func shortened(id string) string {
	if len(id) == 36 {
		return id[:8]
	}
	return id
}

// typedWord is a word as it is typed in a shell.
func typedWord(word string) string {
	switch {
	case strings.Contains(word, `"`):
		return `'` + word + `'`
	case strings.ContainsAny(word, " ;"):
		return `"` + word + `"`
	}
	return word
}

// shapesOf finds the name and the shapes of the command that words call.
func (s *survey) shapesOf(args []string) (string, []answer) {
	s.t.Helper()
	for n := len(args); n > 0; n-- {
		name, ok := s.paths[strings.Join(args[:n], " ")]
		if !ok {
			continue
		}
		if answers, ok := operations[name]; ok {
			return name, answers
		}
		for _, d := range documents {
			if d.command == name {
				return name, d.answers
			}
		}
	}
	s.t.Fatalf("%q has no shape in documentation_shapes_test.go", args)
	return "", nil
}

// fitting finds the form of an answer: the one whose keys it has.
func (s *survey) fitting(name string, answers []answer, raw json.RawMessage) int {
	s.t.Helper()
	members := s.members(name, raw)
	has := func(k key) bool {
		return slices.ContainsFunc(members, func(m core.Member) bool { return m.Key == plainName(k) })
	}
	form := slices.IndexFunc(answers, func(a answer) bool {
		return !slices.ContainsFunc(inlined(a.keys), func(k key) bool { return !has(k) && !strings.HasSuffix(k.name, "?") })
	})
	if form < 0 {
		s.t.Fatalf("no shape of %s fits %s", name, raw)
	}
	return form
}

// stable is an answer as the document shows it: with ids and places that are
// the same in every run.
func (s *survey) stable(text string) string {
	text = masked.ReplaceAllStringFunc(text, func(found string) string {
		id := masked.FindStringSubmatch(found)[1]
		if len(id) == 2*sha256.Size {
			return fmt.Sprintf("%x", sha256.Sum256([]byte("a sum")))
		}
		if len(id) != 36 {
			return found
		}
		if _, ok := s.known[id]; !ok {
			digits := fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, "id ", len(s.known))))
			s.known[id] = fmt.Sprintf("%s-%s-4%s-a%s-%s", digits[:8], digits[8:12], digits[12:15], digits[15:18], digits[18:30])
		}
		return s.known[id]
	})
	text = drawn.ReplaceAllStringFunc(text, func(id string) string {
		if _, ok := s.known[id]; !ok {
			prefix, _, _ := strings.Cut(id, "_")
			s.known[id] = fmt.Sprintf("%s_%x", prefix, sha256.Sum256(fmt.Append(nil, "id ", len(s.known))))[:len(id)]
		}
		return s.known[id]
	})
	text = sizes.ReplaceAllString(text, `"size":217088`)
	return strings.NewReplacer(
		s.world.env.ConfigHome, "/home/mo/.config", s.world.env.Dir, "/home/mo/core",
		`"go":"`+strings.TrimPrefix(runtime.Version(), "go"), `"go":"1.26.0`, `"sqlite":"`+s.world.env.EngineVersion, `"sqlite":"3.54.1`,
	).Replace(text)
}

// drawn finds the ids of typed edges and of receipts.
var drawn = regexp.MustCompile(`\b(edge|rcpt)_[0-9a-f]{12}\b`)

// sizes finds lengths of files.
var sizes = regexp.MustCompile(`"size":\d+`)

// vocabularies are the closed sets of words that answers hold.
var vocabularies = []struct {
	name  string
	words []string
}{
	{"status", plain(core.Statuses)},
	{"task type", plain(core.TaskTypes)},
	{"edge type", plain(core.EdgeTypes)},
	{"gate type", plain(core.GateTypes)},
	{"blocker kind", plain([]core.BlockerKind{core.BlockedByTask, core.BlockedByGate, core.BlockedByCycle, core.BlockedForGood})},
	{"plan action", plain([]core.PlanAction{core.ActionComplete, core.ActionWaitUntil, core.ActionResolveGate, core.ActionIntervene, core.ActionBreakCycle})},
	{"event type", plain(core.EventTypes)},
}

func plain[T ~string](vocabulary []T) []string {
	var list []string
	for _, word := range vocabulary {
		list = append(list, string(word))
	}
	return list
}

func vocabulary(name string) []string {
	for _, v := range vocabularies {
		if v.name == name {
			return v.words
		}
	}
	return nil
}

func record(name string) (shape, bool) { return shapeNamed(records, name) }

func shapeNamed(shapes []shape, name string) (shape, bool) {
	i := slices.IndexFunc(shapes, func(s shape) bool { return s.name == name })
	if i < 0 {
		return shape{}, false
	}
	return shapes[i], true
}

// plainName is the name of a key without the mark of one that can be absent.
func plainName(k key) string { return strings.TrimSuffix(k.name, "?") }

// inlined replaces the record echo by its keys.
func inlined(keys []key) []key {
	var all []key
	for _, k := range keys {
		if k.name == "" {
			r, _ := record(k.kind)
			all = append(all, r.keys...)
			continue
		}
		all = append(all, k)
	}
	return all
}

// members splits an object into its keys, in order.
func (s *survey) members(at string, raw json.RawMessage) []core.Member {
	s.t.Helper()
	m, err := core.ParseMetadata(raw)
	if err != nil || len(raw) == 0 || raw[0] != '{' {
		s.t.Fatalf("%s is no object: %s", at, raw)
	}
	return m.Members()
}

// object holds an object against its keys.
func (s *survey) object(at string, keys []key, raw json.RawMessage) {
	s.t.Helper()
	members := s.members(at, raw)
	for _, k := range inlined(keys) {
		where := at + "." + plainName(k)
		if len(members) == 0 || members[0].Key != plainName(k) {
			if !strings.HasSuffix(k.name, "?") {
				s.t.Errorf("%s is not where its shape has it: %s", where, raw)
			}
			s.seen[where+" absent"] = true
			continue
		}
		s.seen[where+" present"] = true
		s.value(where, k.kind, members[0].Value)
		members = members[1:]
	}
	for _, m := range members {
		s.t.Errorf("%s has the key %s, which its shape has not, or not there", at, m.Key)
	}
}

// moment is a time in the form of the contract.
var moment = regexp.MustCompile(`^"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{6})?\+00:00"$`)

// value holds a value against its kind.
func (s *survey) value(at, kind string, raw json.RawMessage) {
	s.t.Helper()
	kind, nullable := strings.CutSuffix(kind, " or null")
	switch {
	case string(raw) == "null":
		s.seen[at+" null"] = true
		if !nullable && kind != "null" {
			s.t.Errorf("%s is null", at)
		}
		return
	case strings.HasPrefix(kind, "list of "):
		var items []json.RawMessage
		if err := json.Unmarshal(raw, &items); err != nil {
			s.t.Errorf("%s is no list: %s", at, raw)
		}
		for _, item := range items {
			s.seen[at+" value"] = true
			s.value(at+"[]", strings.TrimPrefix(kind, "list of "), item)
		}
		return
	}
	s.seen[at+" value"] = true
	if r, ok := record(kind); ok {
		s.object(r.name, r.keys, raw)
		if r.name == "event" {
			s.payload(raw)
		}
		return
	}
	if !fits(kind, raw) {
		s.t.Errorf("%s is no %s: %s", at, kind, raw)
	}
	if strings.HasSuffix(at, "export/0.records[]") {
		s.exportedLine(raw)
	}
}

// fits reports whether a value that is no list and no record is of a kind.
func fits(kind string, raw json.RawMessage) bool {
	var value any
	if json.Unmarshal(raw, &value) != nil {
		return false
	}
	text, isText := value.(string)
	if allowed := vocabulary(kind); allowed != nil {
		return slices.Contains(allowed, text)
	}
	switch kind {
	case "string":
		return isText
	case "id":
		return text != ""
	case "time":
		return moment.Match(raw)
	case "integer":
		return regexp.MustCompile(`^-?\d+$`).Match(raw)
	case "number":
		_, isNumber := value.(float64)
		return isNumber
	case "boolean":
		return value == true || value == false
	case "object":
		return raw[0] == '{'
	}
	return false
}

// payload holds the payload of an event against the shape of its type.
func (s *survey) payload(raw json.RawMessage) {
	s.t.Helper()
	var event struct {
		Type    string          `json:"type"`
		Payload json.RawMessage `json:"payload"`
	}
	if err := json.Unmarshal(raw, &event); err != nil {
		s.t.Fatal(err)
	}
	p, ok := shapeNamed(payloads, event.Type)
	if !ok {
		s.t.Errorf("the payload of %s has no shape in documentation_shapes_test.go", event.Type)
	}
	s.object("payload of "+p.name, p.keys, event.Payload)
}

// exportedLine holds a record of the lithos format against the shape of its
// type.
func (s *survey) exportedLine(raw json.RawMessage) {
	s.t.Helper()
	var line struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(raw, &line); err != nil {
		s.t.Fatal(err)
	}
	e, ok := shapeNamed(exported, line.Type)
	if !ok {
		s.t.Errorf("the exported record %s has no shape in documentation_shapes_test.go", line.Type)
	}
	s.object("exported "+e.name, e.keys, raw)
}

// complete tells which shapes no answer has borne out, and which commands
// have none.
func (s *survey) complete() {
	s.t.Helper()
	for _, op := range core.Operations {
		s.answered(op.Name(), operations[op.Name()])
	}
	for _, d := range documents {
		s.answered(d.command, d.answers)
	}
	for _, r := range records {
		if r.name != "echo" {
			s.borneOut(r.name, r.keys)
		}
	}
	for _, p := range payloads {
		s.borneOut("payload of "+p.name, p.keys)
	}
	for _, e := range exported {
		s.borneOut("exported "+e.name, e.keys)
	}
	pages := cli.HelpPages()
	for _, page := range pages {
		command := strings.TrimPrefix(page.Path, "lithos ")
		_, answers := s.paths[command]
		group := slices.ContainsFunc(pages, func(p cli.HelpPage) bool { return strings.HasPrefix(p.Path, page.Path+" ") })
		if !answers && !group && !slices.Contains(withoutJSON, command) {
			s.t.Errorf("%s has no shape in documentation_shapes_test.go", page.Path)
		}
	}
}

func (s *survey) answered(name string, answers []answer) {
	s.t.Helper()
	if answers == nil {
		s.t.Errorf("%s has no shape in documentation_shapes_test.go", name)
	}
	for i, a := range answers {
		s.borneOut(fmt.Sprintf("%s/%d", name, i), a.keys)
	}
}

// borneOut holds that answers have shown everything that a shape says can be.
func (s *survey) borneOut(at string, keys []key) {
	s.t.Helper()
	for _, k := range inlined(keys) {
		where := at + "." + plainName(k)
		want := []string{"present"}
		if strings.HasSuffix(k.name, "?") {
			want = append(want, "absent")
		}
		if k.kind != "null" {
			want = append(want, "value")
		}
		if slices.Contains(seldomFilled, where) {
			want = want[:1]
		}
		if strings.HasSuffix(k.kind, "null") && !slices.Contains(onlyDamaged, where) {
			want = append(want, "null")
		}
		for _, what := range want {
			if !s.seen[where+" "+what] {
				s.t.Errorf("no answer shows %s: %s", where, what)
			}
		}
	}
}
