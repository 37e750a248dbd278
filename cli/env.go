package cli

import (
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"os/user"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/adrg/xdg"
	"github.com/charmbracelet/x/term"
	"github.com/mattn/go-isatty"
	"golang.org/x/sys/unix"

	"dev.lithos/cli/exchange"
	"dev.lithos/core"
	"dev.lithos/store"
	"dev.lithos/store/files"
	"dev.lithos/store/knowledge"
	"dev.lithos/tui"
	_ "dev.lithos/tui/quiet" // keeps the UI library from asking the terminal questions
)

// Env is the world around one call: streams, environment, clock and the
// rooms that only this file may know.
type Env struct {
	Stdin            io.Reader
	Stdout, Stderr   io.Writer
	StdinIsTerminal  bool
	StdoutIsTerminal bool
	StderrIsTerminal bool
	// Size is the terminal's width and height in cells; zeros when unknown.
	Size func() (width, height int)
	// Unread reports whether whoever read standard output has gone, which a
	// write would show only when there is something to write. Nil: it cannot
	// be told.
	Unread func() bool
	// LookupEnv reads an environment variable.
	LookupEnv func(name string) (value string, found bool)
	// Environ lists the environment as name=value.
	Environ func() []string
	// Dir is the working directory.
	Dir string
	// ConfigHome, DataHome and StateHome are the user's folders for
	// configuration, data and what is neither ($XDG_CONFIG_HOME and so on).
	ConfigHome, DataHome, StateHome string
	// TempDir is the folder for temporary files.
	TempDir string
	// LoginName is the name of the user who runs the program.
	LoginName func() string
	// Now is the clock.
	Now func() time.Time
	// Signals delivers the signals that end the program; stop ends delivery.
	// Nil: signals are left alone.
	Signals func() (ended <-chan os.Signal, stop func())
	// EngineVersion and Schema are the versions of SQLite and of the schema
	// this program writes.
	EngineVersion string
	Schema        int
	// OpenStore opens the store's engine.
	OpenStore func(ctx context.Context, o StoreOptions) (Store, error)
	// Examine looks a store over and changes nothing; Repair makes anew what
	// the named checks have found wrong and can be made anew.
	Examine func(ctx context.Context, o ExamineOptions) (Examination, error)
	Repair  func(ctx context.Context, o StoreOptions, checks []CheckName) (notes bool, err error)
	// Salvage reads what is left of a store that is damaged.
	Salvage func(ctx context.Context, o SalvageOptions, yield func(*core.TransferRecord) error) ([]Salvaged, error)
	// Migrate brings a store up to date, after a backup.
	Migrate func(ctx context.Context, o MigrateOptions) (Migration, error)
	// Files is how files are written; the zero value is the file system.
	Files files.Disk
	// BackupFolder is the folder of the backups of a store, of a folder that
	// is configured.
	BackupFolder func(store, configured string) (string, error)
	// TakeBackup, VerifyBackup, ListBackups and RestoreBackup keep the store
	// safe; FinishRestore and UndoRestore take up a restore that was
	// interrupted.
	TakeBackup    func(context.Context, BackupOptions) (Backup, error)
	VerifyBackup  func(context.Context, VerifyOptions) (Backup, error)
	ListBackups   func(folder string) ([]Backup, []BackupProblem, error)
	RestoreBackup func(context.Context, RestoreOptions) (Restored, error)
	FinishRestore func(ctx context.Context, store string, disk files.Disk) (Restored, error)
	UndoRestore   func(ctx context.Context, store string, disk files.Disk) (Restored, error)
	// OpenFolder is the folder of notes at a place that is asked for when it is
	// needed.
	OpenFolder func(place func() string) core.NoteFolder
	// Edit lets the person edit a file with a command, and waits.
	Edit func(ctx context.Context, command, path string) error
	// OpenTables opens the database of another program, to import it.
	OpenTables func(path string) (exchange.Tables, error)
	// RunTUI runs the board until the person leaves it. Nil: there is none,
	// and the list of ready tasks takes its place.
	RunTUI func(ctx context.Context, o TUIOptions) error
}

// What the commands of backups speak of.
type (
	Backup         = store.Backup
	BackupOptions  = store.BackupOptions
	BackupProblem  = store.BackupProblem
	VerifyOptions  = store.VerifyOptions
	RestoreOptions = store.RestoreOptions
	Restored       = store.Restored

	Examination    = store.Examination
	ExamineOptions = store.ExamineOptions
	ExaminedCheck  = store.Check
	CheckName      = store.CheckName
	Migration      = store.Migration

	Salvaged       = store.Salvaged
	SalvageOptions = store.SalvageOptions
)

// isUnfinished reports whether a restore of the store at a path was
// interrupted.
var isUnfinished = store.RestoreIsUnfinished

// realPath is where the file of a store really lies, over links.
var realPath = store.RealPath

// countRows counts the rows of each table of a store.
var countRows = store.CountRows

// othersBeside are the files beside a store that its owner cannot write.
var othersBeside = store.OthersBeside

// reasonOf is the reason of store_unavailable that an error of the file system
// stands for; false when it is no such error.
var reasonOf = store.ReasonOf

// Store is an open store.
type Store interface {
	core.Store
	// Created reports whether opening it made it.
	Created() bool
	// SetAside are the paths of logs of a store that was gone, which were given
	// names of their own when this one was made.
	SetAside() []string
	Close() error
}

// StoreOptions says which store to open and how.
type StoreOptions struct {
	Path        string // absolute
	Create      bool   // make it when it is not there
	ReadOnly    bool
	Synchronous string // full or normal
	LongLived   bool   // it stays open for long: the last one folds the log, even if it only read
}

// Draft is what was typed into a form of the board.
type (
	Draft      = tui.Draft
	DraftField = tui.DraftField
)

// TUIOptions is what the board is started with.
type TUIOptions struct {
	// Open opens the store; without create a missing one is an error.
	Open func(ctx context.Context, create bool) (*core.Service, io.Closer, error)

	StorePath    string
	Name         string // what the board calls the store
	Agent        string
	AgentSource  string // where the agent's name is from
	Theme        string // name; empty: the default
	ThemeDir     string // folder of the user's own themes
	Mouse        bool
	ASCII        bool
	NoColor      bool
	Accessible   bool // nothing moves by itself
	ReadOnly     bool
	Keys         map[string][]string           // action to keys
	Filters      map[string]string             // name to filter
	SaveFilter   func(name, text string) error // keeps a filter for the next time
	DropFilter   func(name string) error       // forgets one
	FilterPath   string                        // where filters are kept
	Editor       string                        // command that edits texts
	NewText      func(string) (string, error)  // makes the file that it is given
	Drafts       []Draft                       // what was typed when the board was ended from outside
	KeepDraft    func(Draft)                   // keeps another for the next time, and says where
	DropDraft    func(path string) error       // removes one
	ClaimMinutes int
}

// variable reads an environment variable; the empty name is never set.
func (e *Env) variable(name string) (string, bool) {
	if name == "" {
		return "", false
	}
	return e.LookupEnv(name)
}

// absolute resolves a path that may be relative to the working directory.
func (e *Env) absolute(path string) string { return from(e.Dir, filepath.Clean(path)) }

// width is the width of the terminal in cells.
func (e *Env) width() int {
	if width, _ := e.Size(); width > 0 {
		return width
	}
	return 80
}

// SystemEnv is the world of the process.
func SystemEnv() Env {
	dir, err := os.Getwd()
	if err != nil {
		dir = "." // it was deleted; paths that are absolute still work
	}
	return Env{
		Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr,
		StdinIsTerminal:  isatty.IsTerminal(os.Stdin.Fd()),
		StdoutIsTerminal: isatty.IsTerminal(os.Stdout.Fd()),
		StderrIsTerminal: isatty.IsTerminal(os.Stderr.Fd()),
		Size:             terminalSize,
		Unread:           unread,
		LookupEnv:        os.LookupEnv,
		Environ:          os.Environ,
		Dir:              dir,
		ConfigHome:       xdg.ConfigHome,
		DataHome:         xdg.DataHome,
		StateHome:        xdg.StateHome,
		TempDir:          os.TempDir(),
		LoginName:        loginName,
		Now:              clock,
		Signals:          endingSignals,
		EngineVersion:    store.EngineVersion(),
		Schema:           store.SchemaVersion,
		OpenStore:        openStore,
		Examine:          store.Examine,
		Repair:           repair,
		Salvage:          store.Salvage,
		Migrate:          migrate,
		OpenFolder:       openFolder,
		Edit:             edit,
		RunTUI:           runTUI,
		BackupFolder:     store.BackupFolder,
		TakeBackup:       store.TakeBackup,
		VerifyBackup:     store.VerifyBackup,
		ListBackups: func(folder string) ([]Backup, []BackupProblem, error) {
			return store.ListBackups(files.Disk{}, folder)
		},
		RestoreBackup: store.RestoreBackup,
		FinishRestore: store.FinishRestore,
		UndoRestore:   store.UndoRestore,
		OpenTables:    func(path string) (exchange.Tables, error) { return store.OpenForeign(path) },
	}
}

// runTUI runs the board and tells its ends in the words of this package.
func runTUI(ctx context.Context, o TUIOptions) error {
	err := tui.Run(ctx, tui.Options{
		Open: o.Open, StorePath: o.StorePath, Name: o.Name, Version: Version, Agent: o.Agent, AgentSource: o.AgentSource,
		Theme: o.Theme, ThemeDir: o.ThemeDir, Mouse: o.Mouse, ASCII: o.ASCII, NoColor: o.NoColor, Accessible: o.Accessible,
		ReadOnly: o.ReadOnly, Keys: o.Keys, Filters: o.Filters, SaveFilter: o.SaveFilter, DropFilter: o.DropFilter, FilterPath: o.FilterPath, Editor: o.Editor, NewText: o.NewText, ClaimMinutes: o.ClaimMinutes,
		Drafts: o.Drafts, KeepDraft: o.KeepDraft, DropDraft: o.DropDraft,
	})
	var crash *tui.Crash
	var ended *tui.Signalled
	switch {
	case errors.As(err, &crash):
		return &panicked{crash.Value, crash.Stack}
	case errors.As(err, &ended):
		return &signalled{ended.Signal}
	}
	return err
}

// openStore opens the SQLite store.
func openStore(ctx context.Context, o StoreOptions) (Store, error) {
	return store.Open(ctx, o.forStore())
}

// forStore are the options in the words of the store.
func (o StoreOptions) forStore() store.Options {
	synchronous := store.Full
	if o.Synchronous == "normal" {
		synchronous = store.Normal
	}
	return store.Options{Path: o.Path, Create: o.Create, ReadOnly: o.ReadOnly, Synchronous: synchronous, LongLived: o.LongLived}
}

// repair makes anew what can be, and tells whether the notes have to be read
// anew.
func repair(ctx context.Context, o StoreOptions, checks []CheckName) (notes bool, err error) {
	return store.Repair(ctx, o.forStore(), checks)
}

// migrate brings the SQLite store up to date.
func migrate(ctx context.Context, o MigrateOptions) (Migration, error) {
	return store.Migrate(ctx, store.MigrateOptions{
		Path: o.Store.Path, Synchronous: o.Store.forStore().Synchronous, Progress: o.Progress,
		Backup: func(ctx context.Context) (string, error) {
			taken, err := store.TakeBackup(ctx, store.BackupOptions{Path: o.Store.Path, Folder: o.Backups, Notes: o.Notes, Now: o.Now.Time(), Progress: o.Progress})
			return taken.Path, err
		},
	})
}

// openFolder is the folder of notes on disk.
func openFolder(place func() string) core.NoteFolder { return knowledge.New(place, files.Disk{}) }

// edit runs an editor on the terminal.
func edit(ctx context.Context, command, path string) error {
	words := strings.Fields(command)
	if len(words) == 0 {
		return errors.New("none is named")
	}
	editor := exec.CommandContext(ctx, words[0], append(words[1:], path)...)
	editor.Stdin, editor.Stdout, editor.Stderr = os.Stdin, os.Stdout, os.Stderr
	return editor.Run()
}

// terminalSize is the size of the terminal on standard output.
func terminalSize() (width, height int) {
	width, height, err := term.GetSize(os.Stdout.Fd())
	if err != nil {
		return 0, 0
	}
	return width, height
}

// unread reports whether the other end of standard output is closed.
func unread() bool {
	ends := []unix.PollFd{{Fd: int32(os.Stdout.Fd())}}
	_, err := unix.Poll(ends, 0)
	return err == nil && ends[0].Revents&(unix.POLLERR|unix.POLLHUP) != 0
}

// loginName is the user's name, "" when it cannot be told.
func loginName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return os.Getenv("USER")
}

// endingSignals delivers the signals that end the program. A closed pipe must
// not be one of them: a command that has changed something still says how it
// went by its exit status.
func endingSignals() (ended <-chan os.Signal, stop func()) {
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	return signals, func() { signal.Stop(signals) }
}
