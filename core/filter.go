package core

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Filter selects tasks on the board by a line of text. Its terms must all
// hold:
//
//	word        title or a tag contains it, the id begins with it (an id that
//	            is not random may also contain it), or the title of an open
//	            epic above the task contains it
//	"two words" the same as one
//	p:1 p:<2    priority, 0 (highest) to 4 (lowest); also <= > >= and the words.
//	            A task without a priority counts as medium, which is 2.
//	p:none      no priority
//	tag:x by:x agent:x project:x
//	            a tag, the creator, the holder of a live claim, the project
//	            begins with it
//	kind:gate   the task type
//	epic:x      lies below the task whose id begins so, or below an open epic
//	            whose title, or id that is not random, contains it
//	is:ready    also blocked, stuck, claimed, mine, open, done, cancelled
//	-term       the term does not hold
//
// The keys have other names too, see [FilterAliases]. Case is ignored. A term
// without a value, as one that is being typed, holds always. The zero Filter
// selects everything.
type Filter struct {
	text  string
	terms []filterTerm
}

type filterTerm struct {
	exclude bool
	key     string // "" for a word
	value   string // folded
	low     int    // p: lowest rank
	high    int    // p: highest rank
	none    bool   // p: there is none
}

// FilterKeys are the keys that terms of a filter can have.
var FilterKeys = []string{"p", "tag", "by", "agent", "kind", "epic", "project", "is"}

// FilterStates are the values of is: in a filter.
var FilterStates = []string{"ready", "blocked", "stuck", "claimed", "mine", "open", "done", "cancelled"}

// FilterAliases are other names of keys: those of the fields of a task, and
// what people try.
var FilterAliases = map[string]string{
	"priority": "p", "prio": "p", "tags": "tag", "task_type": "kind", "type": "kind", "created_by": "by", "creator": "by",
	"status": "is", "state": "is", "parent": "epic", "under": "epic", "claimed_by": "agent", "assignee": "agent", "owner": "agent",
}

// filterKey is the key that a name means; "" for none.
func filterKey(name string) string {
	name = foldCase(name)
	if alias, ok := FilterAliases[name]; ok {
		return alias
	}
	if contains(FilterKeys, name) {
		return name
	}
	return ""
}

// checkFilterKey refuses what is all but a key, as a slip of the hand is.
// Short words are like too many others.
func checkFilterKey(name string) error {
	const shortest = 5
	if len(name) < shortest {
		return nil
	}
	names := slices.Concat(FilterKeys, slices.Sorted(maps.Keys(FilterAliases)))
	if _, near := Nearest(name, names); !near {
		return nil
	}
	return InvalidWord("filter", name, "key of a filter", names)
}

// ParseFilter reads a filter. A key that is none makes the term a word, so
// that text with colons can be searched, unless it is nearly one.
func ParseFilter(text string) (Filter, error) {
	f := Filter{text: text}
	for _, raw := range splitTerms(text) {
		term := filterTerm{value: raw}
		if rest, ok := strings.CutPrefix(raw, "-"); ok && rest != "" {
			term.exclude, term.value = true, rest
		}
		if name, value, ok := strings.Cut(term.value, ":"); ok {
			if key := filterKey(name); key != "" {
				term.key, term.value = key, value
			} else if err := checkFilterKey(name); err != nil && value != "" {
				return Filter{}, err
			}
		}
		term.value = foldCase(strings.ReplaceAll(term.value, `"`, ""))
		if term.value == "" {
			continue
		}
		if err := term.read(); err != nil {
			return Filter{}, err
		}
		f.terms = append(f.terms, term)
	}
	return f, nil
}

// splitTerms splits at spaces outside quotation marks.
func splitTerms(text string) []string {
	quoted := false
	return strings.FieldsFunc(text, func(r rune) bool {
		if r == '"' {
			quoted = !quoted
		}
		return !quoted && (r == ' ' || r == '\t')
	})
}

// read judges the value of a term with a closed vocabulary.
func (t *filterTerm) read() error {
	switch t.key {
	case "p":
		return t.readPriority()
	case "kind":
		return t.complete(words(TaskTypes), "task type")
	case "is":
		if t.value == string(StatusCompleted) {
			t.value = "done"
		}
		return t.complete(FilterStates, "state to filter by")
	}
	return nil
}

// complete makes the beginning of a word the whole.
func (t *filterTerm) complete(allowed []string, what string) error {
	for _, word := range allowed {
		if strings.HasPrefix(word, t.value) {
			t.value = word
			return nil
		}
	}
	return InvalidWord("filter", t.value, what, allowed)
}

// noPriority is the value of p: that asks for tasks without a priority.
const noPriority = "none"

func (t *filterTerm) readPriority() error {
	value := strings.TrimLeft(t.value, "<>=")
	sign := t.value[:len(t.value)-len(value)]
	t.low, t.high = 0, len(Priorities)-1
	if value == "" {
		return nil
	}
	if strings.HasPrefix(noPriority, t.value) {
		t.none = true
		return nil
	}
	rank := slices.Index(Priorities, value)
	if digit := strings.TrimPrefix(value, "p"); len(digit) == 1 && digit[0] >= '0' && int(digit[0]-'0') < len(Priorities) {
		rank = int(digit[0] - '0')
	}
	if rank < 0 {
		return InvalidValue("filter", t.value, fmt.Sprintf("'p:%s' is no priority: 0 (highest) to 4 (lowest), or none.", clip(t.value)))
	}
	switch sign {
	case "", "=":
		t.low, t.high = rank, rank
	case "<":
		t.high = rank - 1
	case "<=":
		t.high = rank
	case ">":
		t.low = rank + 1
	case ">=":
		t.low = rank
	default:
		return InvalidValue("filter", t.value, fmt.Sprintf("'%s' is no comparison; use < <= > or >=.", sign))
	}
	return nil
}

// IsEmpty reports whether the filter selects everything.
func (f Filter) IsEmpty() bool { return len(f.terms) == 0 }

// Text is the text the filter was read from.
func (f Filter) Text() string { return f.text }

// Project is the project that the filter asks for, as it was typed; "" when it
// asks for none.
func (f Filter) Project() string {
	for _, raw := range splitTerms(f.text) {
		if value, ok := strings.CutPrefix(raw, "project:"); ok {
			return strings.ReplaceAll(value, `"`, "")
		}
	}
	return ""
}

// Words are the words that a matching title may contain, folded, for showing
// where they stand.
func (f Filter) Words() []string {
	var list []string
	for _, t := range f.terms {
		if t.key == "" && !t.exclude {
			list = append(list, t.value)
		}
	}
	return list
}

// FoldCase maps a text to a form in which texts that differ only in case are
// equal.
func FoldCase(s string) string { return foldCase(s) }

// judge applies a filter within one state of the store.
type judge struct {
	view
	filter Filter
	agent  string
	below  map[string]map[TaskKey]bool // epic: → what lies below it
	under  map[string]map[TaskKey]bool // word → what lies below open epics whose title has it
	epics  []TaskKey                   // open epics that pass
}

func (v view) judge(f Filter, agent string) (*judge, error) {
	j := &judge{view: v, filter: f, agent: agent, below: map[string]map[TaskKey]bool{}}
	epics, err := v.openEpics(f)
	if err != nil {
		return nil, err
	}
	for _, t := range f.terms {
		if t.key != "epic" {
			continue
		}
		roots, err := v.TasksByPrefix(t.value, maxCandidates)
		if err != nil {
			return nil, err
		}
		for _, epic := range epics {
			if epic.isNamed(t.value) || epic.isCalled(t.value) {
				roots = append(roots, epic.TaskHead)
			}
		}
		if j.below[t.value], err = v.allBelow(roots); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// judgeBoard is a judge for columns, which have no open epics: their tasks pass
// for them.
func (v view) judgeBoard(f Filter, agent string) (*judge, error) {
	j, err := v.judge(f, agent)
	if err != nil {
		return nil, err
	}
	epics, err := v.openEpics(f)
	if err != nil {
		return nil, err
	}
	for _, epic := range epics {
		if j.passes(epic) {
			j.epics = append(j.epics, epic.Key)
		}
	}
	if slices.ContainsFunc(f.terms, func(t filterTerm) bool { return t.key == "is" && !t.exclude && t.value != "open" }) {
		j.epics = nil // which is said of tasks alone
	}
	if j.epics, err = j.passByOthers(j.epics); err != nil {
		return nil, err
	}
	j.under = map[string]map[TaskKey]bool{}
	for _, t := range f.terms {
		if t.key != "" {
			continue
		}
		var named []TaskHead
		for _, epic := range epics {
			if epic.isNamed(t.value) {
				named = append(named, epic.TaskHead)
			}
		}
		if j.under[t.value], err = v.allBelow(named); err != nil {
			return nil, err
		}
	}
	return j, nil
}

// openEpics are the open epics that a filter may look at; none when it asks
// for nothing that an epic's title could answer.
func (v view) openEpics(f Filter) ([]Task, error) {
	if f.IsEmpty() {
		return nil, nil
	}
	keys, err := v.OpenEpics(maxSearchedEpics)
	if err != nil {
		return nil, err
	}
	return v.BriefTasks(keys)
}

// isNamed reports whether a folded text is part of the title.
func (t Task) isNamed(text string) bool { return strings.Contains(foldCase(t.Title), text) }

// allBelow are the descendants of tasks.
func (v view) allBelow(roots []TaskHead) (map[TaskKey]bool, error) {
	below := map[TaskKey]bool{}
	for _, root := range roots {
		err := v.descend(root.Key, true, func(child TaskHead, _ TaskKey, _ int) { below[child.Key] = true })
		if err != nil {
			return nil, err
		}
	}
	return below, nil
}

// column lists the tasks of a column that pass, in its order.
func (j *judge) column(c Column, order Sort) ([]TaskKey, error) {
	keys := []TaskKey{}
	for _, t := range j.filter.terms {
		if t.key == "is" && !t.mayHold(c) {
			return keys, nil
		}
	}
	q := columnQuery(c, order, j.now)
	q.Hints = j.filter.hints()
	q.Hints.Words = slices.DeleteFunc(q.Hints.Words, func(word string) bool { return len(j.under[word]) > 0 })
	err := j.EachInColumn(q, func(t Task) bool {
		if j.passes(t) {
			keys = append(keys, t.Key)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	return j.passByOthers(keys)
}

// hints are what the filter asks of every task.
func (f Filter) hints() FilterHints {
	var h FilterHints
	for _, t := range f.terms {
		switch {
		case t.exclude:
		case t.key == "" && isPlainKey(t.value):
			h.Words = append(h.Words, t.value)
		case t.key == "p" && !t.none && t.high >= t.low:
			h.RankFrom, h.RankBelow = t.low, t.high+1
		}
	}
	return h
}

// mayHold reports whether a term about the state can hold in a column.
func (t filterTerm) mayHold(c Column) bool {
	var holds bool
	switch t.value {
	case "ready":
		holds = c == ColumnReady
	case "blocked":
		holds = c == ColumnBlocked
	case "claimed":
		holds = c == ColumnClaimed
	case "stuck":
		return t.exclude || c == ColumnBlocked
	case "mine":
		return t.exclude || c == ColumnClaimed || c == ColumnBlocked
	case "open":
		holds = c != ColumnDone
	case "done", "cancelled":
		return t.exclude || c == ColumnDone
	}
	return holds != t.exclude
}

// passes judges what the record itself tells.
func (j *judge) passes(t Task) bool {
	for _, term := range j.filter.terms {
		holds := true
		switch term.key {
		case "":
			holds = t.isNamed(term.value) || t.isCalled(term.value) || j.under[term.value][t.Key] ||
				strings.Contains(foldCase(t.Tags.Text()), term.value) && anyTag(t, term.value, strings.Contains)
		case "p":
			rank := PriorityRank(t.Priority())
			holds = rank >= term.low && rank <= term.high
			if term.none {
				holds = !contains(Priorities, t.Priority())
			}
		case "tag":
			holds = anyTag(t, term.value, strings.HasPrefix)
		case "by":
			holds = strings.HasPrefix(foldCase(t.CreatedBy), term.value)
		case "project":
			holds = strings.HasPrefix(foldCase(t.Project()), term.value)
		case "kind":
			holds = string(t.Type) == term.value
		case "epic":
			holds = j.below[term.value][t.Key]
		case "is":
			switch term.value {
			case "done":
				holds = t.Status == StatusCompleted
			case "cancelled":
				holds = t.Status == StatusCancelled
			case "open":
				holds = t.Status == StatusOpen
			default:
				continue // judged by the column, or by others
			}
		case "agent":
			continue
		}
		if holds == term.exclude {
			return false
		}
	}
	return true
}

func anyTag(t Task, value string, holds func(s, value string) bool) bool {
	return slices.ContainsFunc(t.Tags.List(), func(tag string) bool { return holds(foldCase(tag), value) })
}

// passByOthers judges what other records tell: claims and predecessors.
func (j *judge) passByOthers(keys []TaskKey) ([]TaskKey, error) {
	for _, term := range j.filter.terms {
		var holds func([]TaskKey) (map[TaskKey]bool, error)
		switch {
		case term.key == "agent":
			holds = j.claimedBy(func(c Claim) bool { return strings.HasPrefix(foldCase(c.Agent), term.value) })
		case term.key == "is" && term.value == "mine":
			holds = j.claimedBy(func(c Claim) bool { return c.Agent == j.agent })
		case term.key == "is" && term.value == "stuck":
			holds = j.stuck
		default:
			continue
		}
		kept := []TaskKey{}
		for batch := range slices.Chunk(keys, claimBatch) {
			yes, err := holds(batch)
			if err != nil {
				return nil, err
			}
			for _, key := range batch {
				if yes[key] != term.exclude {
					kept = append(kept, key)
				}
			}
		}
		keys = kept
	}
	return keys, nil
}

func (j *judge) claimedBy(holds func(Claim) bool) func([]TaskKey) (map[TaskKey]bool, error) {
	return func(keys []TaskKey) (map[TaskKey]bool, error) {
		claims, err := j.Claims(keys, j.now)
		yes := map[TaskKey]bool{}
		for key, list := range claims {
			yes[key] = slices.ContainsFunc(list, holds)
		}
		return yes, err
	}
}

// stuck tells which tasks wait for what will never come.
func (j *judge) stuck(keys []TaskKey) (map[TaskKey]bool, error) {
	blockers, err := j.blockers(keys)
	yes := map[TaskKey]bool{}
	for key, list := range blockers {
		yes[key] = slices.ContainsFunc(list, func(b Blocker) bool { return b.Kind == BlockedForGood || b.Kind == BlockedByCycle })
	}
	return yes, err
}
