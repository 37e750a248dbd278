package tui

import (
	"strings"

	"github.com/charmbracelet/lipgloss"

	"dev.lithos/themes"
)

// look is how a cell is drawn: a token of the theme for its text, what lies
// behind it, and emphasis. The zero look is ordinary text.
type look uint16

// back is what lies behind a cell.
type back uint16

// The backgrounds.
const (
	backNone back = iota << 6
	backSelected
	backMarked
	backMask back = 3 << 6
)

// Emphasis on top of a token.
const (
	strong    look = 1 << 8 // bold
	underline look = 1 << 9 // as matches of a filter are shown
	faint     look = 1 << 10
	italic    look = 1 << 11
	reverse   look = 1 << 12 // as the cursor of an editor is shown
	lookCount      = 1 << 13
)

const tokenMask look = 1<<6 - 1

// The looks of the tokens.
const (
	plainText   = look(themes.Text)
	dimText     = look(themes.TextDim)
	strongText  = look(themes.TextStrong)
	borderLook  = look(themes.Border)
	focusLook   = look(themes.BorderFocus)
	titleLook   = look(themes.Title)
	keyLook     = look(themes.Key)
	hintLook    = look(themes.Hint)
	readyLook   = look(themes.Ready)
	blockedLook = look(themes.Blocked)
	claimedLook = look(themes.Claimed)
	doneLook    = look(themes.Done)
	stuckLook   = look(themes.Stuck)
	gateLook    = look(themes.Gate)
	epicLook    = look(themes.Epic)
	okLook      = look(themes.OK)
	warnLook    = look(themes.Warn)
	errorLook   = look(themes.Error)
)

func (l look) token() themes.Token { return themes.Token(l & tokenMask) }

func (l look) back() back { return back(l) & backMask }

// on is the look before another background.
func (l look) on(b back) look { return l&^look(backMask) | look(b) }

// styles turns looks into the codes that a terminal understands. It is the
// only place where tokens of a theme become colours.
type styles struct {
	theme    themes.Theme
	renderer *lipgloss.Renderer
	inks     [lookCount]*ink // nil: not needed yet
}

// ink is what drawing needs to know of a look.
type ink struct {
	code       string // what switches it on, from a state without any
	back       back
	marksSpace bool // a space shows that it has the look
}

// newStyles prepares the looks of a theme for a terminal, whose abilities the
// renderer knows.
func newStyles(theme themes.Theme, renderer *lipgloss.Renderer) *styles {
	return &styles{theme: theme, renderer: renderer}
}

// reset switches every look off.
const reset = "\x1b[m"

// change is what has to be written between cells of two looks.
func (s *styles) change(from, to look) string {
	if from == to {
		return ""
	}
	a, b := s.ink(from).code, s.ink(to).code
	switch {
	case a == b:
		return ""
	case a == "":
		return b
	}
	return reset + b
}

// sameBehind reports whether two looks draw a space alike.
func (s *styles) sameBehind(a, b look) bool {
	x, y := s.ink(a), s.ink(b)
	return x.back == y.back && !x.marksSpace && !y.marksSpace
}

func (s *styles) ink(l look) *ink {
	if s.inks[l] == nil {
		const probe = "x"
		style := s.style(l)
		code, _, _ := strings.Cut(style.lipgloss(s.renderer).Render(probe), probe)
		s.inks[l] = &ink{code: code, back: l.back(), marksSpace: style.Underline || style.Reverse}
	}
	return s.inks[l]
}

// style is what a look comes to: a paint and the colour behind it.
type style struct {
	themes.Paint
	behind string
}

func (s *styles) style(l look) style {
	out := style{Paint: s.theme.Paint(l.token())}
	switch l.back() {
	case backSelected:
		out.layOn(s.theme.Paint(themes.BgSelected))
	case backMarked:
		out.layOn(s.theme.Paint(themes.BgMarked))
	}
	out.Bold = out.Bold || l&strong != 0
	out.Underline = out.Underline || l&underline != 0
	out.Faint = out.Faint || l&faint != 0
	out.Italic = out.Italic || l&italic != 0
	if l&reverse != 0 {
		out.Reverse = !out.Reverse
	}
	return out
}

// layOn puts the paint of a background behind. Where that is reversed text,
// the text loses its own colour, which would otherwise become a patchwork of
// backgrounds.
func (s *style) layOn(b themes.Paint) {
	if b.Reverse {
		*s = style{Paint: themes.Paint{Reverse: true, Bold: s.Bold, Underline: s.Underline}}
	}
	s.behind = b.Color
	s.Bold = s.Bold || b.Bold
	s.Underline = s.Underline || b.Underline
	s.Italic = s.Italic || b.Italic
	// Faint text on a background of its own is hard to read.
	if b.Color != "" || b.Reverse {
		s.Faint = false
	}
}

func (s style) lipgloss(r *lipgloss.Renderer) lipgloss.Style {
	out := r.NewStyle()
	if s.Color != "" {
		out = out.Foreground(lipgloss.Color(s.Color))
	}
	if s.behind != "" {
		out = out.Background(lipgloss.Color(s.behind))
	}
	if s.Bold {
		out = out.Bold(true)
	}
	if s.Faint {
		out = out.Faint(true)
	}
	if s.Italic {
		out = out.Italic(true)
	}
	if s.Underline {
		out = out.Underline(true)
	}
	if s.Reverse {
		out = out.Reverse(true)
	}
	return out
}
