package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// level says how bad it is that a check has failed.
type level string

// The levels. What is merely worth knowing leaves the exit status alone.
const (
	levelInfo    level = "info"
	levelWarning level = "warning"
	levelError   level = "error"
)

// doctorResult is the answer of doctor.
type doctorResult struct {
	Path   string        `json:"path"`
	Schema *int64        `json:"schema"` // nil when it could not be read
	OK     bool          `json:"ok"`     // no warning and no error
	Fixed  []string      `json:"fixed"`  // checks that failed before --fix and pass now
	Checks []doctorCheck `json:"checks"`
}

// doctorCheck is one check.
type doctorCheck struct {
	Name   string  `json:"name"`
	Level  level   `json:"level"`
	OK     bool    `json:"ok"`
	Detail string  `json:"detail"`
	Remedy *string `json:"remedy"` // nil when nothing has to be done
}

// doctorName is the command's name.
const doctorName = "doctor"

// configurationCheck is the check of the configuration, the only one that is
// not of the store.
const configurationCheck = "configuration"

// restoreRemedy is what helps where what was there is gone.
const restoreRemedy = "Restore a backup of before: 'lithos backup list' names them. Save first what can still be read: 'lithos export --salvage'."

// doctorChecks are the levels and the remedies of the checks.
var doctorChecks = map[string]struct {
	level  level
	remedy string
}{
	"store":            {levelError, ""}, // by the reason
	"schema":           {levelError, ""}, // by the direction
	"structure":        {levelError, ""}, // by what is other
	"integrity":        {levelError, restoreRemedy},
	"foreign_keys":     {levelError, "Nothing can make anew what is missing. Restore a backup in which it is there ('lithos backup list'), or cancel the tasks that wait for it."},
	"orphan_rows":      {levelWarning, "The events stay in the journal. The tasks come back only with a backup in which they are there: 'lithos backup list'."},
	"duplicates":       {levelError, restoreRemedy},
	"values":           {levelError, "Tags and metadata that cannot be read count as empty; 'lithos task update' writes them anew. For the rest restore a backup ('lithos backup list'), or go on without these rows: 'lithos export --salvage' leaves them out, and 'lithos import' makes another store of it."},
	"readiness":        {levelError, ""},
	"cycles":           {levelWarning, "Delete one edge of each ring: 'lithos task edge delete'. 'lithos task why' shows them."},
	"edge_rules":       {levelWarning, "Delete the edges that are too many: 'lithos task edge list' shows them, 'lithos task edge delete' removes them."},
	"feed":             {levelError, restoreRemedy},
	"clock":            {levelWarning, "Set this machine's clock right, or that of the machine that wrote to the store. New times stay behind that one until it is past."},
	"notes":            {levelWarning, "If the folder was moved, or its disk is not mounted, bring it back or set storage.knowledge_dir. If the files are gone, restore a backup that has them ('lithos backup list'), or forget the notes: 'lithos note reindex'."},
	"note_files":       {levelInfo, "Mend or move them as you like; nothing else suffers. 'lithos note reindex' names all of them."},
	"note_index":       {levelWarning, "Make it anew: 'lithos note reindex'."},
	"expired_claims":   {levelInfo, "Nothing has to be done: they hold nobody back, and the next claim takes their place."},
	"log_size":         {levelInfo, "It is folded into the store when the last program that has it open ends: look for one that reads without end."},
	"rights":           {levelWarning, ""}, // names the files
	"leftovers":        {levelWarning, "They are of no more use and can be deleted."},
	"restore":          {levelError, ""}, // its commands
	"backups":          {levelInfo, "Take one: 'lithos backup take'."},
	configurationCheck: {levelWarning, "Correct the file, variable or flag; 'lithos config' prints each value and where it came from."},
}

// storeRemedies help where the store cannot be read, by the reason.
var storeRemedies = map[string]string{
	"missing":        "'lithos where' tells why it is looked for there. If there was one, 'lithos backup list' names its backups; if not, 'lithos init' makes one.",
	"permission":     "Give yourself the right to read and write the file and its folder.",
	"not_a_database": "Name the store with --db. If this was it, restore a backup: 'lithos backup list'. What is in the way and is the database of another program has to get another name first.",
	"corrupt":        "Restore a backup: 'lithos backup list'. If there is none, 'lithos export --salvage' saves what can still be read.",
	"full":           "Make room on the device, then repeat.",
	"io":             "Look at the device; once it answers again, repeat.",
	"replaced":       "End all programs that have the store open, servers and boards too, then repeat.",
}

func doctorCommand() *command {
	return &command{
		name: doctorName, summary: "look the store over, and repair what can be made anew",
		details: "Looks at the file and its indexes, at what refers to what, at values, readiness, rings, times,\n" +
			"claims, rights, leftovers and backups, and changes nothing. Others may use the store meanwhile.\n" +
			"Each check has a level: info is worth knowing, a warning or an error ends with status 8.\n" +
			"--fix makes anew what follows from the rest, and nothing else: what the indexes hold, what is ready,\n" +
			"and what the store knows of notes from their files.",
		flags:     []flag{{name: "fix", summary: "make anew what follows from the rest of the store"}},
		examples:  []string{"lithos doctor", "lithos doctor --json"},
		anyConfig: true, unbounded: true,
		run: runDoctor,
	}
}

// unwell ends a call whose result was printed and tells of something wrong.
type unwell struct{}

func (unwell) Error() string { return "something is wrong with the store" }

func runDoctor(c *call) error {
	if c.invalid != nil {
		return c.invalid
	}
	ctx, cancel := c.bounded()
	defer cancel()
	found, err := c.examine(ctx)
	if err != nil {
		return lazyStore{c.session}.timed(err)
	}
	fixed := []string{}
	if c.on("fix") && len(found.Repairable) > 0 {
		if err := c.writable(); err != nil {
			return err
		}
		names := found.Repairable
		notes, err := c.env.Repair(ctx, c.storeOptions(), names)
		if err == nil && notes {
			err = c.readNotesAnew(ctx)
		}
		if err != nil && !isUnusable(err) {
			return lazyStore{c.session}.timed(err)
		}
		if found, err = c.examine(ctx); err != nil {
			return lazyStore{c.session}.timed(err)
		}
		for _, name := range names {
			if !slices.ContainsFunc(found.Checks, func(e ExaminedCheck) bool { return e.Name == name && !e.OK }) {
				fixed = append(fixed, string(name))
			}
		}
	}
	result := c.diagnose(found, fixed)
	if err := c.show(result, func(p *page) { p.diagnosis(result) }); err != nil {
		return err
	}
	if !result.OK {
		return unwell{}
	}
	return nil
}

// readNotesAnew fills the index of the notes from their files, if these are
// there: notes whose folder is away for a while are not to be forgotten.
func (c *call) readNotesAnew(ctx context.Context) error {
	if _, err := os.Stat(c.session.knowledge()); err != nil {
		c.say("lithos: The index of the notes is empty now, and their folder cannot be read; once it can, 'lithos note reindex' fills it.")
		return nil
	}
	_, err := c.session.service().NoteReindex(ctx, core.ReindexRequest{})
	return errors.Join(err, c.session.Close()) // the file is looked at past the engine next
}

// isUnusable reports whether an error tells that the store cannot be used,
// which the next examination says better.
func isUnusable(err error) bool {
	return core.Describe(core.AsError(err).Code).Category == core.CategoryStore
}

// examine looks the store over, with a bar on a terminal.
func (c *call) examine(ctx context.Context) (Examination, error) {
	backups, err := c.backupFolder("")
	if err != nil {
		return Examination{}, err
	}
	bar := c.progress("Examining")
	defer bar.end()
	return c.env.Examine(ctx, ExamineOptions{
		Path: c.session.place.path, Now: c.now(), Backups: backups, Notes: c.session.knowledge(), Folder: c.env.OpenFolder(c.session.knowledge), Temporary: c.env.TempDir, Progress: bar.tell,
	})
}

// diagnose puts levels and remedies to what was found.
func (c *call) diagnose(found Examination, fixed []string) doctorResult {
	result := doctorResult{Path: c.session.place.path, OK: true, Fixed: fixed, Checks: []doctorCheck{}}
	if found.Schema > 0 {
		result.Schema = &found.Schema
	}
	add := func(e ExaminedCheck) {
		known := doctorChecks[string(e.Name)]
		check := doctorCheck{Name: string(e.Name), Level: known.level, OK: e.OK, Detail: e.Detail}
		if !e.OK {
			remedy := c.remedyOf(e, found)
			check.Remedy = &remedy
			result.OK = result.OK && known.level == levelInfo
		}
		result.Checks = append(result.Checks, check)
	}
	for _, e := range found.Checks {
		add(e)
	}
	config := ExaminedCheck{Name: configurationCheck, OK: true, Detail: "The configuration can be read."}
	if c.badConfig != nil {
		config.OK, config.Detail = false, core.AsError(c.badConfig).Message
	}
	add(config)
	return result
}

// remedyOf says what helps against what a check has found.
func (c *call) remedyOf(e ExaminedCheck, found Examination) string {
	switch {
	case slices.Contains(found.Repairable, e.Name):
		return "It can be made anew: 'lithos doctor --fix'."
	case e.Untold:
		return "Mend first what keeps it from being told."
	case e.Name == "store" && e.Salvageable && e.Reason == "not_a_database":
		return "Save first what can still be read: 'lithos export --salvage'. Then restore a backup: 'lithos backup list'; the file as it is is kept among the backups."
	case e.Name == "store":
		return cmp.Or(storeRemedies[e.Reason], storeRemedies["corrupt"])
	case e.Name == "schema" && found.Schema < int64(c.env.Schema) && isSpoilt(found):
		return "It cannot be migrated before what is wrong with it is mended."
	case e.Name == "foreign_keys" && found.Schema < int64(c.env.Schema):
		return "Restore a backup of before ('lithos backup list'), or go on without these rows: 'lithos export --salvage' leaves them out, and 'lithos import' makes another store of it."
	case e.Name == "schema" && found.Schema < int64(c.env.Schema):
		return "Bring it up to date: 'lithos migrate' takes a backup first."
	case e.Name == "schema":
		return "Update lithos."
	case e.Name == "backups" && (found.Schema == 0 || found.Failed("integrity")): // none can be taken
		return "One may lie in another folder or on another disk."
	case e.Name == "backups" && e.Shut:
		return "Give yourself the right to read and write that folder, or name another: --to DIR of 'lithos backup take', or backup.dir in the configuration."
	case e.Name == "backups" && c.session.config.values["backup.dir"].origin != originDefault:
		return fmt.Sprintf("Take one: 'lithos backup take' puts it into '%s', which backup.dir names; --to DIR puts it elsewhere.", c.session.config.text("backup.dir"))
	case e.Name == "restore":
		return "Finish or undo it: " + strings.Join(e.Commands, " or ")
	case e.Name == "structure" && e.Lacks:
		return restoreRemedy
	case e.Name == "structure":
		return "Something else has changed them. 'lithos export --salvage' saves what lithos knows, and 'lithos import' makes another store of it."
	case e.Name == "rights":
		return "Give them the rights they are made with: " + c.ownRights()
	}
	return doctorChecks[string(e.Name)].remedy
}

// isSpoilt reports whether a store holds what migrating refuses.
func isSpoilt(found Examination) bool {
	return found.Failed("structure") || found.Failed("integrity") || found.Failed("foreign_keys")
}

// ownRights are the commands that give the files of the store the rights they
// are made with. Files of others beside it are only in the way.
func (c *call) ownRights() string {
	path := c.session.place.path
	others := othersBeside(path)
	command := "chmod 600 " + display.ShellWord(path)
	for _, suffix := range []string{"-wal", "-shm"} {
		file := realPath(path) + suffix
		if _, err := os.Stat(file); err == nil && !slices.Contains(others, file) {
			command += " " + display.ShellWord(file)
		}
	}
	if folder := filepath.Dir(path); filepath.Base(folder) == storeFolder {
		command += "; chmod 700 " + display.ShellWord(folder)
	}
	for i, file := range others {
		if i == 0 {
			command += "; once nobody has the store open, rm"
		}
		command += " " + display.ShellWord(file)
	}
	return command
}

// diagnosis writes what doctor has found: what is wrong last and in full, so
// that it is what a person sees.
func (p *page) diagnosis(r doctorResult) {
	if !p.terminal {
		for _, check := range r.Checks {
			state := string(check.Level)
			if check.OK {
				state = "ok"
			}
			p.fields(check.Name, state, fmt.Sprint(check.OK), check.Detail, wordOr(check.Remedy, ""))
		}
		return
	}
	p.line("%s", p.look(bold, display.Visible(r.Path)))
	width := 0
	for _, check := range r.Checks {
		width = max(width, display.Width(check.Name))
	}
	worst := 0
	for _, check := range r.Checks {
		mark := p.look(green, p.sign("✓", "+"))
		if !check.OK {
			switch check.Level {
			case levelError:
				mark, worst = p.look(red, p.sign("✗", "x")), worst+1
			case levelWarning:
				mark, worst = p.look(yellow, "!"), worst+1
			default:
				mark = p.look(blue, p.sign("·", "."))
			}
		}
		p.line("%s", hanging(mark+" "+p.look(bold, display.Pad(check.Name, width))+"  "+display.Visible(withDates(check.Detail)), width+4, p.width))
		if check.Remedy != nil {
			p.line("%s", hanging(strings.Repeat(" ", width+4)+display.Visible(*check.Remedy), width+4, p.width))
		}
	}
	if len(r.Fixed) > 0 {
		p.line("Made anew: %s.", strings.Join(r.Fixed, ", "))
	}
	switch {
	case r.OK:
		p.line("%s", p.look(green, "The store is well."))
	case worst == 1:
		p.line("%s", p.look(red, "1 check found something wrong."))
	default:
		p.line("%s", p.look(red, fmt.Sprintf("%d checks found something wrong.", worst)))
	}
}

// stamps finds times in the form that other programs read.
var stamps = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:\+00:00|Z)`)
})

// withDates writes the times in a text for people.
func withDates(text string) string {
	return stamps().ReplaceAllStringFunc(text, func(found string) string {
		at, err := core.ParseStamp(found)
		if err != nil {
			return found
		}
		return display.When(at)
	})
}

// commands finds the commands in a text.
var commands = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`'lithos [^']*'|lithos backup restore --(?:finish|undo) --db \S+`)
})

// hanging wraps a line, but none of the commands in it that fits a line, so
// that they can be copied.
func hanging(line string, hang, width int) string {
	const noBreak = "\u00a0"
	whole := commands().ReplaceAllStringFunc(line, func(command string) string {
		if display.Width(command) > width-hang {
			return command
		}
		return strings.ReplaceAll(command, " ", noBreak)
	})
	return strings.ReplaceAll(display.Hanging(whole, hang, width), noBreak, " ")
}
