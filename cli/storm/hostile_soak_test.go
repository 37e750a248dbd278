//go:build soak

package storm

import "testing"

// TestSoakHostile_commands gives every hostile text for every value on the
// command line.
func TestSoakHostile_commands(t *testing.T) { hostileCommands(t, 1) }

// TestSoakHostile_tools sends every hostile value for every argument of every
// tool.
func TestSoakHostile_tools(t *testing.T) { hostileTools(t, 1) }
