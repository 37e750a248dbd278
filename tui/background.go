package tui

import (
	"bytes"
	"os"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/themes"
)

// backgroundMsg is the terminal's answer to the question for its background.
type backgroundMsg struct{ dark bool }

// askBackground is the question (OSC 11). Nobody waits for the answer: a
// terminal that gives none keeps the dark variant, one that does changes the
// theme when the answer arrives.
const askBackground = "\x1b]11;?\x07"

// asksBackground reports whether the theme depends on the background.
func (m *model) asksBackground() bool { return themes.IsAuto(m.options.Theme) }

// background picks the variant of the theme for a background.
func (m *model) background(msg backgroundMsg) tea.Cmd {
	theme, err := themes.Load(m.options.Theme, m.options.ThemeDir, msg.dark)
	if err != nil {
		return m.note("The theme for this background cannot be used: " + err.Error())
	}
	m.styles = newStyles(theme, m.styles.renderer)
	return nil
}

// input is the terminal's input without its answers to questions, which would
// otherwise be taken for keys.
type input struct {
	*os.File
	answered func(dark bool)
	held     []byte // the beginning of an answer
}

func newInput(file *os.File) *input { return &input{File: file, answered: func(bool) {}} }

// longestAnswer bounds what is held back as the beginning of an answer.
const longestAnswer = 64

var answerStart = []byte("\x1b]11;")

// Read implements io.Reader.
func (in *input) Read(p []byte) (int, error) {
	for {
		// What was held back and what is read together fit p.
		n, err := in.File.Read(p[:max(len(p)-len(in.held), 1)])
		n = copy(p, in.strip(p[:n]))
		if n > 0 || err != nil {
			return n, err
		}
	}
}

// strip takes answers out of what was read. The beginning of one at the end is
// held back until the rest has come.
func (in *input) strip(b []byte) []byte {
	b = append(in.held, b...)
	in.held = nil
	var out []byte
	for {
		i := bytes.Index(b, answerStart)
		if i < 0 {
			break
		}
		body, rest, whole := cutAnswer(b[i+len(answerStart):])
		switch {
		case whole:
			if dark, ok := isDark(body); ok {
				in.answered(dark)
			}
			out, b = append(out, b[:i]...), rest
			continue
		case len(b)-i < longestAnswer:
			in.held = bytes.Clone(b[i:])
			return append(out, b[:i]...)
		}
		// No answer after all.
		out, b = append(out, b[:i+1]...), b[i+1:]
	}
	// ESC alone is a key; ESC ] may be the beginning of an answer.
	for n := min(len(answerStart)-1, len(b)); n >= 2; n-- {
		if bytes.HasSuffix(b, answerStart[:n]) {
			in.held = bytes.Clone(b[len(b)-n:])
			b = b[:len(b)-n]
			break
		}
	}
	return append(out, b...)
}

// cutAnswer splits an answer at its end: BEL or ESC \.
func cutAnswer(b []byte) (body string, rest []byte, whole bool) {
	for i, c := range b {
		switch {
		case c == 0x07:
			return string(b[:i]), b[i+1:], true
		case c == 0x1b && i+1 < len(b) && b[i+1] == '\\':
			return string(b[:i]), b[i+2:], true
		}
	}
	return "", nil, false
}

// isDark judges a colour as terminals give it: rgb:1e1e/1e1e/2e2e.
func isDark(color string) (dark, ok bool) {
	parts := strings.Split(strings.TrimPrefix(color, "rgb:"), "/")
	if len(parts) != 3 {
		return false, false
	}
	var light float64
	for i, weight := range []float64{0.299, 0.587, 0.114} {
		n, err := strconv.ParseUint(parts[i], 16, 32)
		if err != nil || len(parts[i]) == 0 {
			return false, false
		}
		most := float64(uint64(1)<<(4*len(parts[i])) - 1)
		light += weight * float64(n) / most
	}
	return light < 0.5, true
}
