package cli

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// invocation is a command line that has been read: which command is meant,
// and what it is given.
type invocation struct {
	command   *command
	flags     []givenFlag
	arguments []string
	help      bool // --help was among the arguments
	json      bool // --json or --jq was, also when the rest is in error
	profile   *profile
}

// givenFlag is one occurrence of a flag.
type givenFlag struct {
	flag  flag
	value string // true or false for a switch
}

// reader reads a command line. The flag parser behind it stops at the first
// positional argument, ignores surplus ones and finds no faults in unknown
// commands, so everything is judged here and handed on in order.
type reader struct {
	invocation
	err error // the first fault; reading goes on to learn about --json
}

// readArguments reads the arguments after the program's name. The invocation
// is usable for reporting also when there is an error.
func readArguments(root *command, args []string) (invocation, error) {
	r := &reader{invocation: invocation{command: root}}
	for i := 0; i < len(args); i++ {
		arg := args[i]
		switch {
		case arg == "--":
			r.arguments = append(r.arguments, args[i+1:]...)
			i = len(args)
		case strings.HasPrefix(arg, "--"):
			i += r.longFlag(arg[2:], args[i+1:])
		case len(arg) > 1 && arg[0] == '-':
			i += r.shortFlag(arg[1:], args[i+1:])
		default:
			r.word(arg)
		}
	}
	if r.help && !isUnknown(r.err) {
		return r.invocation, nil
	}
	r.judge()
	return r.invocation, r.err
}

// fail notes the first fault.
func (r *reader) fail(err error) {
	if r.err == nil {
		r.err = err
	}
}

// word reads a command word or a positional argument.
func (r *reader) word(word string) {
	if r.command.group != nil && len(r.arguments) == 0 {
		if sub := r.command.find(word); sub != nil {
			r.command = sub
			return
		}
		if len(r.command.arguments) == 0 {
			r.fail(unknownCommand(r.command, word))
			return
		}
	}
	r.arguments = append(r.arguments, word)
}

// longFlag reads --name or --name=value, without the dashes, and returns how
// many of the arguments after it belong to it.
func (r *reader) longFlag(text string, rest []string) int {
	name, value, hasValue := strings.Cut(text, "=")
	if name == "help" && !hasValue {
		r.help = true
		return 0
	}
	if name == versionName && !hasValue && r.command.parent == nil {
		r.word(versionName) // as other programs call it
		return 0
	}
	if name == profileName {
		return r.profileFlag(value, hasValue, rest)
	}
	f, ok := r.lookUp(func(f flag) bool { return f.name == name })
	if !ok {
		r.fail(unknownFlag(r.command, "--"+name))
		return 0
	}
	return r.take(f, value, hasValue, rest)
}

// shortFlag reads -d, -dVALUE or -d=VALUE, without the dash.
func (r *reader) shortFlag(text string, rest []string) int {
	if text == "h" {
		r.help = true
		return 0
	}
	letter, value := text[:1], text[1:]
	f, ok := r.lookUp(func(f flag) bool { return f.short == letter })
	if !ok || f.isSwitch() && value != "" {
		r.fail(unknownFlag(r.command, "-"+text))
		return 0
	}
	return r.take(f, strings.TrimPrefix(value, "="), value != "", rest)
}

// lookUp finds a flag: a global one, one of the command, or, while command
// words are still to come, one of a command below.
func (r *reader) lookUp(matches func(flag) bool) (flag, bool) {
	if i := slices.IndexFunc(globalFlags, matches); i >= 0 {
		return globalFlags[i], true
	}
	var found flag
	var ok bool
	r.command.walk(func(c *command) {
		if i := slices.IndexFunc(c.flags, matches); i >= 0 && !ok {
			found, ok = c.flags[i], true
		}
	})
	return found, ok
}

// take reads the value of a flag.
func (r *reader) take(f flag, value string, hasValue bool, rest []string) (used int) {
	switch {
	case f.isSwitch() && !hasValue:
		value = "true"
	case f.isSwitch() && value != "true" && value != "false":
		r.fail(core.InvalidValue(f.field(), value, fmt.Sprintf("--%s is a switch: it takes no value, true or false.", f.name)))
	case !f.isSwitch() && !hasValue:
		// A value that looks like a flag is more often a forgotten value.
		if len(rest) == 0 || len(rest[0]) > 1 && rest[0][0] == '-' {
			r.fail(missingValue(f, rest))
			return 0
		}
		value, used = rest[0], 1
	}
	if (f.name == jsonFlag.name && value == "true") || f.name == jqFlag.name {
		r.json = true
	}
	r.flags = append(r.flags, givenFlag{f, value})
	return used
}

// judge looks at what was read as a whole.
func (r *reader) judge() {
	seen := map[string]givenFlag{}
	for _, g := range r.flags {
		if !isGlobal(g.flag) {
			if _, own := r.command.flag(g.flag.name); !own {
				r.fail(unknownFlag(r.command, "--"+g.flag.name))
			}
		}
		if earlier, again := seen[g.flag.name]; again && !g.flag.many && earlier.value != g.value {
			r.fail(core.InvalidValue(g.flag.field(), g.value, fmt.Sprintf("--%s is given twice.", g.flag.name)))
		}
		seen[g.flag.name] = g
	}
	if r.command.run == nil {
		r.fail(usageFault{
			reason: core.ReasonMissingField, field: commandField, allowed: r.command.names(),
			message: fmt.Sprintf("Which command of '%s'?", r.command.path()),
		}.err())
		return
	}
	r.judgeArguments()
}

func (r *reader) judgeArguments() {
	declared := r.command.arguments
	for i, a := range declared {
		if !a.optional && len(r.arguments) <= i {
			r.fail(usageFault{
				reason: core.ReasonMissingField, field: a.parameter,
				message: fmt.Sprintf("%s is missing. Usage: %s", a.name, r.command.usage()),
			}.err())
			return
		}
	}
	if n := len(declared); len(r.arguments) > n && (n == 0 || !declared[n-1].many) {
		r.fail(usageFault{
			reason: core.ReasonUnknownField, field: "argument", value: r.arguments[n],
			message: fmt.Sprintf("'%s' is one argument too many. Usage: %s", r.arguments[n], r.command.usage()),
		}.err())
	}
}

// argv is the command line in the order that the flag parser needs: global
// flags, command words, flags, positional arguments.
func (i invocation) argv() []string {
	words := i.command.words()
	args := []string{words[0]}
	for _, g := range i.flags {
		if isGlobal(g.flag) {
			args = append(args, "--"+g.flag.name+"="+g.value)
		}
	}
	args = append(args, words[1:]...)
	for _, g := range i.flags {
		if !isGlobal(g.flag) {
			args = append(args, "--"+g.flag.name+"="+g.value)
		}
	}
	return append(append(args, "--"), i.arguments...)
}

// again is the command line as a person would type it to repeat the call
// with another value of one flag.
func (i invocation) again(name, value string) string {
	words := i.command.words()
	for _, arg := range i.arguments {
		words = append(words, display.ShellWord(arg))
	}
	for _, g := range i.flags {
		switch {
		case g.flag.name == name:
		case !g.flag.isSwitch():
			words = append(words, "--"+g.flag.name+"="+display.ShellWord(g.value))
		case g.value == "true":
			words = append(words, "--"+g.flag.name)
		}
	}
	return strings.Join(append(words, "--"+name+"="+value), " ")
}

// usageFault describes what is wrong with a command line.
type usageFault struct {
	reason, field, message string
	value                  string   // what was received; empty when nothing was
	allowed                []string // what is accepted, when that is a closed list
}

// err is the invalid_input error of the fault.
func (u usageFault) err() error {
	e := core.InvalidInput(u.reason, core.Clip(u.field), u.message)
	add := func(name string, value any) { e.Extras = append(e.Extras, core.Extra{Name: name, Value: value}) }
	if u.value != "" {
		add("value", core.Clip(u.value))
	}
	if u.allowed != nil {
		add("allowed", u.allowed)
		if near, ok := core.Nearest(cmp.Or(u.value, u.field), u.allowed); ok && u.reason == core.ReasonUnknownField && len(u.field) > 1 {
			add("nearest", near) // any word is near to a single letter
		}
	}
	return e
}

// missingValue is the error for a flag whose value is not there.
func missingValue(f flag, rest []string) error {
	message := fmt.Sprintf("--%s needs a value: --%s %s.", f.name, f.name, f.value)
	if len(rest) > 0 && rest[0] != "--" {
		message = fmt.Sprintf("--%s needs a value; one that begins with a dash is written --%s=%s.", f.name, f.name, rest[0])
	}
	return usageFault{reason: core.ReasonMissingField, field: f.field(), message: message}.err()
}

// commandField is the field of errors about a command word.
const commandField = "command"

// unknownCommand is the error for a word that is no command below c.
func unknownCommand(c *command, word string) error {
	message := fmt.Sprintf("'%s' has no command '%s'", c.path(), core.Clip(word))
	if near, ok := core.Nearest(word, c.names()); ok {
		message += fmt.Sprintf("; did you mean '%s %s'?", c.path(), near)
	} else {
		message += "."
	}
	return usageFault{
		reason: core.ReasonUnknownField, field: commandField, value: word, allowed: c.names(), message: message,
	}.err()
}

// isUnknown reports whether an error is about a command or flag that there is
// not. Asking for help does not make it go away.
func isUnknown(err error) bool {
	e := core.AsError(err)
	return e != nil && e.Extra("reason") == core.ReasonUnknownField
}

// unknownFlag is the error for a flag that the command does not have. Names
// are compared and listed without their dashes.
func unknownFlag(c *command, given string) error {
	name := strings.TrimLeft(given, "-")
	accepted := []string{}
	for _, f := range slices.Concat(c.flags, globalFlags) {
		accepted = append(accepted, f.name)
	}
	message := fmt.Sprintf("'%s' has no flag '%s'", c.path(), core.Clip(given))
	root := rootOf(c)
	if near, ok := core.Nearest(name, accepted); ok && len(name) > 1 {
		message += fmt.Sprintf("; did you mean '--%s'?", near)
	} else if root.find(name) != nil {
		message += fmt.Sprintf("; '%s %s' is a command.", root.name, name)
	} else {
		message += "."
	}
	return usageFault{reason: core.ReasonUnknownField, field: name, allowed: accepted, message: message}.err()
}

func rootOf(c *command) *command {
	for c.parent != nil {
		c = c.parent
	}
	return c
}
