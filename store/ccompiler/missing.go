//go:build !cgo

package ccompiler

// The name is the message.
var _ = lithos_needs_CGO_ENABLED_1_and_a_C_compiler
