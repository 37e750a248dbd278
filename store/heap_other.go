//go:build !linux

package store

// keepFreedPages has something to do with the C library of Linux only.
func keepFreedPages() {}
