//go:build unix

package mcpserver_test

import (
	"os"
	"syscall"
)

// signalStatus is the status that a shell shows for a process killed by a
// signal.
func signalStatus(state *os.ProcessState) int {
	if ws, ok := state.Sys().(syscall.WaitStatus); ok && ws.Signaled() {
		return 128 + int(ws.Signal())
	}
	return -1
}
