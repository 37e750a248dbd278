// Package cli is the command line of lithos. One verb a file: each declares
// its arguments and flags, turns them into the request of an operation, runs
// it, and shows the result to people; with --json the result itself is
// printed.
//
// The way of a call: [Main] reads the arguments (argv.go), settles the global
// flags, environment and configuration (globals.go, config.go), and runs the
// command with a call (call.go), which opens the store only when something
// reads or writes it (session.go). Results leave through output.go, failures
// through failure.go. env.go is the one place that knows the store's engine,
// the terminal UI and the operating system.
package cli
