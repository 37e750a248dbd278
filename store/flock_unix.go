//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"errors"
	"io/fs"
	"os"
	"syscall"
)

// openLockFile opens a file that is there for reading and writing. [os.OpenFile]
// would first try whether the kernel can tell when it is ready, which takes ten
// more system calls, and no lock file is ever waited for in that way.
func openLockFile(name string) (*os.File, error) {
	for {
		fd, err := syscall.Open(name, syscall.O_RDWR|syscall.O_CLOEXEC, 0)
		if err == nil {
			return os.NewFile(uintptr(fd), name), nil
		}
		if !errors.Is(err, syscall.EINTR) {
			return nil, &fs.PathError{Op: "open", Path: name, Err: err}
		}
	}
}

// flock goes through SyscallConn, so that a file closed meanwhile keeps its
// descriptor until the call is over.
func flock(file *os.File, how int) error {
	raw, err := file.SyscallConn()
	if err != nil {
		return err
	}
	var lockErr error
	err = raw.Control(func(fd uintptr) {
		for {
			if lockErr = syscall.Flock(int(fd), how); lockErr != syscall.EINTR {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	return lockErr
}

// lockFile waits for the lock of a file.
func lockFile(file *os.File) error { return flock(file, syscall.LOCK_EX) }

// tryLockFile takes the lock of a file if nobody holds it.
func tryLockFile(file *os.File) (bool, error) { return tryFlock(file, syscall.LOCK_EX) }

// tryShareLock takes the lock of a file together with others who share it, if
// nobody holds it alone.
func tryShareLock(file *os.File) (bool, error) { return tryFlock(file, syscall.LOCK_SH) }

func tryFlock(file *os.File, how int) (bool, error) {
	err := flock(file, how|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// unlockFile lets go of a lock. It cannot fail for a lock that is held; that
// of a closed file is gone already.
func unlockFile(file *os.File) { _ = flock(file, syscall.LOCK_UN) }

// ownerOf tells whom a file belongs to.
func ownerOf(info fs.FileInfo) (user, group int, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, 0, false
	}
	return int(stat.Uid), int(stat.Gid), true
}
