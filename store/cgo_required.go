//go:build !cgo

package store

// SQLite is compiled from C. Without cgo the driver would build and then fail
// at its first use, so the build fails here instead, with a name that says why.
var _ = lithos_needs_CGO_ENABLED_1_and_a_C_compiler
