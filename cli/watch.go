package cli

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"syscall"
	"time"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

const (
	// pollEvery is how often the change counter is read: often enough that a
	// change is on the screen within half a second, and next to no work.
	pollEvery = 250 * time.Millisecond
	// redrawEvery is how often a terminal is redrawn without a change, so that
	// ages and times left stay true.
	redrawEvery = 30 * time.Second
)

// watcher wakes up when the store changes, by whomever, or when a timer or
// lease comes due.
type watcher struct {
	call    *call
	counter core.ChangeCounter
	seen    int64
}

func (c *call) watch() (*watcher, error) {
	counter, err := c.session.service().Watch(c.ctx)
	if err != nil {
		return nil, err
	}
	w := &watcher{call: c, counter: counter}
	if w.seen, err = counter.Value(); err != nil {
		return nil, errors.Join(err, counter.Close())
	}
	return w, nil
}

func (w *watcher) close() {
	if err := w.counter.Close(); err != nil {
		w.call.session.log.Warn("the change counter could not be closed", "error", err)
	}
}

// wait returns at the next change, when something comes due, or at the
// latest, whichever is first. A zero latest never comes. What was committed
// since the last wait counts as a change.
func (w *watcher) wait(ctx context.Context, latest time.Time) error {
	due, err := w.call.session.service().NextDue(ctx)
	if err != nil {
		return err
	}
	for {
		value, err := w.counter.Value()
		if err != nil {
			return err
		}
		if value != w.seen {
			w.seen = value
			return nil
		}
		if unread := w.call.env.Unread; unread != nil && unread() {
			return &writeError{syscall.EPIPE}
		}
		pause := pollEvery
		if due != nil {
			pause = min(pause, due.Time().Sub(w.call.env.Now()))
		}
		if !latest.IsZero() {
			pause = min(pause, time.Until(latest))
		}
		if pause <= 0 {
			return nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// watching draws once, or, with --watch, again whenever what is drawn changes,
// until the call is ended.
func (c *call) watching(draw func() error) error {
	if !c.on("watch") {
		return draw()
	}
	if c.invalid != nil {
		return c.invalid
	}
	w, err := c.watch()
	if err != nil {
		return err
	}
	defer w.close()
	screen := c.out.to
	c.globals.quiet = true // hints and notices would pile up
	for last := []byte(nil); ; {
		var drawn bytes.Buffer
		c.out.to = &drawn
		err := draw()
		c.out.to = screen
		switch {
		case c.isPassing(err):
			c.session.log.Warn("the list could not be read; it will be tried again", "error", err)
		case err != nil:
			return err
		case last == nil || !bytes.Equal(last, drawn.Bytes()):
			last = bytes.Clone(drawn.Bytes())
			if err := c.redraw(screen, last); err != nil {
				return err
			}
		}
		var latest time.Time
		if c.env.StdoutIsTerminal {
			latest = time.Now().Add(redrawEvery)
		}
		if err := w.wait(c.ctx, latest); err != nil && !c.isPassing(err) {
			return err
		}
	}
}

// isPassing reports whether an error goes away by itself; none does once the
// command has been told to end.
func (c *call) isPassing(err error) bool {
	var e *core.Error
	return c.ctx.Err() == nil && errors.As(err, &e) && core.Describe(e.Code).Category == core.CategoryRetry
}

func hasCode(err error, code core.Code) bool {
	var e *core.Error
	return errors.As(err, &e) && e.Code == code
}

// redraw replaces what a terminal shows; elsewhere it adds to it.
func (c *call) redraw(screen io.Writer, drawn []byte) error {
	if c.env.StdoutIsTerminal && !c.out.json {
		const home, clearLine, clearBelow = "\x1b[H", "\x1b[K\n", "\x1b[J"
		lines := strings.Split(strings.TrimSuffix(string(drawn), "\n"), "\n")
		if _, height := c.env.Size(); height > 2 && len(lines) > height-1 {
			more := len(lines) - (height - 2)
			lines = append(lines[:height-2], fmt.Sprintf("%s %d more", display.Ellipsis, more))
		}
		drawn = []byte(home + strings.Join(lines, clearLine) + clearLine + clearBelow)
	}
	if _, err := screen.Write(drawn); err != nil {
		return &writeError{err}
	}
	return nil
}

// follow prints events as they happen, one JSON document a line.
func (c *call) follow(request core.EventsRequest) error {
	c.out.json = true
	if c.invalid != nil {
		return c.invalid
	}
	w, err := c.watch()
	if err != nil {
		return err
	}
	defer w.close()
	if request.Since == nil && request.PeriodStart == nil {
		if request.Since, err = c.lastEvents(request); err != nil {
			return err
		}
	}
	request.Limit = nil
	for {
		page, err := core.Events.Run(c.ctx, c.session.service(), request)
		if err != nil && !c.isPassing(err) {
			return err
		}
		for _, event := range page.Events {
			if err := c.out.document(event); err != nil {
				return err
			}
		}
		if err == nil {
			next := int(page.NextSince)
			request.Since = &next
			if page.HasMore {
				continue
			}
		}
		if err := w.wait(c.ctx, time.Time{}); err != nil && !c.isPassing(err) {
			return err
		}
	}
}

// tailEvents is how many events of the past a feed that is followed begins
// with.
const tailEvents = 10

// lastEvents prints the last few events that a request asks for and returns
// the cursor to go on from. That is the newest event of all, whether asked for
// or not: a lower one could be archived before it is used.
func (c *call) lastEvents(request core.EventsRequest) (*int, error) {
	beyond, limit := math.MaxInt, tailEvents
	end, err := core.Events.Run(c.ctx, c.session.service(), core.EventsRequest{Since: &beyond})
	if err != nil {
		return nil, err
	}
	if request.Limit != nil {
		limit = *request.Limit
	}
	newest := int(end.NextSince)
	before := newest + 1
	past, err := core.Journal.Run(c.ctx, c.session.service(), core.JournalRequest{
		Types: request.Types, TaskID: request.TaskID, Agent: request.Agent, PeriodEnd: request.PeriodEnd, Limit: &limit, Before: &before,
	})
	if err != nil {
		return nil, err
	}
	for _, event := range slices.Backward(past.Events) {
		if err := c.out.document(event); err != nil {
			return nil, err
		}
	}
	return &newest, nil
}

// nextWithin takes the next task, waiting for one to become ready.
func (c *call) nextWithin(wait time.Duration, request core.TaskNextRequest) (core.TaskNextResult, error) {
	result, err := run(c, core.TaskNext, request)
	if err != nil || result.Task != nil || wait == 0 {
		return result, err
	}
	latest := time.Now().Add(wait)
	w, err := c.watch()
	if err != nil {
		return result, err
	}
	defer w.close()
	for {
		// What became ready before the watch began is found at once.
		result, err = core.TaskNext.Run(c.ctx, c.session.service(), request)
		if err != nil && !c.isPassing(err) || result.Task != nil || !time.Now().Before(latest) {
			return result, err
		}
		if err := w.wait(c.ctx, latest); err != nil && !c.isPassing(err) {
			return result, err
		}
	}
}
