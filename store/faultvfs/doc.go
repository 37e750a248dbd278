// Package faultvfs makes the system calls fail that SQLite makes, at a chosen
// one of them and with a chosen error number: what a full disk, a broken one
// or a missing right looks like from inside. Tests alone use it; the program
// does not contain it.
package faultvfs
