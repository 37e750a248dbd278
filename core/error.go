package core

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/xrash/smetrics"
)

// The reasons of invalid_input.
const (
	ReasonUnknownField  = "unknown_field"
	ReasonMissingField  = "missing_field"
	ReasonInvalidValue  = "invalid_field_value"
	ReasonInvalidStatus = "invalid_status"
	ReasonMalformed     = "malformed"
)

// maxEchoed is the number of characters of received input an envelope repeats.
const maxEchoed = 200

// Extra is one of the documented keys an envelope carries after status, code
// and message.
type Extra struct {
	Name  string
	Value any
}

// Error is the failure of an operation. It marshals to the envelope of the
// error contract. Its message is for people and may change.
type Error struct {
	Code    Code
	Message string
	Extras  []Extra // in the order of the registry
	cause   error
	outcome bool // a status of the note write path, see note_outcome.go
}

// NewError makes an error of the given code. Extras must come in the order
// of the registry.
func NewError(code Code, message string, extras ...Extra) *Error {
	return &Error{Code: code, Message: shortMessage(message), Extras: extras}
}

// maxMessage is how many characters of a message are kept. Titles, paths and
// names fit; what somebody gave in place of one need not.
const maxMessage = 2000

// shortMessage cuts a message in its middle, so that its beginning and the
// remedy at its end stay.
func shortMessage(message string) string {
	if len(message) <= maxMessage {
		return message
	}
	characters := []rune(message)
	if len(characters) <= maxMessage {
		return message
	}
	const half = maxMessage / 2
	return string(characters[:half]) + "…" + string(characters[len(characters)-half:])
}

// Error returns the message for people.
func (e *Error) Error() string { return e.Message }

// Unwrap returns what brought the error about, for logs; it never reaches an
// envelope.
func (e *Error) Unwrap() error { return e.cause }

// Because attaches the cause and returns e.
func (e *Error) Because(cause error) *Error {
	e.cause = cause
	return e
}

// Exit is the process exit status for the error.
func (e *Error) Exit() int { return Describe(e.Code).Exit() }

// Extra returns the value of an extra, or nil when the error has none of that name.
func (e *Error) Extra(name string) any {
	for _, x := range e.Extras {
		if x.Name == name {
			return x.Value
		}
	}
	return nil
}

// AppendJSON appends the envelope.
func (e *Error) AppendJSON(dst []byte) []byte {
	if e.outcome {
		return e.appendOutcome(dst)
	}
	o := beginObject(dst)
	o.str("status", "error")
	o.str("code", string(e.Code))
	o.str("message", e.Message)
	for _, x := range e.Extras {
		o.any(x.Name, x.Value)
	}
	return o.end()
}

// MarshalJSON returns the envelope.
func (e *Error) MarshalJSON() ([]byte, error) { return e.AppendJSON(nil), nil }

// AsError returns err as the one error type of the contract. Anything that
// is not one already is a fault of the program: internal_error.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	return InternalError(err, nil)
}

// InternalError reports a fault of the program. crashFile is the path of the
// report that was written, or nil.
func InternalError(cause error, crashFile *string) *Error {
	var file any
	message := "lithos met an internal fault; nothing was changed."
	if crashFile != nil {
		file = *crashFile
		message += " A report was written."
	}
	return NewError(CodeInternalError, message, Extra{"crash_file", file}).Because(cause)
}

// invalid starts an invalid_input error about a field.
func invalid(reason, field, message string) *Error {
	e := NewError(CodeInvalidInput, message, Extra{"reason", reason})
	if field != "" {
		e.Extras = append(e.Extras, Extra{"field", field})
	}
	return e
}

// InvalidInput makes an invalid_input error. field may be empty when no
// parameter is to blame.
func InvalidInput(reason, field, message string) *Error { return invalid(reason, field, message) }

// InvalidValue makes an invalid_input/invalid_field_value error that echoes
// the value received.
func InvalidValue(field string, value any, message string) *Error {
	return invalid(ReasonInvalidValue, field, message).with("value", echo(value))
}

// UnknownField makes the error for a name that is not declared, with the
// accepted names and the nearest of them.
func UnknownField(field, kind string, allowed []string) *Error {
	message := fmt.Sprintf("There is no %s '%s'.", kind, clip(field))
	e := invalid(ReasonUnknownField, clip(field), message)
	return e.vocabulary(field, allowed)
}

// MissingField makes the error for a required value that was not given.
func MissingField(field string) *Error {
	return invalid(ReasonMissingField, field, fmt.Sprintf("'%s' is required.", field))
}

// Malformed makes the error for input that cannot be read as text or JSON at
// all.
func Malformed(field, message string) *Error { return invalid(ReasonMalformed, field, message) }

// unknownWord makes the error for a word outside a closed vocabulary, under
// the code given.
func unknownWord(code Code, reason, field, value, what string, allowed []string) *Error {
	e := NewError(code, fmt.Sprintf("'%s' is no %s.", clip(value), what))
	if code == CodeInvalidInput {
		e.Extras = append(e.Extras, Extra{"reason", reason})
	}
	e.Extras = append(e.Extras, Extra{"field", field}, Extra{"value", clip(value)})
	return e.vocabulary(value, allowed)
}

// InvalidWord makes the invalid_field_value error for a word outside a closed
// vocabulary; what names the vocabulary in the message.
func InvalidWord(field, value, what string, allowed []string) *Error {
	return unknownWord(CodeInvalidInput, ReasonInvalidValue, field, value, what, allowed)
}

// with returns e with one more extra.
func (e *Error) with(name string, value any) *Error {
	e.Extras = append(e.Extras, Extra{name, value})
	return e
}

func (e *Error) vocabulary(received string, allowed []string) *Error {
	e = e.with("allowed", allowed)
	if near, ok := Nearest(received, allowed); ok {
		e = e.with("nearest", near)
		e.Message = strings.TrimSuffix(e.Message, ".") + fmt.Sprintf("; did you mean '%s'?", near)
	}
	return e
}

func tooLarge(field string, length, limit int, unit string) *Error {
	return NewError(CodeContentTooLarge,
		fmt.Sprintf("'%s' has %d %s; at most %d are possible.", field, length, unit, limit),
		Extra{"field", field}, Extra{"length", length}, Extra{"limit", limit})
}

// Clip cuts received text to what an envelope may repeat: 200 characters and
// a closing ellipsis.
func Clip(s string) string { return clip(s) }

func clip(s string) string {
	n := 0
	for i := range s {
		if n == maxEchoed {
			return s[:i] + "…"
		}
		n++
	}
	return s
}

func echo(value any) any {
	switch v := value.(type) {
	case string:
		return clip(v)
	case json.Number:
		if len(v) > maxEchoed {
			return clip(string(v)) // a part of a number is a text
		}
	}
	return value
}

// nearestEdits is how far a word may be from a permitted one to be offered
// in its place.
const nearestEdits = 2

// Nearest returns the name of allowed that is at most two edits away from
// the one received; of several the closest, then the first.
func Nearest(received string, allowed []string) (string, bool) {
	// The words are ASCII and compared byte by byte; one byte that none of them
	// has stands for each other character.
	received = strings.Map(func(r rune) rune {
		if r < utf8.RuneSelf {
			return r
		}
		return 0
	}, received)
	best, bestDistance := "", nearestEdits+1
	for _, name := range allowed {
		if len(received)-len(name) > nearestEdits || len(name)-len(received) > nearestEdits {
			continue
		}
		if d := smetrics.WagnerFischer(received, name, 1, 1, 1); d < bestDistance {
			best, bestDistance = name, d
		}
	}
	return best, best != ""
}

// ErrStoreLost is the cause of a store_unavailable/missing where there was a
// store before: backups of it are left. Nobody should begin an empty one there
// without knowing.
var ErrStoreLost = errors.New("there was a store, of which backups are left")
