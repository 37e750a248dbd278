//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package store

import (
	"errors"
	"os"
)

// Systems without flock do without the turnstile.

var errNoLocks = errors.New("this system has no advisory locks of whole files")

func openLock(string) (*os.File, error)  { return nil, errNoLocks }
func lockFile(*os.File) error            { return errNoLocks }
func tryLockFile(*os.File) (bool, error) { return false, errNoLocks }
func unlockFile(*os.File)                {}
