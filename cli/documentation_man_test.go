package cli_test

import (
	"testing"

	"dev.lithos/cli"
)

// TestDocumentation_man holds docs/lithos.1 equal to the tree of commands.
func TestDocumentation_man(t *testing.T) {
	compareDocument(t, "../docs/lithos.1", cli.Manual())
}
