package tui

import (
	"fmt"
	"runtime/debug"
	"syscall"
)

// Crash is a fault of the program while the UI ran. The terminal has been
// restored by the time Run returns it.
type Crash struct {
	Value any    // what the program panicked with
	Stack []byte // where
}

// Error says what happened, for logs.
func (c *Crash) Error() string { return fmt.Sprintf("panic: %v", c.Value) }

// newCrash reports a recovered panic. It is a message, too.
func newCrash(value any) any { return &Crash{Value: value, Stack: debug.Stack()} }

// Signalled is the end of the UI by a signal. The terminal has been restored
// by the time Run returns it.
type Signalled struct{ Signal syscall.Signal }

// Error names the signal.
func (s *Signalled) Error() string { return fmt.Sprintf("ended by the signal %s", s.Signal) }
