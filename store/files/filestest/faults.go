// Package filestest lets the steps of a files.Disk fail, or stop the program
// at one of them.
package filestest

import (
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"testing"

	"dev.lithos/store/files"
)

// Faults counts the steps of the disks made of it and does something at one
// of them. It is safe for concurrent use.
type Faults struct {
	at int // the step it happens at, counted from 0; negative: none
	do func() error

	mu    sync.Mutex
	steps []files.Step
}

// None only counts.
func None() *Faults { return &Faults{at: -1} }

// FailAt lets step number at, counted from 0, fail with err.
func FailAt(at int, err error) *Faults {
	return &Faults{at: at, do: func() error { return err }}
}

// KillAt ends the process ahead of step number at, counted from 0, as kill -9
// does.
func KillAt(at int) *Faults {
	return &Faults{at: at, do: func() error {
		if err := syscall.Kill(os.Getpid(), syscall.SIGKILL); err != nil {
			return err
		}
		select {} // the signal comes in its own time
	}}
}

// Disk is a disk with these faults.
func (f *Faults) Disk() files.Disk { return files.Disk{Before: f.before} }

func (f *Faults) before(step files.Step) error {
	f.mu.Lock()
	n := len(f.steps)
	f.steps = append(f.steps, step)
	f.mu.Unlock()
	if n != f.at {
		return nil
	}
	return f.do()
}

// Steps are the steps that were come to so far, in their order.
func (f *Faults) Steps() []files.Step {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.steps)
}

// Errors are what disks fail with.
var Errors = []error{syscall.EIO, syscall.ENOSPC, syscall.EROFS, syscall.EACCES}

// EachStep runs a piece of work once whole, then once more for each of its
// steps with that step failing, each time with the next of [Errors]. prepare
// makes what the work needs anew and returns the work; check looks at what
// the failed step has left.
func EachStep(t *testing.T, prepare func(t *testing.T) (work func(files.Disk) error), check func(t *testing.T, step files.Step, fault, err error)) {
	t.Helper()
	whole := None()
	if err := prepare(t)(whole.Disk()); err != nil {
		t.Fatalf("without a fault: %v", err)
	}
	for i, step := range whole.Steps() {
		fault := Errors[i%len(Errors)]
		t.Run(fmt.Sprintf("%03d_%s", i, step.Action), func(t *testing.T) {
			work := prepare(t)
			err := work(FailAt(i, fault).Disk())
			check(t, step, fault, err)
		})
	}
}
