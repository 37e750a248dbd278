package cli

import (
	"strings"
	"testing"

	"dev.lithos/cli/mcpserver"
)

func TestAgentsBlock(t *testing.T) {
	block := blockBegin + "\n" + mcpserver.PasteIn + blockEnd
	windows := strings.ReplaceAll(block, "\n", "\r\n")
	for name, c := range map[string]struct{ before, after string }{
		"no file":         {"", block + "\n"},
		"own text":        {"# Mine\n", "# Mine\n\n" + block + "\n"},
		"no last newline": {"# Mine", "# Mine\n\n" + block + "\n"},
		"a gap":           {"# Mine\n\n", "# Mine\n\n" + block + "\n"},
		"old block":       {"a\n" + blockBegin + "\nold\n" + blockEnd + "\nb", "a\n" + block + "\nb"},
		"same block":      {"a\n" + block + "\nb\n", "a\n" + block + "\nb\n"},
		"CRLF":            {"# Mine\r\n", "# Mine\r\n\r\n" + windows + "\r\n"},
		"CRLF, old block": {"a\r\n" + blockBegin + "\r\nold\r\n" + blockEnd + "\r\nb", "a\r\n" + windows + "\r\nb"},
	} {
		t.Run(name, func(t *testing.T) {
			after, err := withAgentsBlock(c.before)
			if err != nil || after != c.after {
				t.Errorf("it became %q (%v), want %q", after, err, c.after)
			}
			again, err := withAgentsBlock(after)
			if err != nil || again != after {
				t.Errorf("the second time it became %q (%v)", again, err)
			}
		})
	}
	for _, broken := range []string{blockBegin, blockEnd, blockEnd + blockBegin, block + block} {
		if after, err := withAgentsBlock(broken); err == nil {
			t.Errorf("%q became %q", broken, after)
		}
	}
	if n := len(block); n >= 1000 {
		t.Errorf("the block has %d bytes", n)
	}
}
