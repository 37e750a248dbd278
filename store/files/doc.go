// Package files is the one way by which lithos changes files that are not its
// database: backups, notes, exports, reports. What is written is written as a
// draft, forced to the device and only then given its name, so that nobody,
// whatever is killed when, ever finds a part of a file.
//
// A [Disk] can be told to ask before each step, so that tests let any of them
// fail or stop the program there; see package filestest.
package files
