package knowledge

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"dev.lithos/core"
)

const (
	// maxDepth is how deep values can lie inside each other: what lithos can
	// keep as JSON.
	maxDepth = core.MaxMetadataDepth - 2
	// maxNodes bounds a front matter with everything that its aliases repeat.
	maxNodes = core.MaxNoteValues
)

// parseMatter is parseMatterBelow for the first thing in a file.
func parseMatter(matter string) (fields []core.NoteField, isMapping bool, err error) {
	return parseMatterBelow(matter, 1)
}

// parseMatterBelow reads front matter below so many lines of its file; isMapping
// is false when it is no mapping, and no keys were found in it.
func parseMatterBelow(matter string, above int) (fields []core.NoteField, isMapping bool, err error) {
	// A fault of the library must not end the program.
	defer func() {
		if r := recover(); r != nil {
			fields, isMapping, err = nil, false, unreadable("has front matter that cannot be read")
		}
	}()
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(matter), &document); err != nil {
		return nil, false, unreadable("has front matter that is no YAML: " + placed(strings.TrimPrefix(err.Error(), "yaml: "), above))
	}
	if document.Kind == 0 || len(document.Content) == 0 {
		return nil, true, nil
	}
	p := parser{}
	top, err := p.resolve(document.Content[0], 0)
	if err != nil {
		return nil, false, err
	}
	if top.Kind != yaml.MappingNode {
		return nil, top.Kind == yaml.ScalarNode && top.ShortTag() == nullTag, nil
	}
	at := map[string]int{}
	for i := 0; i+1 < len(top.Content); i += 2 {
		key, value := top.Content[i], top.Content[i+1]
		if key.Kind != yaml.ScalarNode {
			return nil, false, unreadable("has a front matter key that is no text")
		}
		field, err := p.field(key.Value, value)
		if err != nil {
			return nil, false, err
		}
		switch key.ShortTag() {
		case boolTag, intTag, floatTag:
			field.BareKey = true
		}
		if j, seen := at[field.Key]; seen {
			fields[j] = field // the last of a key given twice
			continue
		}
		at[field.Key] = len(fields)
		fields = append(fields, field)
	}
	return fields, true, nil
}

var lineNumber = regexp.MustCompile(`^line (\d+): `)

// placed is what the library has found wrong, with the line of the file.
func placed(message string, above int) string {
	found := lineNumber.FindStringSubmatch(message)
	if found == nil {
		return message
	}
	line, err := strconv.Atoi(found[1])
	if err != nil {
		return message
	}
	if strings.Contains(message, "did not find expected") {
		line++ // its parser, unlike its scanner, counts from 0
	}
	return fmt.Sprintf("line %d: %s", line+above, message[len(found[0]):])
}

// The tags of values that JSON has too.
const (
	nullTag  = "!!null"
	boolTag  = "!!bool"
	intTag   = "!!int"
	floatTag = "!!float"
	strTag   = "!!str"
	mapTag   = "!!map"
	seqTag   = "!!seq"
	timeTag  = "!!timestamp"
	mergeTag = "!!merge"
)

type parser struct {
	nodes int
}

// resolve is a copy of a node in which aliases are replaced by what they stand
// for, merges are carried out, and comments and styles are gone.
func (p *parser) resolve(node *yaml.Node, depth int) (*yaml.Node, error) {
	if p.nodes++; p.nodes > maxNodes {
		return nil, unreadable("has too much front matter")
	}
	if depth > maxDepth {
		return nil, unreadable("has front matter that is nested too deeply")
	}
	if node.Kind == yaml.AliasNode {
		return p.resolve(node.Alias, depth+1)
	}
	plain := &yaml.Node{Kind: node.Kind, Tag: node.Tag, Value: node.Value}
	if node.Kind == yaml.ScalarNode && node.Style&(yaml.DoubleQuotedStyle|yaml.SingleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) != 0 &&
		(node.Tag == "" || node.Tag == "!") {
		plain.Tag = strTag
	}
	if node.Kind == yaml.MappingNode {
		return plain, p.resolveMapping(node, plain, depth)
	}
	for _, item := range node.Content {
		copied, err := p.resolve(item, depth+1)
		if err != nil {
			return nil, err
		}
		plain.Content = append(plain.Content, copied)
	}
	return plain, nil
}

func (p *parser) resolveMapping(node, plain *yaml.Node, depth int) error {
	var merged []*yaml.Node
	has := map[string]bool{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, err := p.resolve(node.Content[i], depth+1)
		if err != nil {
			return err
		}
		value, err := p.resolve(node.Content[i+1], depth+1)
		if err != nil {
			return err
		}
		if key.Kind == yaml.ScalarNode && key.ShortTag() == mergeTag {
			merged = append(merged, value)
			continue
		}
		has[key.Value] = true
		plain.Content = append(plain.Content, key, value)
	}
	for _, from := range merged {
		sources := []*yaml.Node{from}
		if from.Kind == yaml.SequenceNode {
			sources = from.Content
		}
		for _, source := range sources {
			if source.Kind != yaml.MappingNode {
				return unreadable("has front matter that merges what is no mapping")
			}
			for i := 0; i+1 < len(source.Content); i += 2 {
				if key := source.Content[i]; !has[key.Value] {
					has[key.Value] = true
					plain.Content = append(plain.Content, key, source.Content[i+1])
				}
			}
		}
	}
	return nil
}

// field is one key with its value as JSON, and where JSON says less, also as
// YAML.
func (p *parser) field(key string, value *yaml.Node) (core.NoteField, error) {
	field := core.NoteField{Key: key}
	faithful := true
	field.Value = appendValue(nil, value, &faithful)
	if !json.Valid(field.Value) {
		return field, fmt.Errorf("the value of %q became no JSON", key)
	}
	if !faithful {
		settle(value)
		text, err := yaml.Marshal(value)
		if err != nil {
			return field, unreadable("has a front matter value that cannot be kept: " + err.Error())
		}
		field.Source = string(text)
		field.Spelled = appendValue(nil, spelled(value), &faithful)
	}
	return field, nil
}

// spelled is a value with texts in place of its numbers, times and truth
// values.
func spelled(node *yaml.Node) *yaml.Node {
	copied := &yaml.Node{Kind: node.Kind, Tag: node.Tag, Value: node.Value}
	if node.Kind == yaml.ScalarNode && node.ShortTag() != nullTag {
		copied.Tag = strTag
	}
	for _, item := range node.Content {
		copied.Content = append(copied.Content, spelled(item))
	}
	return copied
}

// appendValue appends a value as JSON; faithful becomes false when that is not
// all there is to it.
func appendValue(dst []byte, node *yaml.Node, faithful *bool) []byte {
	switch node.Kind {
	case yaml.SequenceNode:
		*faithful = *faithful && node.ShortTag() == seqTag
		dst = append(dst, '[')
		for i, item := range node.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendValue(dst, item, faithful)
		}
		return append(dst, ']')
	case yaml.MappingNode:
		*faithful = *faithful && node.ShortTag() == mapTag
		return appendMapping(dst, node, faithful)
	}
	return appendScalar(dst, node, faithful)
}

func appendMapping(dst []byte, node *yaml.Node, faithful *bool) []byte {
	last := map[string]int{} // of a key given twice the last counts
	for i := 0; i+1 < len(node.Content); i += 2 {
		last[keyText(node.Content[i])] = i
	}
	dst = append(dst, '{')
	first := true
	for i := 0; i+1 < len(node.Content); i += 2 {
		key := node.Content[i]
		name := keyText(key)
		if last[name] != i {
			continue
		}
		*faithful = *faithful && key.Kind == yaml.ScalarNode && key.ShortTag() == strTag
		if !first {
			dst = append(dst, ',')
		}
		first = false
		dst = append(core.AppendJSONString(dst, name), ':')
		dst = appendValue(dst, node.Content[i+1], faithful)
	}
	return append(dst, '}')
}

// keyText is a key as text; one that is a list or mapping as JSON.
func keyText(key *yaml.Node) string {
	if key.Kind == yaml.ScalarNode {
		return key.Value
	}
	ignored := false
	return string(appendValue(nil, key, &ignored))
}

func appendScalar(dst []byte, node *yaml.Node, faithful *bool) []byte {
	switch node.ShortTag() {
	case strTag:
		return core.AppendJSONString(dst, node.Value)
	case nullTag:
		return append(dst, "null"...)
	case boolTag:
		var b bool
		if node.Decode(&b) == nil {
			return strconv.AppendBool(dst, b)
		}
	case intTag, floatTag:
		text, ok := numberText(node)
		if !ok {
			text = "null" // not a number
		}
		*faithful = *faithful && ok && text == node.Value
		return append(dst, text...)
	case timeTag:
		*faithful = false
		var at time.Time
		if node.Decode(&at) == nil {
			return core.AppendJSONString(dst, timeText(node.Value, at))
		}
	}
	*faithful = false
	return core.AppendJSONString(dst, node.Value)
}

// timeText is a date or time as lithos writes it; a date alone stays one.
func timeText(text string, at time.Time) string {
	if len(text) == len(time.DateOnly) {
		return text
	}
	return core.StampOf(at).String()
}

// infinite is a number that reads as infinity, for which JSON has no word.
const infinite = "1e999"

// numberText is a number in the notation of JSON; false when it is none.
func numberText(node *yaml.Node) (string, bool) {
	if text := node.Value; json.Valid([]byte(text)) && (text[0] == '-' || text[0] >= '0' && text[0] <= '9') {
		return text, true
	}
	var n int64
	var u uint64
	var f float64
	switch {
	case node.ShortTag() == intTag && node.Decode(&n) == nil:
		return strconv.FormatInt(n, 10), true
	case node.ShortTag() == intTag && node.Decode(&u) == nil:
		return strconv.FormatUint(u, 10), true
	case node.Decode(&f) != nil || math.IsNaN(f):
		return "", false
	case math.IsInf(f, 1):
		return infinite, true
	case math.IsInf(f, -1):
		return "-" + infinite, true
	}
	return string(core.Real(f).Append(nil)), true
}
