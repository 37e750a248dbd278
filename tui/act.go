package tui

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	tea "github.com/charmbracelet/bubbletea"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// done is what a write came to.
type done struct {
	text    string   // what to say
	command string   // the command line that does the same
	undo    *undoing // nil: the action takes another back
	follow  string   // id of the task to put the cursor on where it is now
	back    bool     // also where that is the column with the keys
	then    func(*model) tea.Cmd
}

// act runs a write beside the loop, within the limit of writes. The store is
// made at the first write where there is none. failed takes a refusal; nil:
// it is shown in the line of messages. Nothing typed is lost by one.
//
// Keys that act wait until it is done and shown; those typed ahead of a refusal
// are dropped, since they were meant for what would have come of it.
func (m *model) act(operation string, write func(context.Context, *core.Service) (done, error), failed func(*model, *core.Error) tea.Cmd) tea.Cmd {
	service := m.live.service
	m.ahead.writes++
	m.news.actBegins()
	return m.work(func() func(*model) tea.Cmd {
		ctx, cancel := context.WithTimeout(m.ctx, writeLimit)
		defer cancel()
		made := service == nil
		var store interface{ Close() error }
		var err error
		if made {
			service, store, err = m.options.Open(ctx, true)
		}
		var result done
		var before, after int64
		if err == nil {
			before, err = service.FeedEnd(ctx)
		}
		if err == nil {
			result, err = write(ctx, service)
			if end, endErr := service.FeedEnd(ctx); endErr == nil {
				after = end // otherwise the write is taken for somebody else's
			}
		}
		return func(m *model) tea.Cmd {
			m.ahead.writes--
			cmds := []tea.Cmd{m.news.actEnds(m, before, after)}
			if made && store != nil && m.live.service == nil {
				cmds = append(cmds, m.connect(false))
			}
			if err != nil {
				e := core.AsError(err)
				m.ahead.drop()
				if failed != nil {
					return tea.Batch(append(cmds, failed(m, e))...)
				}
				if e.Code == core.CodeDatabaseBusy && !m.isTyping() {
					m.ask(&busyPopup{err: e, retry: func(m *model) tea.Cmd { return m.act(operation, write, failed) }})
					return tea.Batch(cmds...)
				}
				return tea.Batch(append(cmds, m.fail(operation, e))...)
			}
			return tea.Batch(append(cmds, m.acted(result))...)
		}
	})
}

// acted takes over what a write came to.
func (m *model) acted(d done) tea.Cmd {
	if d.command != "" {
		m.command = d.command
	}
	m.remember(d.undo, d.follow)
	m.ahead.acts++
	if m.marked() > 0 {
		clear(m.marks)
	}
	if d.follow != "" {
		m.board.follow(d.follow)
		if d.back {
			m.board.pane().lead = d.follow
		}
		if t, ok := m.screen().(*tree); ok {
			t.goTo(d.follow)
		}
	}
	told := m.addMessage(message{kind: messageDone, text: display.Visible(d.text), undo: d.undo})
	m.board.told = m.notes.turn
	cmds := []tea.Cmd{told, m.changed()}
	if d.then != nil {
		cmds = append(cmds, d.then(m))
	}
	return tea.Batch(cmds...)
}

// step is one operation on one task, by itself or as one of several.
type step struct {
	word    string // in task_apply
	request any
	run     func(context.Context, *core.Service) (any, error)
}

// stepOf makes a step of an operation and its request.
func stepOf[In, Out any](word string, op core.Op[In, Out], request In) step {
	return step{word, request, func(ctx context.Context, s *core.Service) (any, error) { return op.Run(ctx, s, request) }}
}

// outcome is what the UI reads of the results of writes.
type outcome struct {
	TaskID    string     `json:"task_id"`
	Title     string     `json:"title"`
	Version   int        `json:"version"`
	Unblocked []string   `json:"unblocked"`
	Stranded  []string   `json:"stranded"`
	Reblocked []string   `json:"reblocked"`
	ExpiresAt core.Stamp `json:"expires_at"`
	RenewedTo core.Stamp `json:"new_expires_at"`
}

// perform runs steps: one as the operation itself, several as one task_apply,
// all or nothing.
func perform(ctx context.Context, s *core.Service, agent string, steps []step) ([]outcome, error) {
	if len(steps) == 1 {
		result, err := steps[0].run(ctx, s)
		if err != nil {
			return nil, err
		}
		text, err := core.EncodeJSON(result)
		if err != nil {
			return nil, err
		}
		var o outcome
		err = json.Unmarshal(text, &o)
		return []outcome{o}, err
	}
	req := core.TaskApplyRequest{Agent: &agent}
	for _, step := range steps {
		arguments := core.EncodeArguments(step.request)
		operation := append([]byte(`{"op":`), core.AppendJSONString(nil, step.word)...)
		if len(arguments) > 2 {
			operation = append(operation, ',')
		}
		req.Operations = append(req.Operations, append(operation, arguments[1:]...))
	}
	result, err := s.TaskApply(ctx, req)
	if err != nil {
		return nil, err
	}
	outcomes := make([]outcome, len(result.Results))
	for i, text := range result.Results {
		if err := json.Unmarshal(text, &outcomes[i]); err != nil {
			return nil, err
		}
	}
	return outcomes, nil
}

// namesOf are the short ids of tasks, at most a few and how many more. A name
// that cannot be found out does not fail the write that has been done: then
// the beginning of the id stands for it.
func namesOf(ctx context.Context, s *core.Service, ids []string) string {
	const most = 4
	shown := ids[:min(len(ids), most)]
	short, err := s.ShortIDs(ctx, shown)
	if err != nil {
		short = make([]string, len(shown))
		for i, id := range shown {
			short[i] = shortOf(id)
		}
	}
	for i, id := range shown {
		short[i] = shortest(short[i], id)
	}
	text := strings.Join(short, ", ")
	if more := len(ids) - len(shown); more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// subject names the tasks of an action: one by its id, several by number.
func subject(cards []core.Card) string {
	if len(cards) == 1 {
		return idOf(cards[0])
	}
	return plural(len(cards), "task")
}

// isAre agrees with a number.
func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

// busyPopup says that a write could not be done for want of the lock, and
// offers to try again. Reading goes on.
type busyPopup struct {
	err   *core.Error
	retry func(*model) tea.Cmd
}

func (p *busyPopup) draw(m *model, c *canvas, screen rect) {
	n := notice{
		title: "Cannot save",
		text: []string{
			"Another process holds the write lock. Reading still works; nothing was lost.", "",
			m.options.StorePath, string(p.err.Code),
		},
		keys: [][2]string{{"r", "retry"}, {"esc", "keep looking"}, {"q", "quit"}},
	}
	n.draw(m, c, screen)
}

func (p *busyPopup) key(m *model, k tea.KeyMsg) tea.Cmd {
	switch k.String() {
	case "r", "enter":
		m.dismiss(p)
		return p.retry(m)
	case "esc":
		m.dismiss(p)
		return m.fail("", p.err)
	case "q":
		return tea.Quit
	}
	return nil
}

func (p *busyPopup) click(*model, int, int) tea.Cmd { return nil }

func (p *busyPopup) wheel(*model, int) {}

// codeOf is the code of an error of the contract, "" for others.
func codeOf(err error) core.Code {
	var e *core.Error
	if errors.As(err, &e) {
		return e.Code
	}
	return ""
}
