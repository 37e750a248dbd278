package cli

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"time"

	urfave "github.com/urfave/cli/v2"

	"dev.lithos/core"
)

// endingGrace is how long a call may take to end once a signal has come.
const endingGrace = 900 * time.Millisecond

// Main runs one command line, args[0] being the program, and returns the exit
// status of the process.
func Main(ctx context.Context, args []string, env Env) int {
	ctx, end := context.WithCancelCause(ctx)
	defer end(nil)
	done := make(chan int, 1)
	go func() { done <- handle(ctx, args[1:], &env) }()
	if env.Signals == nil {
		return <-done
	}
	signals, stop := env.Signals()
	defer stop()
	var ended *signalled
	select {
	case status := <-done:
		return status
	case signal := <-signals:
		ended = &signalled{signal}
		end(ended)
	}
	select {
	case status := <-done:
		return status
	case <-time.After(endingGrace):
		return ended.exit()
	}
}

// handle reads the command line and runs what it names.
func handle(ctx context.Context, args []string, env *Env) int {
	root := rootCommand()
	if len(args) > 0 && args[0] == completeName {
		return answerCompletion(ctx, root, args[1:], env)
	}
	invocation, err := readArguments(root, args)
	c := newCall(ctx, env, invocation)
	if err == nil && invocation.help {
		return c.report(c.showHelp(invocation.command))
	}
	if err == nil {
		err = c.profiled(func() error { return c.withMigration(ctx, c.guarded) })
	}
	if err == nil {
		c.tellHints()
	}
	status := c.report(err)
	for _, text := range c.last {
		c.say("%s", text)
	}
	if err := c.session.Close(); err != nil {
		c.session.log.Warn("the store was not closed cleanly", "error", err)
	}
	return status
}

// newCall makes a call that can report failures, before anything is settled.
func newCall(ctx context.Context, env *Env, i invocation) *call {
	return &call{
		ctx: ctx, env: env, invocation: i,
		out: &output{to: env.Stdout, json: i.json, disk: env.Files},
		session: &session{
			env: env, log: slog.New(slog.NewTextHandler(env.Stderr, &slog.HandlerOptions{Level: slog.LevelWarn})),
			notice: func(string) {}, missing: missingStore, gone: goneStore,
		},
	}
}

// prepare settles global flags, the place of the store and configuration.
func (c *call) prepare() error {
	var err error
	if c.globals, err = readGlobals(c.env, c.invocation.flags); err != nil {
		return err
	}
	if c.globals.jq.isSet() {
		if c.out.filter, err = compileFilter(c.globals.jq.text); err != nil {
			return err
		}
		c.out.bounded = c.bounded
	}
	s := c.session
	s.log = slog.New(slog.NewTextHandler(c.env.Stderr, &slog.HandlerOptions{Level: c.globals.logLevel}))
	s.notice = func(text string) { c.say("lithos: %s", text) }
	s.place = locate(c.env, c.globals)
	s.readOnly = c.globals.readOnly
	command := c.invocation.command
	if !command.unbounded || c.globals.timeoutGiven {
		s.timeout = c.globals.timeout
	}
	s.creates = command.operation != nil && !command.operation.ReadOnly()
	s.config, err = readConfig(c.env, c.globals, s.place)
	if err != nil && command.anyConfig {
		c.badConfig = err
		if command.name != doctorName {
			c.say("lithos: %s", err)
		}
		err = nil
	}
	return err
}

// guarded prepares and performs the call. A panic becomes an internal error.
func (c *call) guarded() (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = c.session.crashed(fault, debug.Stack())
		}
	}()
	if err := c.prepare(); err != nil {
		return err
	}
	return c.perform()
}

// perform hands the arguments, put in order, to the flag parser, which runs
// the command.
func (c *call) perform() error {
	app := &urfave.App{
		Name: c.invocation.command.words()[0], HideHelp: true, HideVersion: true,
		Writer: io.Discard, ErrWriter: io.Discard,
		Flags:                     c.parserFlags(isGlobal),
		DisableSliceFlagSeparator: true,
		ExitErrHandler:            func(*urfave.Context, error) {},
		OnUsageError:              func(_ *urfave.Context, err error, _ bool) error { return unreadable(err) },
		CommandNotFound:           func(*urfave.Context, string) {},
	}
	if action, command := c.parserCommand(); command == nil {
		app.Action = action
	} else {
		app.Commands = []*urfave.Command{command}
	}
	return app.RunContext(c.ctx, c.invocation.argv())
}

// unreadable is the error for arguments that the flag parser refuses although
// they were in order.
func unreadable(err error) error {
	return core.InvalidInput(core.ReasonInvalidValue, "", fmt.Sprintf("The arguments cannot be read: %s.", err))
}

// parserCommand declares the command to the flag parser, with the words that
// lead to it; nil for the program itself.
func (c *call) parserCommand() (urfave.ActionFunc, *urfave.Command) {
	action := func(parsed *urfave.Context) error {
		c.parsed = parsed
		return c.invocation.command.run(c)
	}
	var declared *urfave.Command
	for at := c.invocation.command; at.parent != nil; at = at.parent {
		next := &urfave.Command{
			Name: at.name, HideHelp: true,
			OnUsageError: func(_ *urfave.Context, err error, _ bool) error { return unreadable(err) },
		}
		if declared == nil {
			next.Action = action
			next.Flags = c.parserFlags(func(f flag) bool { return !isGlobal(f) })
		} else {
			next.Subcommands = []*urfave.Command{declared}
		}
		declared = next
	}
	return action, declared
}

// parserFlags declares those of the flags that were given to the flag parser:
// it need not know others, and declaring one takes time. Lists are collected by
// a value of our own, because its own splits and trims them.
func (c *call) parserFlags(wanted func(flag) bool) []urfave.Flag {
	var declared []urfave.Flag
	for i, g := range c.invocation.flags {
		f := g.flag
		again := slices.ContainsFunc(c.invocation.flags[:i], func(earlier givenFlag) bool { return earlier.flag.name == f.name })
		switch {
		case again || !wanted(f):
		case f.isSwitch():
			declared = append(declared, &urfave.BoolFlag{Name: f.name, Usage: f.summary})
		default:
			declared = append(declared, &urfave.GenericFlag{Name: f.name, Usage: f.summary, Value: &occurrences{}})
		}
	}
	return declared
}

// answerCompletion prints the candidates for the last of the words. It never
// fails: where something is wrong there are none.
func answerCompletion(ctx context.Context, root *command, words []string, env *Env) int {
	m := &completion{env: env, root: root, open: func(before []string) (*call, error) {
		invocation, _ := readArguments(root, before) // faults of a half-typed line do not matter
		c := newCall(ctx, env, invocation)
		c.session.log = slog.New(slog.DiscardHandler)
		quiet := *env
		quiet.Stderr = io.Discard
		c.env = &quiet
		c.session.env = &quiet
		if err := c.prepare(); err != nil {
			return nil, err
		}
		c.session.creates = false
		return c, nil
	}}
	m.print(m.complete(words))
	return exitOK
}

// A person waits for candidates: completionTime bounds the reading of them,
// lockTime the wait for somebody who keeps the store from being read.
const (
	completionTime = 200 * time.Millisecond
	lockTime       = 10 * time.Millisecond
)
