package cli

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"

	"dev.lithos/cli/exchange"
	"dev.lithos/core"
	"dev.lithos/core/display"
)

func importCommand() *command {
	return &command{
		name: "import", summary: "take tasks over from a file",
		details: "The format is recognised by the content: lithos (what 'lithos export' writes), beads (issues, one\n" +
			"JSON object a line), taskwarrior (its JSON export) or lithos-server (the coordination.db of the\n" +
			"original server). All or nothing: stopped by ctrl-c it has changed nothing. Importing a file again\n" +
			"changes nothing. Tasks that are newer here than in the file are kept. What cannot come over is\n" +
			"listed with its line. FILE - reads standard input.",
		arguments: []argument{{name: "FILE", parameter: "file", completes: fileNames}},
		flags: []flag{
			{name: "format", value: "FORMAT", words: exchange.ImportFormats(), summary: "the format, instead of recognising it"},
			dryRunFlag,
			{name: "skip-bad-lines", summary: "leave out lines that cannot be read instead of refusing the file"},
			{
				name: "on-conflict", value: "RULE", words: words(core.ConflictRules), fallback: string(core.ConflictKeep),
				summary: "what is newer here: keep it, or overwrite it with the file's",
			},
		},
		examples:  []string{"lithos export | lithos import - --dry-run"},
		unbounded: true,
		run:       runImport,
	}
}

// importGarbage is how much garbage an import may leave lying around, in
// percent of what it holds. It holds a table of all tasks of the file, which with
// the usual hundred percent would take twice its room.
const importGarbage = 50

func runImport(c *call) (err error) {
	defer debug.SetGCPercent(debug.SetGCPercent(importGarbage))
	request := core.ImportRequest{
		Agent: c.agent(), OnConflict: core.ConflictRule(wordOr(c.word("on-conflict"), "")),
		DryRun: c.on("dry-run"), SkipBadLines: c.on("skip-bad-lines"),
	}
	name, format := c.argument(0), wordOr(c.word("format"), "")
	if c.invalid != nil {
		return c.invalid
	}
	ctx, cancel := c.bounded()
	defer cancel()
	path := name
	if name != exchange.StandardInput {
		path = c.env.absolute(name)
	}
	file, err := exchange.Open(path, format, exchange.Sources{Stdin: c.env.Stdin, OpenTables: c.env.OpenTables, Files: c.env.Files})
	if temporary := new(exchange.TemporaryError); errors.As(err, &temporary) {
		return unkept(temporary.Cause)
	}
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := file.Close(); closeErr != nil && err == nil {
			err = fmt.Errorf("close the file that was imported: %w", closeErr)
		}
	}()
	bar := c.progress("Importing")
	defer bar.end()
	request.Source = &shownSource{ImportSource: file, bar: bar}
	// Before the store is opened, which makes one where there is none: a file
	// that is refused leaves nothing behind.
	if err := request.Survey(ctx); err != nil {
		return lazyStore{c.session}.timed(err)
	}
	if request.DryRun { // it must not keep anybody from writing, nor wait for one
		forget, err := c.rehearse(ctx)
		if err != nil {
			return err
		}
		defer forget()
	}
	c.session.creates = true
	isNew := !c.session.place.exists()
	report, err := c.session.service().Import(ctx, request)
	bar.end()
	if err != nil {
		return err
	}
	if err := c.show(report, func(p *page) { p.importReport(report) }); err != nil {
		return err
	}
	if isNew && !request.DryRun && c.session.place.rule == ruleDataHome {
		c.hint("That store serves every folder without one of its own; 'lithos init' first gives this one its own.")
	}
	return nil
}

// shownSource shows how far the readings of a source are: the first tells how
// many tasks there are, the second how many of them are written.
type shownSource struct {
	core.ImportSource
	bar   *progress
	tasks int64 // of the first reading
}

// shownEvery is after how many tasks the bar is told.
const shownEvery = 512

// Judge implements [core.JudgedSource].
func (s *shownSource) Judge(ctx context.Context, yield func(*core.TransferRecord) error) error {
	s.tasks = 0
	read := s.ImportSource.Each
	if judged, ok := s.ImportSource.(core.JudgedSource); ok {
		read = judged.Judge
	}
	return read(ctx, s.counting("reading", &s.tasks, 0, yield))
}

// Each implements [core.ImportSource].
func (s *shownSource) Each(ctx context.Context, yield func(*core.TransferRecord) error) error {
	var written int64
	return s.ImportSource.Each(ctx, s.counting("writing", &written, s.tasks, yield))
}

func (s *shownSource) counting(phase string, done *int64, total int64, yield func(*core.TransferRecord) error) func(*core.TransferRecord) error {
	return func(r *core.TransferRecord) error {
		if r.Kind == core.TransferTask {
			if *done++; *done%shownEvery == 0 {
				s.bar.tell(phase, *done, total)
			}
		}
		return yield(r)
	}
}

func wordOr(given *string, otherwise string) string {
	if given == nil {
		return otherwise
	}
	return *given
}

// bounded is the context of the call within its time limit, if it has one.
func (c *call) bounded() (context.Context, context.CancelFunc) {
	if c.session.timeout > 0 {
		return core.WithTimeLimit(c.ctx, c.session.timeout)
	}
	return context.WithCancel(c.ctx)
}

// rehearse puts another store in the place of the one that must not be made or
// changed: an empty one, or a copy. forget removes it.
func (c *call) rehearse(ctx context.Context) (forget func(), err error) {
	there := c.session.place.exists()
	if there { // whether it can be read is told of it, not of its copy
		if err := (lazyStore{c.session}).Read(ctx, func(core.ReadTx) error { return nil }); err != nil {
			return nil, err
		}
	}
	disk := c.env.Files
	dir, err := disk.MakeTemporaryFolder("lithos-rehearsal-*")
	if err != nil {
		return nil, unkept(err)
	}
	forget = func() {
		if err := c.session.Close(); err != nil {
			c.session.log.Warn("the store of the rehearsal was not closed cleanly", "error", err)
		}
		if err := disk.RemoveAll(dir); err != nil {
			c.session.log.Warn("the store of the rehearsal was not removed", "error", err)
		}
	}
	path := filepath.Join(dir, "lithos.db")
	if there {
		copied, err := c.env.TakeBackup(ctx, BackupOptions{Path: c.session.place.path, Folder: dir, Now: c.env.Now(), Files: disk})
		if err == nil {
			err = c.session.Close() // the next use opens the copy
		}
		if err != nil {
			forget()
			return nil, err
		}
		path = copied.Path
	}
	c.session.place = location{path: path, rule: c.session.place.rule}
	c.session.readOnly = false
	c.session.notice = func(string) {}
	return forget, nil
}

// counted is a number with its noun.
func counted(n int, noun string) string {
	if n != 1 {
		noun += "s"
	}
	return fmt.Sprintf("%d %s", n, noun)
}

// maxShownProblems is how many problems of an import a terminal shows.
const maxShownProblems = 20

// importReport writes the report of an import.
func (p *page) importReport(r core.ImportReport) {
	if !p.terminal {
		for _, n := range []struct {
			name  string
			count int
		}{
			{"read", r.Read}, {"created", r.Created}, {"updated", r.Updated}, {"unchanged", r.Unchanged},
			{"skipped", r.Skipped}, {"edges", r.Edges},
		} {
			p.fields(n.name, fmt.Sprint(n.count))
		}
		for _, problem := range r.Problems {
			p.fields("problem", fmt.Sprint(problem.Line), wordOr(problem.ID, ""), problem.Reason)
		}
		return
	}
	said := fmt.Sprintf("Read %s as %s", counted(r.Read, "task"), r.Format)
	for _, n := range []struct {
		count int
		what  string
	}{{r.Created, "created"}, {r.Updated, "updated"}, {r.Unchanged, "unchanged"}, {r.Skipped, "skipped"}} {
		if n.count > 0 {
			said += fmt.Sprintf(", %d %s", n.count, n.what)
		}
	}
	p.line("%s; %s.", said, counted(r.Edges, "edge"))
	for i, problem := range r.Problems {
		if i == maxShownProblems {
			p.line("  … and %d more; --json lists them all.", len(r.Problems)-i)
			break
		}
		where := fmt.Sprintf("line %d", problem.Line)
		if problem.ID != nil {
			where += ", " + display.Visible(*problem.ID)
		}
		p.line("  %s: %s", where, display.Visible(problem.Reason))
	}
	if r.DryRun {
		p.line("Nothing was written.")
	}
}
