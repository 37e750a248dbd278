package tui

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"time"

	tea "github.com/charmbracelet/bubbletea"
)

// sink collects what is written, and how often.
type sink struct {
	mu     sync.Mutex
	text   bytes.Buffer
	writes int
}

func (s *sink) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.writes++
	return s.text.Write(b)
}

// take returns what was written since the last time.
func (s *sink) take() (string, int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.text.Reset()
	n := s.writes
	s.writes = 0
	return s.text.String(), n
}

// await waits until a text has been written.
func (s *sink) await(t *testing.T, text string) {
	t.Helper()
	for end := time.Now().Add(patience); time.Now().Before(end); time.Sleep(time.Millisecond) {
		s.mu.Lock()
		found := strings.Contains(s.text.String(), text)
		s.mu.Unlock()
		if found {
			return
		}
	}
	t.Fatalf("%q was not written", text)
}

func TestPainter_writesWhatChanged(t *testing.T) {
	out := &sink{}
	p := newPainter(out, true)
	p.frame("one\ntwo\nthree")
	if text, _ := out.take(); text != "" {
		t.Errorf("it wrote %q before it had the screen", text)
	}
	p.enter()
	text, _ := out.take()
	for _, want := range []string{enterScreen, hideCursor, mouseOn, "one", "\x1b[2;1Htwo", "\x1b[3;1Hthree"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	p.frame("one\n2\nthree")
	out.await(t, "2")
	if text, _ := out.take(); strings.Contains(text, "one") || strings.Contains(text, "three") {
		t.Errorf("it wrote lines that did not change: %q", text)
	}
	p.frame("one\n2\nthree")
	time.Sleep(3 * paintGap)
	if text, _ := out.take(); text != "" {
		t.Errorf("it wrote the same frame again: %q", text)
	}
	p.obey(tea.ClearScreen())
	p.frame("one\n2\nthree")
	out.await(t, "three")
	p.obey(tea.DisableMouse())
	p.obey(tea.EnableMouseCellMotion())
	if text, _ := out.take(); !strings.Contains(text, mouseOff) || !strings.HasSuffix(text[:strings.Index(text, "\x1b[?1006h")], mouseOn) {
		t.Errorf("the mouse: %q", text)
	}
	p.leave()
	p.frame("four")
	text, _ = out.take()
	for _, want := range []string{leaveScreen, showCursor, mouseOff} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not in %q", want, text)
		}
	}
	if strings.Contains(text, "four") {
		t.Errorf("it wrote on a screen that is not its own: %q", text)
	}
}

// TestPainter_keepsToTheGap: of many frames at once the last is shown, and few
// others.
func TestPainter_keepsToTheGap(t *testing.T) {
	out := &sink{}
	p := newPainter(out, false)
	p.enter()
	out.take()
	began := time.Now()
	for i := range 10_000 {
		p.frame(strings.Repeat("x", i%50) + "y")
	}
	p.frame("the last")
	out.await(t, "the last")
	most := int(time.Since(began)/paintGap) + 2
	if _, n := out.take(); n > most {
		t.Errorf("it wrote %d times, want at most %d", n, most)
	}
}
