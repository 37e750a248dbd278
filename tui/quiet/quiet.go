// Package quiet keeps the terminal UI's library from asking the terminal for
// its background colour at the start of every command, and from waiting five
// seconds for a terminal that does not answer.
//
// The library asks in an init function of its own. Go initialises packages in
// the order of their import paths once their imports are ready, and this
// package, whose path sorts before the library's, answers the question first.
// The board itself finds out the real colour when it starts.
package quiet

import "github.com/charmbracelet/lipgloss"

func init() { lipgloss.SetHasDarkBackground(true) }
