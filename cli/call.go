package cli

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	urfave "github.com/urfave/cli/v2"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// call is one run of a command: what it was given, the store it works on and
// where its results go.
type call struct {
	ctx        context.Context
	env        *Env
	invocation invocation
	globals    globals
	session    *session
	out        *output
	parsed     *urfave.Context

	hints     []string // to be told at the end
	last      []string // to be told after everything else, however the call went
	badConfig error    // why the configuration cannot be read, for commands that do without
	invalid   error    // the first value that could not be read
	stdinUsed string   // the field that was read from standard input
}

// occurrences collects the values of a flag as they are: a list is neither
// split at commas nor trimmed.
type occurrences struct{ list []string }

// Set implements the flag parser's Generic.
func (o *occurrences) Set(value string) error {
	o.list = append(o.list, value)
	return nil
}

// String implements the flag parser's Generic.
func (o *occurrences) String() string { return "" }

// refuse notes the first value that cannot be read; run then answers it.
func (c *call) refuse(err error) {
	if c.invalid == nil {
		c.invalid = err
	}
}

// agent is who acts.
func (c *call) agent() string { return c.session.config.text("agent") }

// now is the present moment.
func (c *call) now() core.Stamp { return core.StampOf(c.env.Now()) }

// given returns the values of a flag, nil when it was not given. That the
// flag is declared is a matter of the program, not of its users.
func (c *call) given(name string) ([]string, flag) {
	f, ok := c.invocation.command.flag(name)
	if !ok {
		panic("cli: " + c.invocation.command.path() + " declares no flag " + name)
	}
	value, ok := c.parsed.Generic(name).(*occurrences)
	if !ok || len(value.list) == 0 {
		return nil, f
	}
	for _, text := range value.list {
		c.checkReadable(f.field(), text)
	}
	return value.list, f
}

// on reports whether a switch is on.
func (c *call) on(name string) bool {
	if _, ok := c.invocation.command.flag(name); !ok {
		panic("cli: " + c.invocation.command.path() + " declares no switch " + name)
	}
	return c.parsed.Bool(name)
}

// ifOn is nil for a switch that is off, so that the operation's default holds.
func (c *call) ifOn(name string) *bool { return c.ifSet(name, true) }

// ifOff is ifOn for switches that turn something off.
func (c *call) ifOff(name string) *bool { return c.ifSet(name, false) }

func (c *call) ifSet(name string, value bool) *bool {
	if !c.on(name) {
		return nil
	}
	return &value
}

// word returns the value of a flag as it was given, nil when it was not.
func (c *call) word(name string) *string {
	values, f := c.given(name)
	if values == nil {
		return nil
	}
	c.checkReadable(f.field(), values[0])
	return &values[0]
}

// body is word for text that may come from standard input: - reads it.
func (c *call) body(name string) *string {
	text := c.word(name)
	if text == nil || *text != "-" {
		return text
	}
	_, f := c.given(name)
	return c.stdinText(f.field())
}

// list returns every value of a flag, nil when it was not given.
func (c *call) list(name string) []string {
	values, f := c.given(name)
	for i, value := range values {
		c.checkReadable(fmt.Sprintf("%s[%d]", f.field(), i), value)
	}
	return values
}

// integer returns the value of a flag as a whole number.
func (c *call) integer(name string) *int {
	values, f := c.given(name)
	if values == nil {
		return nil
	}
	n, err := strconv.Atoi(values[0])
	if err != nil {
		c.refuse(core.InvalidValue(f.field(), values[0], fmt.Sprintf("--%s must be a whole number, not '%s'.", f.name, core.Clip(values[0]))))
		return nil
	}
	return &n
}

// moment returns the value of a flag as a time: ISO as it is, for the
// operation to judge, or a distance from now.
func (c *call) moment(name string) *string {
	text := c.word(name)
	if text == nil {
		return nil
	}
	_, f := c.given(name)
	at, err := display.ParseMoment(f.field(), *text, c.now())
	if err != nil {
		c.refuse(err)
		return nil
	}
	return &at
}

// argument returns a positional argument, "" when an optional one is missing.
func (c *call) argument(i int) string {
	if i >= len(c.invocation.arguments) {
		return ""
	}
	field := c.invocation.command.arguments[min(i, len(c.invocation.command.arguments)-1)].parameter
	c.checkReadable(field, c.invocation.arguments[i])
	return c.invocation.arguments[i]
}

// argumentBody is argument for text that may come from standard input.
func (c *call) argumentBody(i int) string {
	text := c.argument(i)
	if text != "-" {
		return text
	}
	if text := c.stdinText(c.invocation.command.arguments[i].parameter); text != nil {
		return *text
	}
	return ""
}

// arguments returns all positional arguments.
func (c *call) arguments() []string {
	for i := range c.invocation.arguments {
		c.argument(i)
	}
	return c.invocation.arguments
}

func (c *call) checkReadable(field, value string) {
	if !utf8.ValidString(value) {
		c.refuse(core.Malformed(field, fmt.Sprintf("'%s' is not valid UTF-8.", field)))
	}
}

// maxStdinText bounds what is read as one value; above it the value is
// refused by its size anyhow.
const maxStdinText = 16 << 20

// stdinText reads the whole of standard input as the value of a field.
func (c *call) stdinText(field string) *string {
	if c.stdinUsed != "" {
		c.refuse(core.InvalidValue(field, "-", fmt.Sprintf("Standard input cannot be both '%s' and '%s'.", c.stdinUsed, field)))
		return nil
	}
	c.stdinUsed = field
	b, err := c.readStdin(maxStdinText)
	if err != nil {
		c.refuse(core.Malformed(field, fmt.Sprintf("Standard input cannot be read: %s.", plainReason(err))))
		return nil
	}
	if len(b) > maxStdinText {
		c.refuse(core.NewError(core.CodeContentTooLarge, fmt.Sprintf("'%s' is longer than %d bytes.", field, maxStdinText),
			core.Extra{Name: "field", Value: field}, core.Extra{Name: "length", Value: len(b)}, core.Extra{Name: "limit", Value: core.MaxTextBytes}))
		return nil
	}
	text := string(b)
	return &text
}

// readStdin reads standard input, at most one byte more than most. It returns
// early when the call is ended, so that a person can leave.
func (c *call) readStdin(most int64) ([]byte, error) {
	type result struct {
		b   []byte
		err error
	}
	done := make(chan result, 1)
	go func() {
		b, err := io.ReadAll(io.LimitReader(c.env.Stdin, most+1))
		done <- result{b, err}
	}()
	select {
	case r := <-done:
		return r.b, r.err
	case <-c.ctx.Done():
		return nil, context.Cause(c.ctx)
	}
}

// run runs an operation, unless a value it was to be given could not be read.
func run[In, Out any](c *call, op core.Op[In, Out], request In) (Out, error) {
	if c.invalid != nil {
		var none Out
		return none, op.Refusal(c.invalid)
	}
	return op.Run(c.ctx, c.session.service(), request)
}

// show prints a result: the document with --json, else what people draws.
func (c *call) show(result any, people func(*page)) error {
	if c.out.json {
		return c.out.document(result)
	}
	p := c.page()
	people(p)
	if p.err != nil {
		// After a change the change itself is what counts: it is shown as far
		// as it is known.
		if op := c.invocation.command.operation; op == nil || op.ReadOnly() {
			return p.err
		}
		c.session.log.Warn("the result could not be shown in full", "error", p.err)
	}
	return c.out.text(p.Bytes())
}

// page makes an empty page for people.
func (c *call) page() *page {
	width := 0
	if c.env.StdoutIsTerminal {
		width = c.env.width()
	}
	return &page{
		Buffer: &bytes.Buffer{}, call: c, now: c.now(), width: width,
		terminal: c.env.StdoutIsTerminal, styled: c.styled(), ascii: c.session.config.on("ascii"),
	}
}

// styled reports whether results for people carry colour.
func (c *call) styled() bool {
	switch c.session.config.text("color") {
	case "always":
		return true
	case "never":
		return false
	}
	term, _ := c.env.variable("TERM")
	return c.env.StdoutIsTerminal && term != "dumb"
}

// say tells people something on standard error, whatever the form of output.
func (c *call) say(format string, args ...any) {
	fmt.Fprintln(c.env.Stderr, display.Visible(fmt.Sprintf(format, args...)))
}

// hint names the next useful command, to a person at a terminal, once the
// result is shown.
func (c *call) hint(format string, args ...any) {
	if c.env.StderrIsTerminal && c.env.StdoutIsTerminal && !c.globals.quiet && !c.out.json {
		c.hints = append(c.hints, fmt.Sprintf(format, args...))
	}
}

// tellLast says something on standard error once everything else is said.
func (c *call) tellLast(format string, args ...any) {
	c.last = append(c.last, fmt.Sprintf(format, args...))
}

// tellHints prints the hints of a call that went well.
func (c *call) tellHints() {
	for _, hint := range c.hints {
		c.say("%s", hint)
	}
}
