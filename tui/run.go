package tui

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	tea "github.com/charmbracelet/bubbletea"
	"github.com/charmbracelet/lipgloss"
	"github.com/muesli/termenv"

	"dev.lithos/core"
	"dev.lithos/themes"
	_ "dev.lithos/tui/quiet" // before anything else asks the terminal
)

// defaultTheme is the theme when none is named.
const defaultTheme = themes.Default

// Run shows the UI on the terminal until the person leaves it. It returns nil
// then, a *Signalled when a signal ended it, a *Crash for a fault of the
// program, and a *core.Error for options that cannot be used, before the
// terminal is touched.
func Run(ctx context.Context, o Options) error {
	outside := ctx
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	m, err := newModel(ctx, o)
	if err != nil {
		return err
	}
	input := newInput(os.Stdin)
	screen := painted{m, newPainter(os.Stdout, o.Mouse)}
	program := tea.NewProgram(screen, tea.WithInput(input), tea.WithOutput(mute{os.Stdout}), tea.WithFPS(1),
		tea.WithoutSignalHandler(), tea.WithoutCatchPanics(), tea.WithFilter(screen.filter))
	m.send, m.say, m.leaveScreen = program.Send, screen.painter.say, screen.painter.lend
	if m.asksBackground() {
		input.answered = func(dark bool) { program.Send(backgroundMsg{dark}) }
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	var received syscall.Signal
	ended := make(chan struct{})
	watching := make(chan struct{})
	go func() {
		defer close(watching)
		select {
		case s := <-signals:
			received, _ = s.(syscall.Signal)
			cancel() // ends a conversation, which holds the program's loop up
			program.Quit()
		case <-ctx.Done():
			program.Quit()
		case <-ended:
		}
	}()
	screen.painter.enter()
	_, err = program.Run()
	screen.painter.leave()
	close(ended)
	<-watching
	if received != 0 || outside.Err() != nil {
		m.keepDraft()
	}
	closeErr := m.live.close()
	switch {
	case m.crash != nil:
		return m.crash
	case received != 0:
		return &Signalled{received}
	case errors.Is(err, tea.ErrProgramKilled) && ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return fmt.Errorf("run the terminal UI: %w", err)
	}
	return closeErr
}

// newModel prepares the model. It refuses options that cannot be used.
func newModel(ctx context.Context, o Options) (*model, error) {
	keys, err := newKeymap(o.Keys)
	if err != nil {
		return nil, err
	}
	name := o.Theme
	if name == "" {
		name = defaultTheme
	}
	if o.NoColor {
		name = themes.Mono
	}
	theme, err := themes.Load(name, o.ThemeDir, !isLight(os.Getenv("COLORFGBG")))
	if err != nil {
		return nil, themeError(err)
	}
	for _, filter := range sortedKeys(o.Filters) {
		if _, err := core.ParseFilter(o.Filters[filter]); err != nil {
			return nil, core.InvalidValue("filters."+filter, o.Filters[filter], core.AsError(err).Message)
		}
	}
	m := &model{
		ctx: ctx, options: o, keymap: keys, marks: map[string]core.Card{}, mouse: o.Mouse,
		styles: newStyles(theme, renderer()), glyphs: glyphsFor(o.ASCII || !glyphsFit()),
		board: newBoard(), say: func(string) {}, leaveScreen: tea.Exec,
		tick: func(d time.Duration, msg tea.Msg) tea.Cmd {
			return tea.Tick(d, func(time.Time) tea.Msg { return msg })
		},
	}
	m.options.Theme = name
	return m, nil
}

// renderer knows what the terminal can do with colours. Attributes are never
// left out: a terminal that shows the UI at all has them.
func renderer() *lipgloss.Renderer {
	r := lipgloss.NewRenderer(os.Stdout)
	profile := termenv.EnvColorProfile()
	if profile == termenv.Ascii {
		profile = termenv.ANSI
	}
	r.SetColorProfile(profile)
	r.SetHasDarkBackground(true) // no theme asks; the terminal shall not be asked either
	return r
}

// isLight reads COLORFGBG, by which some terminals tell their colours: text;
// background as numbers of the palette.
func isLight(colors string) bool {
	_, back, found := strings.Cut(colors, ";")
	if i := strings.LastIndexByte(back, ';'); i >= 0 {
		back = back[i+1:]
	}
	n, err := strconv.Atoi(back)
	return found && err == nil && (n == 7 || n > 8 && n < 16)
}

// themeError turns an unknown name into the contract's error, with the
// nearest name.
func themeError(err error) error {
	var unknown *themes.UnknownError
	if errors.As(err, &unknown) {
		return core.InvalidWord("theme", unknown.Name, unknown.What, unknown.Allowed)
	}
	return core.InvalidInput(core.ReasonInvalidValue, "theme", err.Error()+".")
}

// glyphsFit reports whether the terminal is told to draw ambiguous signs in
// one cell, as the frames need.
func glyphsFit() bool { return cells(unicodeGlyphs.thin.h) == 1 && cells(unicodeGlyphs.live) == 1 }
