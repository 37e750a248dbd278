package knowledge

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v3"

	"dev.lithos/core"
)

// emitMatter is front matter in block style, in the order of the fields, with
// a line end after the last.
func emitMatter(fields []core.NoteField) ([]byte, error) {
	if len(fields) == 0 {
		return nil, nil
	}
	top := &yaml.Node{Kind: yaml.MappingNode, Tag: mapTag}
	var a astral
	for _, field := range fields {
		value, err := valueOf(field)
		if err != nil {
			return nil, fmt.Errorf("%q: %w", field.Key, err)
		}
		key := textNode(field.Key)
		if field.BareKey {
			key = &yaml.Node{Kind: yaml.ScalarNode, Value: field.Key}
		}
		top.Content = append(top.Content, key, value)
	}
	a.hide(top)
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	if err := encoder.Encode(top); err != nil {
		return nil, err
	}
	if err := encoder.Close(); err != nil {
		return nil, err
	}
	return a.restore(out.Bytes()), nil
}

// astral keeps the library from escaping characters beyond U+FFFF, emoji
// mostly, which it takes for unprintable: while it writes, each has a stand-in
// that the text has no other use for.
type astral struct {
	standIns map[rune]rune
	back     []string // pairs for restoring
}

// The characters for private use serve as stand-ins.
const firstPrivate, lastPrivate = '\ue000', '\uf8ff'

func (a *astral) hide(top *yaml.Node) {
	used := map[rune]bool{}
	a.standIns = map[rune]rune{}
	eachScalar(top, func(node *yaml.Node) {
		for _, r := range node.Value {
			if r > 0xffff {
				a.standIns[r] = 0
			} else if r >= firstPrivate && r <= lastPrivate {
				used[r] = true
			}
		}
	})
	next := firstPrivate
	for r := range a.standIns {
		for used[next] {
			next++
		}
		if next > lastPrivate {
			delete(a.standIns, r) // so many that some are escaped after all
			continue
		}
		a.standIns[r] = next
		a.back = append(a.back, string(next), string(r))
		next++
	}
	if len(a.standIns) == 0 {
		return
	}
	eachScalar(top, func(node *yaml.Node) {
		node.Value = strings.Map(func(r rune) rune {
			if stand, hidden := a.standIns[r]; hidden {
				return stand
			}
			return r
		}, node.Value)
	})
}

func (a *astral) restore(text []byte) []byte {
	if len(a.back) == 0 {
		return text
	}
	return []byte(strings.NewReplacer(a.back...).Replace(string(text)))
}

// eachScalar visits the scalars of a value, keys included.
func eachScalar(node *yaml.Node, visit func(*yaml.Node)) {
	if node.Kind == yaml.ScalarNode {
		visit(node)
	}
	for _, item := range node.Content {
		eachScalar(item, visit)
	}
}

// valueOf is the value of a field as YAML.
func valueOf(field core.NoteField) (*yaml.Node, error) {
	if field.Source == "" {
		decoder := json.NewDecoder(bytes.NewReader(field.Value))
		decoder.UseNumber()
		return nodeOf(decoder)
	}
	var document yaml.Node
	if err := yaml.Unmarshal([]byte(field.Source), &document); err != nil {
		return nil, err
	}
	if len(document.Content) != 1 {
		return nil, fmt.Errorf("%d values", len(document.Content))
	}
	settle(document.Content[0])
	return document.Content[0], nil
}

// settle makes a value stand in block style, with text quoted where it has to
// be.
func settle(node *yaml.Node) {
	node.Style &= yaml.TaggedStyle
	if node.Kind == yaml.ScalarNode && node.ShortTag() == strTag {
		node.Style |= textStyle(node.Value)
	}
	for _, item := range node.Content {
		settle(item)
	}
}

// nodeOf turns the next JSON value into YAML. The order of keys is kept.
func nodeOf(decoder *json.Decoder) (*yaml.Node, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token := token.(type) {
	case nil:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: nullTag, Value: "null"}, nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: boolTag, Value: fmt.Sprint(token)}, nil
	case json.Number:
		return numberNode(string(token)), nil
	case string:
		return textNode(token), nil
	}
	if token == json.Delim('[') {
		return collect(decoder, &yaml.Node{Kind: yaml.SequenceNode, Tag: seqTag})
	}
	return collect(decoder, &yaml.Node{Kind: yaml.MappingNode, Tag: mapTag})
}

// collect adds the items of a JSON list, or the keys and values of an object,
// up to the closing bracket. An empty one stands on one line.
func collect(decoder *json.Decoder, into *yaml.Node) (*yaml.Node, error) {
	for decoder.More() {
		item, err := nodeOf(decoder)
		if err != nil {
			return nil, err
		}
		into.Content = append(into.Content, item)
	}
	if len(into.Content) == 0 {
		into.Style = yaml.FlowStyle
	}
	_, err := decoder.Token()
	return into, err
}

// numberNode is a number with its kind said where the digits alone would be
// taken for something else than a number.
func numberNode(text string) *yaml.Node {
	plain := &yaml.Node{Kind: yaml.ScalarNode, Value: text}
	if tag := plain.ShortTag(); tag != intTag && tag != floatTag {
		plain.Tag, plain.Style = floatTag, yaml.TaggedStyle
	}
	return plain
}

func textNode(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: strTag, Value: text, Style: textStyle(text)}
}

// textStyle is how a text stands in the file: plain if it can, times and the
// like in quotes, several lines as a block if nothing in them would be lost.
func textStyle(text string) yaml.Style {
	plain := yaml.Node{Kind: yaml.ScalarNode, Value: text}
	switch {
	case strings.ContainsFunc(text, isDelicate):
		return yaml.DoubleQuotedStyle
	case strings.Contains(text, "\n"):
		if isSimpleBlock(text) {
			return yaml.LiteralStyle
		}
		return yaml.DoubleQuotedStyle
	case text == "" || plain.ShortTag() != strTag || isOldForm(text):
		return yaml.SingleQuotedStyle
	}
	return 0
}

// isOldForm reports whether other programs may take a text for something else,
// as YAML 1.1 has it: yes and no, 12:30, 1e3 and the mark of a merge.
func isOldForm(text string) bool {
	switch strings.ToLower(text) {
	case "y", "n", "yes", "no", "on", "off", "<<", "=":
		return true
	}
	return text[0] >= '0' && text[0] <= '9' && strings.Trim(text, "0123456789:._eE+-") == "" || strings.Trim(text, "+-.0123456789:") == ""
}

// isDelicate reports whether YAML or an editor could take a character for a
// line end, or drop it.
func isDelicate(r rune) bool {
	return r != '\n' && (unicode.IsControl(r) || r == '\u2028' || r == '\u2029' || r == '\ufeff' || r == '\ufffe' || r == '\uffff')
}

// isSimpleBlock reports whether lines can stand as they are.
func isSimpleBlock(text string) bool {
	for i, line := range strings.Split(text, "\n") {
		if line != strings.TrimRight(line, " ") || i == 0 && (line == "" || line[0] == ' ') {
			return false
		}
	}
	return !strings.HasSuffix(text, "\n\n")
}
