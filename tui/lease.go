package tui

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// leases are the lengths of a lease that are proposed, in minutes.
var leases = []int{15, 30, 60, 120, 240, 480}

// leaseField is the length of a lease: stepped through those proposed, or
// typed as minutes or as a duration.
type leaseField struct {
	named
	*editor
	first string
	fresh bool // a proposal stands there: what is typed replaces it
}

func newLeaseField(minutes int) *leaseField {
	text := strconv.Itoa(minutes)
	return &leaseField{named: named{"Lease", "ttl_minutes"}, editor: newEditor(text, false), first: text, fresh: true}
}

func (f *leaseField) height(int) int { return 1 }

func (f *leaseField) changed() bool { return f.text() != f.first }

// minutes reads the length.
func (f *leaseField) minutes() (int, *core.Error) {
	text := strings.ToLower(strings.Join(strings.Fields(f.text()), ""))
	n, err := strconv.Atoi(strings.TrimSuffix(strings.TrimSuffix(text, "in"), "m"))
	if err != nil {
		var length time.Duration
		if length, err = time.ParseDuration(text); err == nil {
			n = int(length / time.Minute)
		}
	}
	if err != nil || n < 1 || n > core.LongestClaimMinutes {
		return 0, core.InvalidValue("ttl_minutes", f.text(),
			fmt.Sprintf("A lease is 1 to %d minutes long, written like 90 or 1h30m.", core.LongestClaimMinutes))
	}
	return n, nil
}

// step goes to the next proposal that is shorter or longer.
func (f *leaseField) step(longer bool) {
	now, wrong := f.minutes()
	if wrong != nil {
		now = core.DefaultClaimMinutes
	}
	to := now
	for _, n := range leases {
		if longer && n > now {
			to = n
			break
		}
		if !longer && n < now {
			to = n
		}
	}
	f.setText(strconv.Itoa(to))
	f.fresh = true
}

func (f *leaseField) key(_ *model, k tea.KeyMsg) (bool, tea.Cmd) {
	switch k.String() {
	case "left", "-":
		f.step(false)
		return true, nil
	case "right", "+":
		f.step(true)
		return true, nil
	}
	if f.fresh && k.Type == tea.KeyRunes && !k.Alt {
		f.setText("")
	}
	taken := f.editor.key(k)
	f.fresh = f.fresh && !taken
	return taken, nil
}

// until says when the lease would end.
func (f *leaseField) until(m *model) string {
	n, wrong := f.minutes()
	if wrong != nil {
		return fmt.Sprintf("1 to %d minutes, like 90 or 1h30m", core.LongestClaimMinutes)
	}
	return "until " + m.clockText(m.now().Add(time.Duration(n)*time.Minute))
}

func (f *leaseField) draw(m *model, c *canvas, r rect, focus bool) {
	x := r.x + c.put(r.x, r.y, r.w, c.g.left+" ", hintLook)
	l := strongText
	if focus {
		l = keyLook
	}
	shown, width := focus && !f.fresh, cellsOf(f.text())
	if shown {
		width++ // for the cursor behind the text
	}
	width = max(min(width, r.x+r.w-x), 0)
	if shown {
		f.editor.draw(c, rect{x, r.y, width, 1}, true, l)
	} else {
		c.cut(x, r.y, width, display.Visible(f.text()), l)
	}
	x += width
	unit := ""
	if _, err := strconv.Atoi(f.text()); err == nil {
		unit = " min"
	}
	spans := []span{{unit, l}, {" " + c.g.right + "  ", hintLook}, {f.until(m), dimText}}
	if hint := (span{"  or type it", hintLook}); focus && f.fresh && spansWidth(spans)+cells(hint.text) <= r.x+r.w-x {
		spans = append(spans, hint)
	}
	c.spans(x, r.y, r.x+r.w-x, spans...)
}

// converse implements [field].
func (f *leaseField) converse(m *model, c *conversation) error {
	for {
		text, err := c.text(fmt.Sprintf("%s in minutes, or like 1h30m, %s", f.label, f.until(m)), f.text())
		if err != nil {
			return err
		}
		before := f.text()
		f.setText(text)
		_, wrong := f.minutes()
		if wrong == nil {
			return nil
		}
		f.setText(before)
		if err := c.say(data(wrong.Message, plainText)); err != nil {
			return err
		}
	}
}
