package core

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"
)

// The limits of values. A title, name, aspect and tag is measured in
// characters (code points), everything longer in bytes.
const (
	MaxTitleCharacters    = 500
	MaxNameCharacters     = 128
	MaxURLCharacters      = 2_000
	MaxTextBytes          = 1_000_000
	MaxMetadataBytes      = 1_000_000
	MaxApplyOperations    = 1_000
	MinIDPrefixCharacters = 6
)

// check is a rule that the value of a parameter obeys, with the vocabulary it
// is taken from, if that is a closed one that the schema may tell.
type check struct {
	judge   func(field string, value any) error
	allowed []string
}

// checks are the rules a request field can name in its check tag.
var checks = map[string]check{
	"title":       {judge: onText(checkTitle)},
	"body":        {judge: onText(checkBody)},
	"name":        {judge: onText(checkName)},
	"label":       {judge: onText(checkLabel)},
	"tags":        {judge: onList(checkTag)},
	"filter":      {judge: onText(checkFilter)},
	"filter_list": {judge: onList(checkFilter)},
	"metadata":    {judge: checkMetadataSize},
	"match":       {judge: checkMetadataMatch},
	"limit":       {judge: atLeast(1)},
	"offset":      {judge: atLeast(0)},
	"cursor":      {judge: atLeast(0)},
	"version":     {judge: atLeast(1)},
	"ttl":         {judge: func(string, any) error { return nil }}, // clamped, never refused
	"time":        {judge: onText(checkTime)},
	"time_filter": {judge: onText(checkTimeFilter)},
	"sort":        {judge: onText(checkSort), allowed: words(Sorts)},
	"direction":   {judge: onText(checkDirection), allowed: words(Directions)},
	"status":      {judge: onText(checkStatus), allowed: words(Statuses)},
	"type_filter": {judge: onText(checkTypeFilter), allowed: words(TaskTypes)},
	"event_types": {judge: onList(checkEventType)},
	"operations":  {judge: checkOperationCount},
	"note_title":  {judge: onText(checkNoteTitle)},
	"namespace":   {judge: onText(checkNamespace)},
	"url":         {judge: onText(checkURLSize)},
	"at_least_1":  {judge: atLeast(1)},
	"length":      {judge: atLeast(0)},
	"structure":   {judge: checkStructureSize},
	"share":       {judge: checkShare},
	"positive":    {judge: checkPositive},
	"text":        {judge: onText(checkNotBlank)},
	"search_mode": {judge: onText(checkSearchMode), allowed: words(SearchModes)},
	"resolution":  {judge: onText(checkResolution), allowed: words(Resolutions)},
	// Vocabularies whose misfits have codes of their own, judged later in the
	// order of checks; they stand here for the schemas.
	"task_type":     {allowed: words(TaskTypes), judge: onText(checkFilter)},
	"edge_type":     {allowed: words(EdgeTypes), judge: onText(checkFilter)},
	"relation_type": {allowed: words(RelationTypes), judge: onText(checkFilter)},
	"access_scope":  {allowed: AccessScopes, judge: onText(checkFilter)},
	"note_type":     {allowed: NoteTypes, judge: onText(checkFilter)},
	"note_status":   {allowed: NoteStatuses, judge: onText(checkFilter)},
}

func checkVocabulary(name string) []string { return checks[name].allowed }

// words lists a closed vocabulary as plain strings.
func words[T ~string](vocabulary []T) []string {
	list := make([]string, len(vocabulary))
	for i, w := range vocabulary {
		list[i] = string(w)
	}
	return list
}

func onText(judge func(field, s string) error) func(string, any) error {
	return func(field string, value any) error { return judge(field, value.(string)) }
}

func onList(judge func(field, s string) error) func(string, any) error {
	return func(field string, value any) error {
		for i, s := range value.([]string) {
			if err := judge(fmt.Sprintf("%s[%d]", field, i), s); err != nil {
				return err
			}
		}
		return nil
	}
}

func atLeast(least int) func(string, any) error {
	return func(field string, value any) error {
		if n := value.(int); n < least {
			return InvalidValue(field, n, fmt.Sprintf("'%s' must be at least %d.", field, least))
		}
		return nil
	}
}

func checkTitle(field, s string) error {
	if err := checkNotBlank(field, s); err != nil {
		return err
	}
	return checkCharacters(field, s, MaxTitleCharacters)
}

// checkNoteTitle judges a title that becomes a line of a file.
func checkNoteTitle(field, s string) error {
	if err := checkTitle(field, s); err != nil {
		return err
	}
	if hasControl(s) || strings.ContainsAny(s, "\u2028\u2029") {
		return InvalidValue(field, s, fmt.Sprintf("'%s' must be one line without control characters.", field))
	}
	return nil
}

// checkNamespace judges a namespace of a note; an empty one is as good as none.
func checkNamespace(field, s string) error {
	if s == "" {
		return nil
	}
	return checkNoteTitle(field, s)
}

// checkURLSize judges how long a URL is.
func checkURLSize(field, s string) error { return checkCharacters(field, s, MaxURLCharacters) }

// checkName judges what must be named: agents, aspects, request ids.
func checkName(field, s string) error {
	if err := checkNotBlank(field, s); err != nil {
		return err
	}
	return checkCharacters(field, s, MaxNameCharacters)
}

// checkLabel judges short text that may be blank.
func checkLabel(field, s string) error { return checkCharacters(field, s, MaxNameCharacters) }

func checkBody(field, s string) error {
	if len(s) > MaxTextBytes {
		return tooLarge(field, len(s), MaxTextBytes, "bytes")
	}
	return nil
}

func checkTag(field, s string) error {
	if err := checkNotBlank(field, s); err != nil {
		return err
	}
	if hasControl(s) {
		return InvalidValue(field, s, fmt.Sprintf("'%s' must not hold control characters.", field))
	}
	return checkCharacters(field, s, MaxNameCharacters)
}

// checkFilter accepts any text: a filter that no record can match is an
// empty answer, not a fault.
func checkFilter(string, string) error { return nil }

func checkNotBlank(field, s string) error {
	if isBlank(s) {
		return InvalidValue(field, s, fmt.Sprintf("'%s' must not be blank.", field))
	}
	return nil
}

func checkCharacters(field, s string, limit int) error {
	if n := utf8.RuneCountInString(s); n > limit {
		return tooLarge(field, n, limit, "characters")
	}
	return nil
}

func checkMetadataSize(field string, value any) error {
	if n := len(value.(Metadata).Text()); n > MaxMetadataBytes {
		return tooLarge(field, n, MaxMetadataBytes, "bytes")
	}
	return nil
}

func checkStructureSize(field string, value any) error {
	if n := len(value.(Structure)); n > MaxMetadataBytes {
		return tooLarge(field, n, MaxMetadataBytes, "bytes")
	}
	return nil
}

// checkShare judges numbers between 0 and 1.
func checkShare(field string, value any) error {
	if f := value.(float64); !(f >= 0 && f <= 1) {
		return InvalidValue(field, f, fmt.Sprintf("'%s' must lie between 0 and 1.", field))
	}
	return nil
}

func checkPositive(field string, value any) error {
	if f := value.(float64); !(f > 0) {
		return InvalidValue(field, f, fmt.Sprintf("'%s' must be above 0.", field))
	}
	return nil
}

func checkSearchMode(field, s string) error {
	return checkWord(SearchModes, s, func() error {
		return unknownWord(CodeInvalidMode, "", field, s, "search mode", words(SearchModes))
	})
}

func checkResolution(field, s string) error {
	return checkWord(Resolutions, s, func() error { return InvalidWord(field, s, "resolution", words(Resolutions)) })
}

// checkTimeFilter judges the times of task_list, events and journal, where an
// empty filter filters nothing.
func checkTimeFilter(field, s string) error {
	if s == "" {
		return nil
	}
	return checkTime(field, s)
}

func checkTime(field, s string) error {
	if _, err := ParseStamp(s); err != nil {
		return InvalidValue(field, s, fmt.Sprintf("'%s' is no ISO 8601 time: '%s'.", field, clip(s)))
	}
	return nil
}

func checkSort(field, s string) error {
	return checkWord(Sorts, s, func() error { return InvalidWord(field, s, "sort order", words(Sorts)) })
}

func checkDirection(field, s string) error {
	return checkWord(Directions, s, func() error { return InvalidWord(field, s, "direction", words(Directions)) })
}

func checkStatus(field, s string) error {
	if s == "" {
		return nil
	}
	return checkWord(Statuses, s, func() error {
		return unknownWord(CodeInvalidInput, ReasonInvalidStatus, field, s, "task status", words(Statuses))
	})
}

func checkTypeFilter(field, s string) error {
	if s == "" {
		return nil
	}
	return checkTaskType(field, s)
}

func checkTaskType(field, s string) error {
	return checkWord(TaskTypes, s, func() error {
		return unknownWord(CodeInvalidTaskType, "", field, s, "task type", words(TaskTypes))
	})
}

func checkEventType(field, s string) error {
	return checkWord(EventTypes, s, func() error { return InvalidWord(field, s, "event type", words(EventTypes)) })
}

func checkWord[T ~string](vocabulary []T, s string, refuse func() error) error {
	for _, w := range vocabulary {
		if string(w) == s {
			return nil
		}
	}
	return refuse()
}

func checkOperationCount(field string, value any) error {
	n := len(value.([]json.RawMessage))
	if n > MaxApplyOperations {
		return tooLarge(field, n, MaxApplyOperations, "entries")
	}
	if n == 0 {
		return invalid(ReasonMissingField, field, "There is nothing to apply.")
	}
	return nil
}

// forbiddenKeys of task metadata: dependencies are edges.
var forbiddenKeys = []string{"depends_on", "blocked_on"}

// checkMetadataKeys screens the metadata a write supplies.
func checkMetadataKeys(m *Metadata) error {
	if m == nil {
		return nil
	}
	for _, member := range m.Members() {
		for _, key := range forbiddenKeys {
			if member.Key == key {
				return NewError(CodeInvalidMetadataKey,
					fmt.Sprintf("Dependencies are edges: metadata must not carry '%s'.", key),
					Extra{"field", "metadata." + key})
			}
		}
	}
	return nil
}

// MetadataCondition is one condition of metadata_match: the top-level key
// equals the scalar, or is a list that holds it.
type MetadataCondition struct {
	Key string
	// Exactly one of the kinds: the JSON literal tells which.
	Literal string // JSON text of the scalar: "x", 1, 1.0, true
}

// MaxMatchConditions bounds the conditions of one metadata_match: they become
// one query.
const MaxMatchConditions = 100

func checkMetadataMatch(field string, value any) error {
	_, err := parseMatch(field, value.(Metadata))
	return err
}

// parseMatch reads a metadata_match object.
func parseMatch(field string, m Metadata) ([]MetadataCondition, error) {
	var conditions []MetadataCondition
	members := m.Members()
	if len(members) > MaxMatchConditions {
		return nil, tooLarge(field, len(members), MaxMatchConditions, "conditions")
	}
	for _, member := range members {
		name := field + "." + member.Key
		if member.Key == "" {
			return nil, invalid(ReasonInvalidValue, field, "A key of the filter is empty.")
		}
		switch member.Value[0] {
		case '{', '[', 'n':
			return nil, invalid(ReasonInvalidValue, name,
				fmt.Sprintf("'%s' must be a string, number or boolean, not %s.", name, jsonKind(member.Value)))
		}
		conditions = append(conditions, MetadataCondition{Key: member.Key, Literal: string(member.Value)})
	}
	return conditions, nil
}

// joinWords lists words for a sentence.
func joinWords(list []string) string { return strings.Join(list, ", ") }
