package display

import "strings"

// ShellWord quotes text for a POSIX shell where it needs it.
func ShellWord(s string) string {
	isPlain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_./:=,@%+", r)
	}
	if s != "" && !strings.ContainsFunc(s, func(r rune) bool { return !isPlain(r) }) {
		return s
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
