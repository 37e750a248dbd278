// Package drawing writes tasks and their edges in the languages of programs
// that draw graphs. The export of the command line and the graph of the
// terminal UI share it.
package drawing
