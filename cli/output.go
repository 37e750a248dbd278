package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"syscall"

	"github.com/itchyny/gojq"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// output is where the results of a call go: standard output, as one JSON
// document or as text for people.
type output struct {
	to     io.Writer
	json   bool
	disk   files.Disk // for what is too long to be kept in memory
	filter *gojq.Code // applied to JSON; nil: none
	// bounded gives filtering a context with the time limit of the call.
	bounded func() (context.Context, context.CancelFunc)
}

// writeError is a failure to write to standard output.
type writeError struct{ cause error }

func (e *writeError) Error() string {
	return "Standard output cannot be written: " + plainReason(e.cause) + "."
}

func (e *writeError) Unwrap() error { return e.cause }

// isClosedPipe reports whether whoever read standard output has gone.
func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// text writes text for people.
func (o *output) text(b []byte) error {
	if len(b) == 0 {
		return nil
	}
	if _, err := o.to.Write(b); err != nil {
		return &writeError{err}
	}
	return nil
}

// document writes a result as one JSON document, filtered when asked for.
func (o *output) document(result any) error {
	text, err := core.EncodeJSON(result)
	if err != nil {
		return fmt.Errorf("encode the result: %w", err)
	}
	if o.filter != nil {
		ctx, cancel := o.bounded()
		defer cancel()
		if text, err = filterJSON(ctx, o.filter, text); err != nil {
			return err
		}
		return o.text(text)
	}
	return o.text(append(text, '\n'))
}

// compileFilter compiles the expression of --jq.
func compileFilter(expression string) (*gojq.Code, error) {
	query, err := gojq.Parse(expression)
	if err != nil {
		return nil, badFilter(expression, err)
	}
	code, err := gojq.Compile(query)
	if err != nil {
		return nil, badFilter(expression, err)
	}
	return code, nil
}

func badFilter(expression string, err error) error {
	return core.InvalidValue("jq", expression, fmt.Sprintf("The expression of --jq cannot be used: %s.", err))
}

// filterJSON applies a filter to a JSON text. Each value it yields makes one
// line; strings are written raw.
func filterJSON(ctx context.Context, filter *gojq.Code, text []byte) ([]byte, error) {
	dec := json.NewDecoder(bytes.NewReader(text))
	dec.UseNumber() // numbers keep their literal form
	var value any
	if err := dec.Decode(&value); err != nil {
		return nil, fmt.Errorf("read the result for --jq: %w", err)
	}
	var out bytes.Buffer
	for iter := filter.RunWithContext(ctx, value); ; {
		value, ok := iter.Next()
		if !ok {
			return out.Bytes(), nil
		}
		if err, isError := value.(error); isError {
			var halt *gojq.HaltError
			if errors.As(err, &halt) && halt.Value() == nil {
				return out.Bytes(), nil
			}
			if errors.Is(err, context.DeadlineExceeded) {
				err = errors.New("it did not end within the time limit")
			}
			return nil, &filterError{err}
		}
		if s, isText := value.(string); isText {
			out.WriteString(s)
		} else {
			line, err := gojq.Marshal(value)
			if err == nil {
				line, err = core.EncodeJSON(json.RawMessage(separators.Replace(string(line)))) // one escaping for all JSON
			}
			if err != nil {
				return nil, &filterError{err}
			}
			out.Write(line)
		}
		out.WriteByte('\n')
	}
}

// separators escapes what stands raw in JSON text that is copied as it is.
var separators = strings.NewReplacer("\u2028", `\u2028`, "\u2029", `\u2029`)

// filterError is a failure while filtering, when the operation itself is
// already done.
type filterError struct{ cause error }

func (e *filterError) Error() string {
	return fmt.Sprintf("The operation is done, but --jq failed on its result: %s.", e.cause)
}

func (e *filterError) Unwrap() error { return e.cause }
