package cli

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"dev.lithos/core"
)

// parseDuration reads a length of time in Go's way, 90s or 1h30m, that is at
// least as long as given.
func parseDuration(field, text string, least time.Duration) (time.Duration, error) {
	d, err := time.ParseDuration(text)
	if err != nil || d < least {
		return 0, core.InvalidValue(field, text,
			fmt.Sprintf("'%s' is no length of time; write it like 90s, 5m or 1h30m.", core.Clip(text)))
	}
	return d, nil
}

// parseMinutes reads the length of a lease: a number of minutes, or a length
// of time that is a whole number of them.
func parseMinutes(field, text string) (int, error) {
	if n, err := strconv.Atoi(text); err == nil {
		return n, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d%time.Minute != 0 {
		return 0, core.InvalidValue(field, text,
			fmt.Sprintf("'%s' is no whole number of minutes; write it like 90, 45m or 2h.", core.Clip(text)))
	}
	return int(d / time.Minute), nil
}

// parsePriority reads a priority, P0 to P4 or 0 to 4 being short for the
// words from first to last.
func parsePriority(field, text string) (string, error) {
	short := []string{}
	for i, word := range core.Priorities {
		label := fmt.Sprintf("P%d", i)
		if text == word || text == label || text == label[1:] {
			return word, nil
		}
		short = append(short, label)
	}
	for i := range core.Priorities {
		short = append(short, strconv.Itoa(i))
	}
	return "", core.InvalidWord(field, text, "priority", slices.Concat(core.Priorities, short))
}

// metadataPairs collects members of a metadata object from several flags and
// refuses what contradicts itself.
type metadataPairs struct {
	field   string
	members []core.Member
}

func (m *metadataPairs) add(key string, value json.RawMessage) error {
	for _, member := range m.members {
		if member.Key == key {
			return core.InvalidValue(m.field+"."+key, key, fmt.Sprintf("The metadata key '%s' is given twice.", core.Clip(key)))
		}
	}
	m.members = append(m.members, core.Member{Key: key, Value: value})
	return nil
}

// addText adds a member whose value is a string.
func (m *metadataPairs) addText(key, text string) error {
	return m.add(key, core.AppendJSONString(nil, text))
}

// addPair reads key=text or key:=JSON.
func (m *metadataPairs) addPair(pair string) error {
	key, text, ok := strings.Cut(pair, "=")
	isJSON := strings.HasSuffix(key, ":")
	key = strings.TrimSuffix(key, ":")
	if !ok || key == "" {
		return core.InvalidValue(m.field, pair, fmt.Sprintf("'%s' is no pair; write key=text, or key:=JSON for any other value.", core.Clip(pair)))
	}
	if !utf8.ValidString(pair) {
		return core.Malformed(m.field, "The pair is not valid UTF-8.")
	}
	if !isJSON {
		return m.addText(key, text)
	}
	if !json.Valid([]byte(text)) {
		return core.Malformed(m.field+"."+key, fmt.Sprintf("The value of '%s' is not valid JSON; write %s=%s for a string.", core.Clip(key), core.Clip(key), core.Clip(text)))
	}
	if err := core.CheckJSONText(m.field+"."+key, []byte(text)); err != nil {
		return err
	}
	return m.add(key, json.RawMessage(text))
}

// object is the metadata object, nil when nothing was given.
func (m *metadataPairs) object() (*core.Metadata, error) {
	if m.members == nil {
		return nil, nil
	}
	object, err := core.ParseMetadata([]byte(core.MakeMetadata(m.members)))
	if err != nil {
		return nil, core.Malformed(m.field, "The metadata cannot be read: it is nested too deeply.")
	}
	return &object, nil
}
