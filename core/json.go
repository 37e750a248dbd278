package core

import (
	"bytes"
	"encoding/json"
	"math/bits"
	"strconv"
	"sync"
	"unicode/utf8"
)

// jsonAppender is what results and records implement so that the answers
// that can be long are encoded without reflection.
type jsonAppender interface {
	AppendJSON(dst []byte) []byte
}

// EncodeJSON returns the one JSON text of a result or error, the very bytes
// that --json prints and that an MCP answer holds: compact, without HTML
// escaping, control characters (Cc) and U+2028/2029 escaped.
func EncodeJSON(v any) ([]byte, error) {
	if a, ok := v.(jsonAppender); ok {
		scratch := encoderScratch.Get().(*[]byte)
		*scratch = a.AppendJSON((*scratch)[:0])
		text := append([]byte(nil), *scratch...)
		if cap(*scratch) <= maxEncoderScratch {
			encoderScratch.Put(scratch)
		}
		return text, nil
	}
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	return escapeControls(bytes.TrimSuffix(buf.Bytes(), []byte("\n"))), nil
}

// encoderScratch holds buffers that long answers are built in, so that they
// need not grow step by step; those above maxEncoderScratch are let go.
var encoderScratch = sync.Pool{New: func() any { return new([]byte) }}

const maxEncoderScratch = 1 << 20

// escapeControls escapes what encoding/json leaves raw although it is Cc:
// DEL and the C1 controls. Outside of strings JSON has neither.
func escapeControls(text []byte) []byte {
	at := nextRawControl(text)
	if at < 0 {
		return text
	}
	out := make([]byte, 0, len(text)+16)
	for at >= 0 {
		r, size := utf8.DecodeRune(text[at:])
		out = append(out, text[:at]...)
		out = appendUnicodeEscape(out, r)
		text = text[at+size:]
		at = nextRawControl(text)
	}
	return append(out, text...)
}

func nextRawControl(text []byte) int {
	for i, c := range text {
		if c == 0x7f || c == 0xc2 && i+1 < len(text) && text[i+1] < 0xa0 {
			return i
		}
	}
	return -1
}

const hexDigits = "0123456789abcdef"

func appendUnicodeEscape(dst []byte, r rune) []byte {
	return append(dst, '\\', 'u', hexDigits[r>>12&15], hexDigits[r>>8&15], hexDigits[r>>4&15], hexDigits[r&15])
}

// AppendJSONString appends s as a JSON string with the escaping of
// [EncodeJSON].
func AppendJSONString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		if i += plainBytes(s[i:]); i >= len(s) {
			break
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r >= 0xa0 && r != 0x2028 && r != 0x2029 && (r != utf8.RuneError || size > 1) {
			i += size
			continue
		}
		dst = append(dst, s[start:i]...)
		switch r {
		case '"', '\\':
			dst = append(dst, '\\', byte(r))
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = appendUnicodeEscape(dst, r)
		}
		i += size
		start = i
	}
	dst = append(dst, s[start:]...)
	return append(dst, '"')
}

// plainBytes is how many bytes at the beginning of s stand in a JSON string
// just as they are and are ASCII. It looks at eight at a time.
func plainBytes[T ~string | ~[]byte](s T) int {
	const ones, highs = 0x0101010101010101, 0x8080808080808080
	rest := s
	for len(rest) >= 8 {
		word := uint64(rest[0]) | uint64(rest[1])<<8 | uint64(rest[2])<<16 | uint64(rest[3])<<24 |
			uint64(rest[4])<<32 | uint64(rest[5])<<40 | uint64(rest[6])<<48 | uint64(rest[7])<<56
		// A byte of a difference is 0 where the character is; subtracting one
		// from it borrows into its highest bit, as it does below a space, and DEL
		// plus one carries into it. Borrows and carries can only mark bytes above
		// one that is marked itself.
		quote, backslash := word^ones*'"', word^ones*'\\'
		if marked := (word | (word - ones*' ') | (word + ones) | (quote - ones) | (backslash - ones)) & highs; marked != 0 {
			return len(s) - len(rest) + bits.TrailingZeros64(marked)/8
		}
		rest = rest[8:]
	}
	for len(rest) > 0 && rest[0] >= ' ' && rest[0] < 0x7f && rest[0] != '"' && rest[0] != '\\' {
		rest = rest[1:]
	}
	return len(s) - len(rest)
}

// object builds one JSON object in place.
type object struct {
	dst   []byte
	first bool
}

func beginObject(dst []byte) *object {
	return &object{dst: append(dst, '{'), first: true}
}

func (o *object) key(name string) {
	if !o.first {
		o.dst = append(o.dst, ',')
	}
	o.first = false
	// Names of keys are plain words of the contract.
	o.dst = append(o.dst, '"')
	o.dst = append(o.dst, name...)
	o.dst = append(o.dst, '"', ':')
}

func (o *object) str(name, value string) {
	o.key(name)
	o.dst = AppendJSONString(o.dst, value)
}

// word adds a word of a closed vocabulary, which stands for itself.
func (o *object) word(name, value string) {
	o.key(name)
	o.dst = append(append(append(o.dst, '"'), value...), '"')
}

func (o *object) nullableStr(name string, value *string) {
	if value == nil {
		o.raw(name, "null")
		return
	}
	o.str(name, *value)
}

func (o *object) stamp(name string, value Stamp) {
	o.key(name)
	o.dst = append(value.Append(append(o.dst, '"')), '"')
}

func (o *object) nullableStamp(name string, value *Stamp) {
	if value == nil {
		o.raw(name, "null")
		return
	}
	o.stamp(name, *value)
}

func (o *object) int(name string, value int64) {
	o.key(name)
	o.dst = strconv.AppendInt(o.dst, value, 10)
}

func (o *object) bool(name string, value bool) {
	o.key(name)
	o.dst = strconv.AppendBool(o.dst, value)
}

func (o *object) raw(name, value string) {
	o.key(name)
	o.dst = append(o.dst, value...)
}

// any appends a value of whatever type. The values used here always encode;
// one that does not is a fault of the program.
func (o *object) any(name string, value any) {
	o.key(name)
	text, err := EncodeJSON(value)
	if err != nil {
		panic("core: " + name + ": " + err.Error())
	}
	o.dst = append(o.dst, text...)
}

// appendList adds a list of records under the name given. Records are encoded
// where they are: a copy of each would have to be made for the call.
func appendList[T any, P interface {
	*T
	jsonAppender
}](o *object, name string, items []T) {
	o.key(name)
	o.dst = append(o.dst, '[')
	for i := range items {
		if i > 0 {
			o.dst = append(o.dst, ',')
		}
		o.dst = P(&items[i]).AppendJSON(o.dst)
	}
	o.dst = append(o.dst, ']')
}

// orEmpty is the list itself, or an empty one for nil, which would be null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

func (o *object) end() []byte { return append(o.dst, '}') }
