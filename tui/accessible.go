package tui

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// Forms as plain lines, for screen readers and terminals that show one line:
// where the options ask for it, the screen is left while a form or a search is
// open, and each field is asked for in its turn.

// asked is a popup that can be asked for line by line.
type asked interface {
	popup
	// converse asks; the answers take effect with what it returns, once the
	// screen is back.
	converse(m *model, c *conversation) (func(*model) tea.Cmd, error)
}

// conversation is questions and answers on a terminal that echoes and edits
// lines by itself.
type conversation struct {
	ctx   context.Context
	in    *bufio.Reader
	out   io.Writer
	run   func(*conversation) error
	lines chan answer
}

type answer struct {
	text string
	err  error
}

// errLeft says that a person left without an answer.
var errLeft = errors.New("left")

// SetStdin implements [tea.ExecCommand].
func (c *conversation) SetStdin(r io.Reader) { c.in = bufio.NewReader(r) }

// SetStdout implements [tea.ExecCommand].
func (c *conversation) SetStdout(w io.Writer) { c.out = w }

// SetStderr implements [tea.ExecCommand].
func (c *conversation) SetStderr(io.Writer) {}

// Run implements [tea.ExecCommand]. The program's loop stands still meanwhile,
// so what is asked may look at the model.
func (c *conversation) Run() error { return c.run(c) }

// converse opens a conversation about the popup that has the keys, where the
// options ask for it.
func (m *model) converse(cmd tea.Cmd) tea.Cmd {
	p, ok := m.popup().(asked)
	if !ok || !m.options.Accessible || m.conversing || m.crash != nil {
		return cmd
	}
	if f, ok := p.(interface{ isBusy() bool }); ok && f.isBusy() {
		return cmd
	}
	m.conversing = true
	var then func(*model) tea.Cmd
	c := &conversation{ctx: m.ctx, run: func(c *conversation) (err error) {
		then, err = p.converse(m, c)
		return err
	}}
	return tea.Batch(cmd, m.leaveScreen(c, func(err error) tea.Msg {
		return applyMsg{func(m *model) tea.Cmd {
			m.conversing = false
			switch {
			case errors.Is(err, errLeft):
				m.dismiss(p)
				return nil
			case err != nil:
				m.dismiss(p)
				return m.fail("", core.AsError(err))
			}
			return then(m)
		}}
	}))
}

// say prints a line.
func (c *conversation) say(spans ...span) error {
	var text strings.Builder
	for _, s := range spans {
		text.WriteString(s.text)
	}
	_, err := fmt.Fprintln(c.out, strings.TrimRight(text.String(), " "))
	return err
}

func (c *conversation) sayAll(lines [][]span) error {
	for _, line := range lines {
		if err := c.say(line...); err != nil {
			return err
		}
	}
	return nil
}

// ask prints a question and reads a line. The end of the input leaves.
func (c *conversation) ask(question string) (string, error) {
	if _, err := fmt.Fprint(c.out, question); err != nil {
		return "", err
	}
	if c.lines == nil {
		c.lines = make(chan answer, 1)
	}
	// Reading cannot be called off; the end of the program does not wait for it.
	go func() {
		text, err := c.in.ReadString('\n')
		c.lines <- answer{text, err}
	}()
	select {
	case <-c.ctx.Done():
		return "", errLeft
	case a := <-c.lines:
		if errors.Is(a.err, io.EOF) {
			_, err := fmt.Fprintln(c.out)
			return "", errors.Join(errLeft, err)
		}
		return strings.TrimRight(a.text, "\r\n"), a.err
	}
}

// clearWord is what empties a field.
const clearWord = "-"

// text asks for a line; an empty answer keeps what is there.
func (c *conversation) text(label, value string) (string, error) {
	question := label
	if value != "" {
		question += " [" + display.Visible(value) + ", " + clearWord + " empties]"
	}
	text, err := c.ask(question + ": ")
	switch text {
	case "":
		return value, err
	case clearWord:
		if value != "" {
			return "", err
		}
	}
	return text, err
}

// endOfText ends a text of several lines.
const endOfText = "."

// paragraphs asks for a text of several lines.
func (c *conversation) paragraphs(label, value string) (string, error) {
	if value != "" {
		if err := c.say(span{label + ":", plainText}); err != nil {
			return "", err
		}
		for _, line := range strings.Split(value, "\n") {
			if err := c.say(data("  "+line, plainText)); err != nil {
				return "", err
			}
		}
		change, err := c.yes("Change it", false)
		if err != nil || !change {
			return value, err
		}
	}
	if err := c.say(span{label + ", a line with only " + endOfText + " ends it:", plainText}); err != nil {
		return "", err
	}
	var lines []string
	for {
		line, err := c.ask("> ")
		if err != nil {
			return "", err
		}
		if line == endOfText {
			return strings.Join(lines, "\n"), nil
		}
		lines = append(lines, line)
	}
}

// yes asks a question that is answered by yes or no.
func (c *conversation) yes(question string, otherwise bool) (bool, error) {
	hint := " [y/N]: "
	if otherwise {
		hint = " [Y/n]: "
	}
	for {
		text, err := c.ask(question + "?" + hint)
		if err != nil {
			return false, err
		}
		switch strings.ToLower(text) {
		case "":
			return otherwise, nil
		case "y", "yes":
			return true, nil
		case "n", "no":
			return false, nil
		}
	}
}

// choose asks for one of several things by number. An empty answer is the
// otherwise-th or, when that is -1, none.
func (c *conversation) choose(label string, options []string, otherwise int) (int, error) {
	for i, option := range options {
		if err := c.say(span{fmt.Sprintf("  %d. %s", i+1, option), plainText}); err != nil {
			return 0, err
		}
	}
	question := label
	if otherwise >= 0 {
		question += fmt.Sprintf(" [%d]", otherwise+1)
	}
	for {
		text, err := c.ask(question + ": ")
		if err != nil {
			return 0, err
		}
		if text == "" {
			return otherwise, nil
		}
		if n, err := strconv.Atoi(text); err == nil && n >= 1 && n <= len(options) {
			return n - 1, nil
		}
		if err := c.say(span{fmt.Sprintf("A number from 1 to %d is needed.", len(options)), plainText}); err != nil {
			return 0, err
		}
	}
}

// tasks searches for tasks until some are chosen; none when the search is
// left. Where many can be chosen it goes on until an empty answer.
func (c *conversation) tasks(m *model, label string, link core.LinkRequest, many bool) ([]core.Card, error) {
	var chosen []core.Card
	for {
		text, err := c.ask(label + ", words or the start of an id, empty for no more: ")
		if err != nil || strings.TrimSpace(text) == "" {
			return chosen, err
		}
		card, err := c.search(m, link, text)
		if err != nil {
			return nil, err
		}
		if card == nil {
			continue
		}
		chosen = append(chosen, *card)
		if !many {
			return chosen, nil
		}
	}
}

// spokenChoices is how many tasks a search reads out.
const spokenChoices = 9

// search reads out what a search finds, and asks which it is; nil for none.
func (c *conversation) search(m *model, link core.LinkRequest, text string) (*core.Card, error) {
	service := m.live.service
	if service == nil {
		return nil, c.say(span{"There is no store yet.", plainText})
	}
	link.Text, link.Limit = text, spokenChoices
	ctx, cancel := context.WithTimeout(c.ctx, readLimit)
	defer cancel()
	found, err := service.LinkChoices(ctx, link)
	if err != nil {
		return nil, c.say(data(core.AsError(err).Message, plainText))
	}
	if len(found.Choices) == 0 {
		return nil, c.say(span{"No match.", plainText})
	}
	options := make([]string, len(found.Choices))
	for i, choice := range found.Choices {
		options[i] = idOf(choice.Card) + " " + display.Visible(choice.Title) + ", " + stateOf(choice.Card).Word()
		if choice.Above {
			options[i] += ", " + partOf + ", usually done last"
		}
		if choice.Refusal != nil {
			options[i] += ", impossible: " + display.Visible(choice.Refusal.Message)
		}
	}
	if found.More {
		if err := c.say(span{"More match than these:", plainText}); err != nil {
			return nil, err
		}
	}
	at, err := c.choose("Which, empty to search again", options, -1)
	if err != nil || at < 0 {
		return nil, err
	}
	if choice := found.Choices[at]; choice.Refusal != nil {
		return nil, c.say(span{"That is impossible.", plainText})
	}
	return &found.Choices[at].Card, nil
}

// converse implements [asked].
func (f *form) converse(m *model, c *conversation) (func(*model) tea.Cmd, error) {
	if f.asking == askedDrop {
		key := "n"
		drop, err := c.yes("Throw away what you typed", false)
		if drop {
			key = "y"
		}
		return func(m *model) tea.Cmd { return f.answer(m, key) }, err
	}
	lines := [][]span{nil, f.title}
	lines = append(lines, f.intro...)
	if f.wrong != nil {
		lines = append(lines, []span{data(f.wrong.Message, plainText), {" (" + string(f.wrong.Code) + ")", plainText}})
	}
	lines = append(lines, []span{{"Ctrl+D leaves and changes nothing. An empty answer keeps what stands in brackets.", plainText}})
	if err := c.sayAll(lines); err != nil {
		return nil, err
	}
	for _, field := range f.fields {
		if err := field.converse(m, c); err != nil {
			return nil, err
		}
	}
	if f.live != nil {
		if err := c.sayAll(f.live(m, spokenWidth)); err != nil {
			return nil, err
		}
	}
	otherwise := max(f.focus-len(f.fields), 0)
	if f.yesNo && f.focus < len(f.fields) {
		otherwise = len(f.buttons) - 1 // a stray enter does no harm
	}
	at, err := c.choose("Then", f.buttons, otherwise)
	return func(m *model) tea.Cmd { return f.press(m, at) }, err
}

// spokenWidth is the width of lines that are laid out for the screen.
const spokenWidth = 76

// converse implements [asked].
func (p *picker) converse(m *model, c *conversation) (func(*model) tea.Cmd, error) {
	var label strings.Builder
	for _, s := range p.title {
		label.WriteString(s.text)
	}
	cards, err := c.tasks(m, strings.TrimSuffix(label.String(), m.glyphs.ellipsis), p.link, p.many)
	return func(m *model) tea.Cmd {
		p.loads.stop()
		m.dismiss(p)
		if len(cards) == 0 {
			return nil
		}
		return p.choose(m, cards)
	}, err
}

// converse implements [field].
func (f *textField) converse(_ *model, c *conversation) error {
	ask := c.text
	if f.rows > 1 {
		ask = c.paragraphs
	}
	label := f.label
	if f.after != "" && f.rows == 1 {
		label += ", " + f.after
	}
	text, err := ask(label, f.text())
	if err == nil && text != f.text() {
		f.setText(text)
	}
	return err
}

// converse implements [field].
func (f *choiceField) converse(m *model, c *conversation) error {
	options := make([]string, len(f.options))
	for i, option := range f.options {
		options[i] = option
		if f.beside != nil {
			options[i] += ", " + f.beside(m, i)
		}
	}
	at, err := c.choose(f.label, options, f.at)
	if err == nil {
		f.at = at
	}
	return err
}

// converse implements [field].
func (f *switchField) converse(_ *model, c *conversation) error {
	for i := range f.items {
		on, err := c.yes(f.label+" "+f.items[i].text, f.items[i].on)
		if err != nil {
			return err
		}
		f.items[i].on = on
	}
	return nil
}

// converse implements [field]. What cannot be changed is told.
func (f *fixedField) converse(m *model, c *conversation) error {
	spans := f.spans(m)
	if f.label == "" && len(spans) == 0 {
		return nil
	}
	return c.say(append([]span{{f.label + ": ", plainText}}, spans...)...)
}

// converse implements [field].
func (f *gateField) converse(m *model, c *conversation) error {
	if !f.shown() {
		return nil
	}
	if err := f.kind.converse(m, c); err != nil || !f.isTimer() {
		return err
	}
	text, err := c.text("Opens at, such as +2h, +3d or 2026-03-01T09:00", f.opens.text())
	if err == nil {
		f.opens.setText(text)
	}
	return err
}

// converse implements [field].
func (f *tasksField) converse(m *model, c *conversation) error {
	if len(f.cards) > 0 {
		names := make([]string, len(f.cards))
		for i, card := range f.cards {
			names[i] = idOf(card) + " " + display.Visible(card.Title)
		}
		keep, err := c.yes(f.label+" "+strings.Join(names, ", ")+": keep", true)
		if err != nil || keep {
			return err
		}
		f.cards, f.touched = nil, true
	}
	cards, err := c.tasks(m, f.label, core.LinkRequest{Agent: m.options.Agent}, !f.one)
	if len(cards) > 0 {
		f.cards, f.touched = cards, true
	}
	return err
}
