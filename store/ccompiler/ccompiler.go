// Package ccompiler has no content. It fails to compile where cgo is off, in
// place of the driver of SQLite, which would compile and then fail at its
// first use.
package ccompiler
