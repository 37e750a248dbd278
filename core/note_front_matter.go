package core

import (
	"encoding/json"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// reservedNoteKeys are the keys of the front matter that have a meaning. They
// cannot be free-form metadata.
var reservedNoteKeys = []string{
	"id", "title", "author", "created_at", "updated_at", "tags", "aliases", "confidence", "contributors", "source", "supersedes", "version",
	"source_url", "expires_at", "schema_version", "namespace", "access_scope", "note_type", "status", "summaries", "entities_extractor",
	"derived_from_ids", "entities",
}

// maxNoteVersion is the largest version that is believed, as every reader of
// JSON knows numbers exactly so far.
const maxNoteVersion = 1 << 53

// unwritten is what stands in for the parts of a note that its file lacks.
type unwritten struct {
	id                 string
	createdAt, updated Stamp
}

// noteOfFile reads a file as a note, forgivingly. The error is
// [UnreadableNote] when a stamp in it cannot be read.
func noteOfFile(file NoteFile, absent unwritten) (Note, error) {
	n := Note{Confidence: defaultConfidence, Version: 1, SchemaVersion: defaultSchemaVersion, Body: file.Body}
	values, names := map[string]json.RawMessage{}, map[string]json.RawMessage{}
	for _, field := range file.Fields {
		if contains(reservedNoteKeys, field.Key) {
			values[field.Key], names[field.Key] = field.Value, field.names()
		} else {
			n.Extra = append(n.Extra, field)
		}
	}
	text := func(key, otherwise string) string {
		if s, ok := scalarText(names[key]); ok && !isBlank(s) {
			return s
		}
		return otherwise
	}
	optional := func(key string) *string {
		if s := text(key, ""); s != "" {
			return &s
		}
		return nil
	}
	word := func(key string, vocabulary []string, otherwise string) string {
		if s := text(key, ""); contains(vocabulary, s) {
			return s
		}
		return otherwise
	}
	n.ID = text("id", "")
	if n.OwnID = n.ID != ""; !n.OwnID {
		n.ID = absent.id
	}
	n.Title = text("title", defaultNoteTitle)
	if title, _, _, found := titleLine(n.Body); found && title != strings.TrimSpace(n.Title) {
		n.Title = title
	}
	n.Author = text("author", defaultNoteAuthor)
	for _, stamp := range []struct {
		key    string
		absent Stamp
		into   *Stamp
	}{{"created_at", absent.createdAt, &n.CreatedAt}, {"updated_at", absent.updated, &n.UpdatedAt}} {
		at, err := stampOf(stamp.key, values[stamp.key])
		if err != nil {
			return Note{}, err
		}
		*stamp.into = valueOr(at, stamp.absent)
	}
	var err error
	if n.ExpiresAt, err = stampOf("expires_at", values["expires_at"]); err != nil {
		return Note{}, err
	}
	n.Tags = textList(names["tags"])
	if s, ok := scalarText(names["tags"]); ok {
		n.Tags = splitTagLine(s)
	}
	n.Aliases = textList(names["aliases"])
	n.Contributors = textList(names["contributors"])
	n.Entities = textList(names["entities"])
	n.Supersedes = textList(names["supersedes"])
	if raw := values["confidence"]; len(raw) > 0 && isJSONNumber(raw) {
		// Out of range is infinity, which is clamped like the rest.
		f, _ := strconv.ParseFloat(string(raw), 64)
		if !math.IsNaN(f) {
			n.Confidence = min(max(f, 0), 1)
		}
	}
	if raw := values["version"]; len(raw) > 0 {
		if v, ok := jsonInteger(raw); ok && v >= 1 && int64(v) <= maxNoteVersion {
			n.Version = int64(v)
		}
	}
	if raw := values["schema_version"]; len(raw) > 0 {
		if v, ok := jsonInteger(raw); ok {
			n.SchemaVersion = v
		}
	}
	n.Source, n.Extractor = optional("source"), optional("entities_extractor")
	if n.SourceURL = optional("source_url"); n.SourceURL != nil {
		if normal, ok := normalURL(*n.SourceURL); ok {
			n.SourceURL = &normal
		}
	}
	n.Namespace = text("namespace", "")
	n.AccessScope = word("access_scope", AccessScopes, ScopeShared)
	n.NoteType = word("note_type", NoteTypes, defaultNoteType)
	n.Status = word("status", NoteStatuses, NoteActive)
	if summaries, err := ParseMetadata(values["summaries"]); err == nil && checkSummaries(&summaries) == nil {
		n.Summaries = summaries
	}
	n.DerivedFrom = sourceIDs(textList(names["derived_from_ids"]), n.ID)
	n.keepOdd(file.Fields)
	return n, nil
}

// scalarText is a value of the front matter as text; false for null, lists and
// objects.
func scalarText(raw json.RawMessage) (string, bool) {
	if len(raw) == 0 {
		return "", false
	}
	switch raw[0] {
	case '"':
		return jsonString(raw)
	case '[', '{', 'n':
		return "", false
	}
	return string(raw), true
}

// textList is a list of the front matter; one value stands for a list of it.
// What is no text is left out.
func textList(raw json.RawMessage) []string {
	list := []string{}
	if len(raw) == 0 {
		return list
	}
	items, err := jsonList(raw)
	if err != nil {
		items = []json.RawMessage{raw}
	}
	for _, item := range items {
		if s, ok := scalarText(item); ok && !isBlank(s) {
			list = append(list, s)
		}
	}
	return list
}

// splitTagLine reads tags that stand in one line, separated by commas.
func splitTagLine(line string) []string {
	tags := []string{}
	for tag := range strings.SplitSeq(line, ",") {
		if tag = strings.TrimSpace(tag); tag != "" {
			tags = append(tags, tag)
		}
	}
	return tags
}

// stampOf reads a time of the front matter; nil when there is none.
func stampOf(key string, raw json.RawMessage) (*Stamp, error) {
	if len(raw) == 0 || string(raw) == "null" {
		return nil, nil
	}
	if s, ok := scalarText(raw); ok {
		s = strings.TrimSpace(s)
		at, err := ParseStamp(s)
		if i := strings.LastIndexByte(s, ' '); err != nil && i > 0 {
			at, err = ParseStamp(s[:i] + s[i+1:]) // a space before the offset, as YAML allows
		}
		if err == nil {
			return &at, nil
		}
	}
	return nil, &UnreadableNote{Reason: "'" + key + "' is no time"}
}

var uuidForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}$`)
})

// sourceIDs brings ids that a note is derived from into the form in which they
// are kept: without repeats and the note itself, UUIDs in lower case, sorted.
func sourceIDs(ids []string, self string) []string {
	kept := []string{}
	for _, id := range ids {
		if id = sourceID(id); id != self && id != "" {
			kept = append(kept, id)
		}
	}
	slices.Sort(kept)
	return slices.Compact(kept)
}

func sourceID(id string) string {
	id = strings.TrimSpace(id)
	if uuidForm().MatchString(id) {
		id = strings.ToLower(id)
	}
	return id
}

// file is the note as its file is to be, with the keys in alphabetical order.
func (n Note) file() NoteFile {
	fields := append(n.withOdd(n.fields()), n.Extra...)
	slices.SortStableFunc(fields, func(a, b NoteField) int { return strings.Compare(a.Key, b.Key) })
	return NoteFile{Fields: fields, Body: n.Body}
}

// fields are the keys with a meaning as they are to stand in the file.
func (n Note) fields() []NoteField {
	var fields []NoteField
	add := func(key string, value any) {
		text, err := EncodeJSON(value)
		if err != nil {
			panic("core: " + key + ": " + err.Error()) // texts, numbers, stamps
		}
		fields = append(fields, NoteField{Key: key, Value: text})
	}
	add("id", n.ID)
	add("title", n.Title)
	add("author", n.Author)
	add("created_at", n.CreatedAt)
	add("updated_at", n.UpdatedAt)
	add("tags", orEmpty(n.Tags))
	add("aliases", orEmpty(n.Aliases))
	add("confidence", Real(n.Confidence))
	add("contributors", orEmpty(n.Contributors))
	add("source", n.Source)
	add("supersedes", n.supersedes())
	add("version", n.Version)
	add("schema_version", n.SchemaVersion)
	add("access_scope", n.AccessScope)
	add("note_type", n.NoteType)
	add("status", n.Status)
	if n.SourceURL != nil {
		add("source_url", *n.SourceURL)
	}
	if n.ExpiresAt != nil {
		add("expires_at", *n.ExpiresAt)
	}
	if n.Namespace != "" {
		add("namespace", n.Namespace)
	}
	if n.Summaries != "" {
		add("summaries", n.Summaries)
	}
	if n.Extractor != nil {
		add("entities_extractor", *n.Extractor)
	}
	if len(n.DerivedFrom) > 0 {
		add("derived_from_ids", n.DerivedFrom)
	}
	if len(n.Entities) > 0 {
		add("entities", n.Entities)
	}
	return fields
}

// supersedes is the value of the key of that name: null, one id, or several.
func (n Note) supersedes() any {
	switch len(n.Supersedes) {
	case 0:
		return nil
	case 1:
		return n.Supersedes[0]
	}
	return n.Supersedes
}
