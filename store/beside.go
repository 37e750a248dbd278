package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strconv"
	"sync"
	"time"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// While a connection is open the engine's log and the memory that is shared
// about it belong to it: nobody who uses the store by its rules removes them.
// Whoever removes them by hand parts those who have them open from those who
// come later, and each would write over what the other has committed. So the
// former look before each transaction whether the files are still theirs, and
// the latter look before their first connection for a program that has the
// store open although a file is missing.

// besideSuffixes end the names of these files.
var besideSuffixes = [2]string{"-wal", "-shm"}

// beside is what the connections of a store have open beside the file.
type beside struct {
	mu    sync.Mutex
	conns int            // connections that are open
	files [2]fs.FileInfo // as these have them open; nil when that is not known
	lost  bool           // they were removed: nothing can be done with the store any more
}

// errLogRemoved is the cause of the store_unavailable for files that were
// removed.
var errLogRemoved = errors.New("a file beside the store was removed while it was open")

// logRemoved is the error for such files.
func (s *Store) logRemoved() error {
	return core.NewError(core.CodeStoreUnavailable,
		fmt.Sprintf("The log of the store '%s' ('-wal' or '-shm') was removed while a program had it open. "+
			"End all programs that have the store open, servers and boards too, then start again.", s.path),
		core.Extra{Name: "path", Value: s.path}, core.Extra{Name: "reason", Value: ReasonReplaced}).Because(errLogRemoved)
}

// opened counts a connection.
func (b *beside) opened() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.conns++
}

// remember notes which files there are, for a connection that has begun to use
// them.
func (b *beside) remember(file string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.files[0] != nil {
		return
	}
	var files [2]fs.FileInfo
	for i, suffix := range besideSuffixes {
		var err error
		if files[i], err = os.Stat(file + suffix); err != nil {
			return // this connection has no log
		}
	}
	b.files = files
}

// isTheirs reports whether the files are still those that were noted.
func (b *beside) isTheirs(file string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost || b.files[0] == nil {
		return !b.lost
	}
	for i, suffix := range besideSuffixes {
		info, err := os.Stat(file + suffix)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, b.files[i]) {
			b.lost = true
		}
	}
	return !b.lost
}

// abandoned are connections that must never be closed, kept from the collector.
var abandoned struct {
	sync.Mutex
	conns []*conn
}

// closeConn closes a connection. The last one would fold the log that it has
// open into the file; when that was removed, and somebody has committed to
// another since, it would write over those commits, so it is left open.
func (b *beside) closeConn(c *conn) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost && b.hasRival(c.store.file) {
		abandoned.Lock()
		defer abandoned.Unlock()
		abandoned.conns = append(abandoned.conns, c)
		return nil
	}
	err := c.db.Close()
	if b.conns--; b.conns <= 0 {
		b.files = [2]fs.FileInfo{}
	}
	return err
}

// hasRival reports whether somebody has committed to another log.
func (b *beside) hasRival(file string) bool {
	info, err := os.Stat(file + besideSuffixes[0])
	return err == nil && info.Size() > 0 && !os.SameFile(info, b.files[0])
}

// inProcess are the stores that this process has open. The file of none of them
// may be opened besides: closing it would give up the engine's locks.
var inProcess struct {
	sync.Mutex
	stores []*Store
}

func (s *Store) enlist() {
	inProcess.Lock()
	defer inProcess.Unlock()
	inProcess.stores = append(inProcess.stores, s)
}

func (s *Store) delist() {
	inProcess.Lock()
	defer inProcess.Unlock()
	inProcess.stores = slices.DeleteFunc(inProcess.stores, func(other *Store) bool { return other == s })
}

// besidePatience is how long a program may have a store open without the files
// beside it: for as long as it takes to make them, or to give them up.
const besidePatience = 2 * time.Second

// checkBeside refuses a store that another program has open although a file
// beside it is missing.
func (s *Store) checkBeside(w *wait) error {
	for deadline := time.Now().Add(besidePatience); s.lacksBeside() && s.isOpenElsewhere(); {
		if time.Now().After(deadline) {
			return s.logRemoved()
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-w.ctx.Done():
			return w.over()
		}
	}
	return nil
}

// lacksBeside reports whether a file is missing that lies beside a store that
// is in use.
func (s *Store) lacksBeside() bool {
	return slices.ContainsFunc(besideSuffixes[:], func(suffix string) bool {
		_, err := os.Stat(s.file + suffix)
		return errors.Is(err, fs.ErrNotExist)
	})
}

// isOpenElsewhere reports whether another process has the file open with a log.
// This process is not looked into; where it has the file open itself nobody is
// asked.
func (s *Store) isOpenElsewhere() bool {
	inProcess.Lock()
	defer inProcess.Unlock()
	if slices.ContainsFunc(inProcess.stores, func(other *Store) bool { return os.SameFile(other.identity, s.identity) }) {
		return false
	}
	return isShared(s.file)
}

// removeOwn removes the empty files that this program has left beside a store
// of another user, because only who may write to the store can give them up. They
// would keep its owner, who may not write to them, from every change. The
// caller has closed all connections; nobody else may have one.
func (s *Store) removeOwn() {
	owner, _, known := ownerOf(s.identity)
	if s.use.lock == nil || !known || owner == os.Geteuid() {
		return
	}
	var own []string
	for i, suffix := range besideSuffixes {
		info, err := os.Stat(s.file + suffix)
		if err != nil {
			continue
		}
		maker, _, known := ownerOf(info)
		if !known || maker != os.Geteuid() || i == 0 && info.Size() > 0 {
			return
		}
		own = append(own, s.file+suffix)
	}
	if len(own) == 0 {
		return
	}
	if alone, err := tryLockFile(s.use.lock); err != nil || !alone || s.isOpenElsewhere() {
		return
	}
	for _, name := range slices.Backward(own) { // the log last: without it the rest says nothing
		_ = os.Remove(name)
	}
}

// OthersBeside are the paths of the files beside a store that its owner may not
// be able to write, because they belong to another user.
func OthersBeside(path string) (names []string) {
	file := RealPath(path)
	info, err := os.Stat(file)
	if err != nil {
		return nil
	}
	owner, _, known := ownerOf(info)
	for _, suffix := range besideSuffixes {
		info, err := os.Stat(file + suffix)
		if err != nil || !known {
			continue
		}
		if maker, _, _ := ownerOf(info); maker != owner {
			names = append(names, file+suffix)
		}
	}
	return names
}

// whyReadOnly says what keeps this user from writing to the store, and what to
// do about it; "" when it cannot be told.
func (s *Store) whyReadOnly() string {
	if !mayWrite(s.file) {
		return fmt.Sprintf("The rights of the file forbid to write it%s.", toUser(s.file, "chmod u+w"))
	}
	for _, suffix := range besideSuffixes {
		name := s.file + suffix
		info, err := os.Lstat(name)
		switch {
		case err != nil:
		case !info.Mode().IsRegular():
			return fmt.Sprintf("'%s' beside it is no file, and in the way: put it elsewhere.", name)
		case mayWrite(name):
		case suffix == "-shm" || info.Size() == 0:
			return fmt.Sprintf("The rights of the file '%s' beside it forbid to write that%s; once nobody has the store open it can be removed.", name, toUser(name, "chmod u+w"))
		default:
			return fmt.Sprintf("The rights of the file '%s' beside it forbid to write that%s; it holds changes and must not be removed.", name, toUser(name, "chmod u+w"))
		}
	}
	if folder := filepath.Dir(s.file); !mayWrite(folder) {
		return fmt.Sprintf("The rights of its folder '%s' forbid to write into it%s.", folder, toUser(folder, "chmod u+w"))
	}
	return ""
}

// toUser says whose a file is, or what its owner can do.
func toUser(path, command string) string {
	info, err := os.Stat(path)
	if err != nil {
		return ""
	}
	owner, _, known := ownerOf(info)
	switch {
	case !known:
		return ""
	case owner == os.Geteuid():
		return fmt.Sprintf(": '%s %s' gives it back", command, display.ShellWord(path))
	}
	name := strconv.Itoa(owner)
	if u, err := user.LookupId(name); err == nil {
		name = u.Username
	}
	return fmt.Sprintf(", which belongs to the user %s", name)
}
