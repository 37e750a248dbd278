package tui

import (
	"os"

	"github.com/creack/pty"
)

// setSize changes the size of a terminal.
func setSize(f *os.File, w, h int) error {
	return pty.Setsize(f, &pty.Winsize{Rows: uint16(h), Cols: uint16(w)})
}
