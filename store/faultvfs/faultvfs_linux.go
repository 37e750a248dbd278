package faultvfs

// #include "faultvfs_linux.h"
import "C"

import (
	"fmt"
	"sync"
	"syscall"

	_ "github.com/mattn/go-sqlite3" // brings the engine that the C code talks to

	"dev.lithos/store/pauses"
)

// Call is a kind of system call.
type Call int

// The kinds of calls. Lock is that of a range of the file or of the index of the
// log, Map is that of the index into memory. That a lock is given back is not
// among them: no system refuses it.
const (
	Open     Call = C.FAULT_OPEN
	Stat     Call = C.FAULT_STAT
	Read     Call = C.FAULT_READ
	Write    Call = C.FAULT_WRITE
	Sync     Call = C.FAULT_SYNC
	Truncate Call = C.FAULT_TRUNCATE
	Lock     Call = C.FAULT_LOCK
	Map      Call = C.FAULT_MAP
	Delete   Call = C.FAULT_DELETE
)

// String is the name of the call.
func (c Call) String() string {
	return [...]string{"open", "stat", "read", "write", "sync", "truncate", "lock", "map", "delete"}[c]
}

// Fault is a failure to come.
type Fault struct {
	Call    Call
	Nth     int           // which call of the kind fails, from 1
	Errno   syscall.Errno // with what
	Forever bool          // all after it fail too
}

// String names the fault.
func (f Fault) String() string {
	name := fmt.Sprintf("%s %d fails with %s", f.Call, f.Nth, f.Errno)
	if f.Forever {
		name += " for good"
	}
	return name
}

// Install puts the calls of every connection made from now on, by this
// process, where they can be made to fail. It panics where that is not
// possible: a test that meant to break something must not pass.
var Install = sync.OnceFunc(func() {
	pauses.Shorten() // as the program does, below the faults
	if rc := C.fault_install(); rc != 0 {
		panic(fmt.Sprintf("faultvfs: the engine refuses the layer (%d)", rc))
	}
})

// Arm sets the fault that is to come and begins to count calls anew.
func Arm(f Fault) {
	forever := C.int(0)
	if f.Forever {
		forever = 1
	}
	C.fault_arm(C.int(f.Call), C.long(f.Nth), C.int(f.Errno), forever)
}

// Disarm lets every call be and returns how many have failed since Arm.
func Disarm() int { return int(C.fault_disarm()) }

// Sleep lets the engine pause between its tries for a lock, as it does in
// earnest, until the function it returns is called.
func Sleep() (stop func()) {
	C.fault_sleeps(1)
	return func() { C.fault_sleeps(0) }
}

// Observe begins to count calls anew, without a fault.
func Observe() { C.fault_arm(-1, 0, 0, 0) }

// Count returns how many calls of a kind there were since Arm or Observe.
func Count(c Call) int { return int(C.fault_count(C.int(c))) }
