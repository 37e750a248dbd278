package cli

import (
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"dev.lithos/core/display"
)

const (
	// progressDelay is how long work may take without a bar: what is over
	// sooner would only flicker.
	progressDelay = 300 * time.Millisecond
	// progressEvery is the least time between two drawings of a bar.
	progressEvery = 100 * time.Millisecond
	// progressWidth is how many cells the bar itself has where there is room,
	// progressLeast below how many it is left out.
	progressWidth = 24
	progressLeast = 4
	// progressMargin is how many cells at the end of the line stay free: one
	// for the cursor, two for what a terminal prints for ctrl-c. A line that is
	// full would go on in the next, and that alone would be cleared.
	progressMargin = 3
	// progressShare is the most cells that the share takes.
	progressShare = len(" 100 %")
)

// progress shows a person at a terminal how far long work has come, on
// standard error. It is safe for concurrent use, and shows nothing where
// there is nobody to look: all its methods then do nothing.
type progress struct {
	to    io.Writer // nil: nobody looks
	title string
	width int
	ascii bool

	mu          sync.Mutex
	phase       string
	done, total int64
	timer       *time.Timer // draws what is not told anything for a while
	drawn       time.Time   // zero: never
	ended       bool
	unhook      func() bool // from the end of the call
}

// progress begins to show the progress of work. The caller ends it.
func (c *call) progress(title string) *progress {
	p := &progress{title: title}
	term, _ := c.env.variable("TERM")
	if !c.env.StderrIsTerminal || c.out.json || c.globals.quiet || term == "dumb" {
		return p
	}
	p.to, p.width, p.ascii = c.env.Stderr, c.env.width(), c.session.config.on("ascii")
	p.timer = time.AfterFunc(progressDelay, p.first)
	p.unhook = context.AfterFunc(c.ctx, p.end) // a signal ends the call before the work ends
	return p
}

// update tells how much of how much is done; 0 of 0 where that cannot be told.
func (p *progress) update(done, total int64) { p.tell("", done, total) }

// tell is update with a word for what is being done at the moment.
func (p *progress) tell(phase string, done, total int64) {
	if p.to == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	turned := phase != p.phase
	p.phase, p.done, p.total = phase, done, total
	if !p.drawn.IsZero() && !p.ended && (turned || time.Since(p.drawn) >= progressEvery) {
		p.draw()
	}
}

// first draws the bar when the work turns out to be long.
func (p *progress) first() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.ended {
		p.draw()
	}
}

// end takes the bar away.
func (p *progress) end() {
	if p.to == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.timer.Stop()
	p.unhook()
	if !p.drawn.IsZero() && !p.ended {
		fmt.Fprint(p.to, clearedLine)
	}
	p.ended = true
}

// clearedLine goes to the beginning of the line and clears it.
const clearedLine = "\r\x1b[K"

func (p *progress) draw() {
	p.drawn = time.Now()
	fmt.Fprint(p.to, clearedLine+p.line(p.width-progressMargin))
}

// line is the bar as a line of text within a width. Where that is narrow the
// bar gives way first; the share stays.
func (p *progress) line(width int) string {
	full, empty, more := "█", "░", " "+display.Ellipsis
	if p.ascii {
		full, empty, more = "#", ".", "..."
	}
	line := p.title
	if p.phase != "" {
		line += ", " + p.phase
	}
	if p.total <= 0 {
		if p.done > 0 {
			line += fmt.Sprintf(" %d", p.done)
		}
		return display.Cut(line+more, width)
	}
	done := float64(min(max(p.done, 0), p.total)) / float64(p.total)
	share := fmt.Sprintf(" %d %%", int(done*100))
	cells := min(progressWidth, width-display.Width(line)-1-progressShare)
	if cells < progressLeast {
		return display.Cut(display.Cut(line, max(width-len(share), 0))+share, width)
	}
	done *= float64(cells)
	return line + " " + strings.Repeat(full, int(done)) + strings.Repeat(empty, cells-int(done)) + share
}
