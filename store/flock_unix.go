//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"errors"
	"os"
	"syscall"
)

// openLock opens a file to be locked, making it if need be. Somebody else's
// file that may only be read can still be locked on most systems.
func openLock(name string) (*os.File, error) {
	file, err := os.OpenFile(name, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		file, err = os.Open(name)
	}
	return file, err
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
func tryLockFile(file *os.File) (bool, error) {
	err := flock(file, syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return false, nil
	}
	return err == nil, err
}

// unlockFile lets go of a lock. It cannot fail for a lock that is held; that
// of a closed file is gone already.
func unlockFile(file *os.File) { _ = flock(file, syscall.LOCK_UN) }
