// Package pauses shortens the pauses of the engine. Where a lock of the log's
// index cannot be had it tries a hundred times by itself, with pauses that grow
// to a third of a second, ten seconds in all, which no time limit and no
// interruption ends. Each pause is cut to a millisecond; the program repeats
// what was refused, as long as the limit of the call allows.
package pauses
