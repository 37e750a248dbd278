//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

// isShared reports whether another process holds the engine's lock on a file.
// These systems let nobody remove a file that is open.
func isShared(string) bool { return false }

// mayWrite reports whether this user may write to a file or into a folder.
func mayWrite(string) bool { return true }
