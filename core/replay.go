package core

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// once runs the step of an operation that accepts a request_id, or returns
// the result that the same call of the same agent had before. canonical is the
// text of the arguments that makes two calls the same.
func once[Out any](c *change, tool, agent string, requestID *string, canonical func() []byte,
	step func() (Out, error),
) (Out, error) {
	if requestID == nil {
		return step()
	}
	var out Out
	sum := sha256.Sum256(canonical())
	digest := hex.EncodeToString(sum[:])
	earlier, found, err := c.Replay(agent, *requestID)
	if err != nil {
		return out, err
	}
	if found {
		if earlier.Tool != tool || earlier.Arguments != digest {
			return out, InvalidValue("request_id", *requestID,
				fmt.Sprintf("The request_id '%s' was used before for another call.", clip(*requestID)))
		}
		if err := json.Unmarshal(earlier.Result, &out); err != nil {
			return out, fmt.Errorf("read the remembered result of request %q: %w", *requestID, err)
		}
		return out, nil
	}
	if out, err = step(); err != nil {
		return out, err
	}
	text, err := EncodeJSON(out)
	if err != nil {
		return out, fmt.Errorf("encode the result of %s: %w", tool, err)
	}
	return out, c.PutReplay(agent, *requestID, Replay{Tool: tool, Arguments: digest, Result: text})
}

// canonicalArguments is the text of a prepared request that makes two calls
// the same: nulls dropped, defaults filled, ids as written, objects regardless
// of the order of their keys.
func canonicalArguments(req any) []byte {
	v := reflect.Indirect(reflect.ValueOf(req))
	o := beginObject(nil)
	for _, p := range parametersOf(v.Type()) {
		field := v.Field(p.index)
		if (field.Kind() == reflect.Pointer || field.Kind() == reflect.Slice) && field.IsNil() {
			continue
		}
		text, err := EncodeJSON(field.Interface())
		if err != nil {
			panic("core: " + p.Name + ": " + err.Error())
		}
		o.raw(p.Name, string(sortKeys(text)))
	}
	return o.end()
}

// sortKeys orders the keys of every object inside a JSON value.
func sortKeys(text []byte) []byte {
	switch text[0] {
	case '{':
		members, err := objectMembers(text)
		if err != nil {
			return text
		}
		slices.SortStableFunc(members, func(a, b Member) int { return strings.Compare(a.Key, b.Key) })
		for i := range members {
			members[i].Value = sortKeys(members[i].Value)
		}
		return []byte(MakeMetadata(members))
	case '[':
		items, err := jsonList(text)
		if err != nil {
			return text
		}
		parts := make([][]byte, len(items))
		for i, item := range items {
			parts[i] = sortKeys(bytes.TrimSpace(item))
		}
		return append(append([]byte{'['}, bytes.Join(parts, []byte{','})...), ']')
	}
	return text
}
