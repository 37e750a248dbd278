package store

import (
	"errors"
	"os"
	"sync"
)

// turnstile lets the writers of all processes pass one by one, in the order
// they came. SQLite's own lock is taken by whoever asks at the right moment,
// and a program that writes in a loop can keep others out for seconds.
//
// There are two locks. Who wants to write takes the turn, then waits at the
// gate, passes it and lets go of the turn; the gate is held until the commit.
// So one waits at the gate while the rest queue for the turn, and who has
// just written cannot take the gate again before the one who waits.
//
// SQLite's lock is still what keeps the store whole: where the locks cannot be
// had (a file system without them, a program that does not know them) writers
// only lose the order.
type turnstile struct {
	path       string // of the store; the lock files lie beside it
	turn, gate *os.File
	without    bool     // the locks cannot be had
	pending    *passage // that a call has left waiting
}

// passage is one wait for the gate. The kernel cannot be told to give up a
// wait, so one that is no longer wanted goes on, serves the next call of the
// store that comes in time, and otherwise lets go as soon as it is through.
type passage struct {
	done chan struct{} // closed when the wait is over

	mu     sync.Mutex
	wanted bool
	over   bool
	err    error
}

// gateSuffix ends the name of the lock that a writer holds until its commit.
const gateSuffix = "-gate"

func newTurnstile(file string) *turnstile { return &turnstile{path: file} }

// enter waits for its turn and returns the function that lets the next in.
// Calls of one store come one by one.
func (t *turnstile) enter(w *wait) (leave func(), err error) {
	if t.turn == nil && !t.without {
		t.open()
	}
	if t.without {
		return func() {}, nil
	}
	p := t.pending
	t.pending = nil
	if p == nil || !p.adopt() {
		if passed, err := t.tryPass(); passed || err != nil {
			return t.passed(err)
		}
		p = &passage{done: make(chan struct{}), wanted: true}
		go p.wait(t.turn, t.gate)
	}
	select {
	case <-p.done:
		return t.passed(p.err)
	case <-w.ctx.Done():
		if p.abandon() {
			t.pending = p
		} else if p.err == nil {
			unlockFile(t.gate)
		}
		return nil, w.over()
	}
}

func (t *turnstile) passed(err error) (func(), error) {
	if err != nil {
		// Locks that fail are as good as none; SQLite's own remain.
		t.without = true
		return func() {}, nil
	}
	gate := t.gate
	return func() { unlockFile(gate) }, nil
}

// tryPass passes if nobody is there.
func (t *turnstile) tryPass() (bool, error) {
	got, err := tryLockFile(t.turn)
	if err != nil || !got {
		return false, err
	}
	defer unlockFile(t.turn)
	return tryLockFile(t.gate)
}

// wait passes the turnstile, however long it takes.
func (p *passage) wait(turn, gate *os.File) {
	err := lockFile(turn)
	if err == nil {
		err = lockFile(gate)
		unlockFile(turn)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if err == nil && !p.wanted {
		unlockFile(gate)
	}
	p.err, p.over = err, true
	close(p.done)
}

// adopt takes over a wait that was left; false when it is over.
func (p *passage) adopt() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = !p.over
	return p.wanted
}

// abandon leaves a wait to itself; false when it is over and was granted.
func (p *passage) abandon() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.wanted = false
	return !p.over
}

func (t *turnstile) open() {
	var err error
	if t.turn, err = openLock(t.path, "-turn", true); err == nil {
		t.gate, err = openLock(t.path, gateSuffix, true)
	}
	t.without = err != nil
}

func (t *turnstile) close() error {
	var errs []error
	for _, file := range []*os.File{t.turn, t.gate} {
		if file != nil {
			errs = append(errs, file.Close())
		}
	}
	t.turn, t.gate, t.without = nil, nil, true
	return errors.Join(errs...)
}
