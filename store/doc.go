// Package store keeps the task graph in one SQLite file. It is the only room
// that knows SQL and the driver; see [dev.lithos/core.Store] for what it owes.
//
// One connection writes; its transactions begin as BEGIN IMMEDIATE and queue,
// also between processes, at the turnstile. Readers have connections of their
// own that cannot write. Both are opened at their first use, so a command pays
// only for what it needs.
//
// Readiness is stored as two columns of the table open_tasks, which
// frontier.go alone writes.
package store

import _ "dev.lithos/store/ccompiler" // tells what is missing where cgo is off
