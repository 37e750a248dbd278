//go:build darwin || dragonfly || freebsd || linux || netbsd || openbsd

package store

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// isShared reports whether a store keeps a log and another process holds the
// lock on the file that each of the engine's connections holds for as long as it
// is open. Like lock files it is opened past [os.Open], which takes long.
func isShared(path string) bool {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return false // opening it by the engine tells why
	}
	defer func() { _ = syscall.Close(fd) }() // it was only read
	h := make(head, headLength)
	if n, err := syscall.Pread(fd, h, 0); err != nil || n < headLength || !h.keepsLog() {
		return false
	}
	const first, length = 0x40000002, 510 // of the bytes that stand for reading
	lock := syscall.Flock_t{Type: syscall.F_WRLCK, Whence: 0, Start: first, Len: length}
	err = syscall.FcntlFlock(uintptr(fd), syscall.F_GETLK, &lock)
	return err == nil && lock.Type != syscall.F_UNLCK
}

// mayWrite reports whether this user may write to a file or into a folder.
func mayWrite(path string) bool { return unix.Access(path, unix.W_OK) == nil }
