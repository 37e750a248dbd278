package core

import (
	"context"
	"errors"
	"time"

	"github.com/google/uuid"
)

// Config is what a Service is made of.
type Config struct {
	Store Store
	// Folder is where the notes are. Nil: there are none, and none can be
	// written.
	Folder NoteFolder
	// Passes is shared by services that come and go over one folder; nil: the
	// service has its own.
	Passes *NotePasses
	// Now is the clock; nil means the system's.
	Now func() time.Time
	// NewID makes ids of tasks, findings and events; nil means random UUIDv4.
	// Time-ordered ids would share their first characters and so ruin short
	// prefixes.
	NewID func() string
	// ReadOnly refuses every mutation with forbidden.
	ReadOnly bool
	Settings Settings
}

// Settings are the values of the coordination section of the configuration.
type Settings struct {
	ClaimDefaultMinutes int // lease when a call names none; 60 when 0
	ClaimMaxMinutes     int // longest lease; 480 when 0
	MaxHierarchyDepth   int // levels of parent and child; 100 when 0
	MaxContentBytes     int // of a note's content, in UTF-8; 1,000,000 when 0
}

// The bounds that claims and hierarchies have unless configured otherwise,
// which are also the bounds of the settings themselves.
const (
	DefaultClaimMinutes      = 60
	LongestClaimMinutes      = 480
	DefaultMaxHierarchyDepth = 100
	DefaultMaxContentBytes   = MaxTextBytes
)

// Service offers every operation. It is safe for concurrent use as far as its
// store is.
type Service struct {
	store    Store
	folder   NoteFolder
	now      func() time.Time
	newID    func() string
	readOnly bool
	settings Settings
	passes   *NotePasses
}

// New makes a Service.
func New(c Config) *Service {
	s := &Service{store: c.Store, folder: c.Folder, now: c.Now, newID: c.NewID, readOnly: c.ReadOnly, settings: c.Settings}
	if s.now == nil {
		s.now = time.Now
	}
	if s.newID == nil {
		s.newID = uuid.NewString
	}
	if s.passes = c.Passes; s.passes == nil {
		s.passes = new(NotePasses)
	}
	if s.settings.ClaimMaxMinutes == 0 {
		s.settings.ClaimMaxMinutes = LongestClaimMinutes
	}
	if s.settings.ClaimDefaultMinutes == 0 {
		s.settings.ClaimDefaultMinutes = DefaultClaimMinutes
	}
	if s.settings.MaxHierarchyDepth == 0 {
		s.settings.MaxHierarchyDepth = DefaultMaxHierarchyDepth
	}
	if s.settings.MaxContentBytes == 0 {
		s.settings.MaxContentBytes = DefaultMaxContentBytes
	}
	s.settings.ClaimMaxMinutes = min(max(s.settings.ClaimMaxMinutes, 1), LongestClaimMinutes)
	return s
}

// view is one open read: a transaction with the one moment every decision in
// it is made at.
type view struct {
	ReadTx
	now     Stamp
	service *Service
	strict  bool // lists fail on tasks that cannot be read as they should be
}

// change is one open mutation. Steps take it, write through it and never
// commit.
type change struct {
	WriteTx
	service *Service
	now     Stamp
	seen    map[string]bool // agents registered or moved already
	touched bool            // the file of a note was changed
	after   []func(context.Context)

	rehearsed bool // all of it is rolled back at the end; files are not touched
}

func (c *change) view() view {
	return view{ReadTx: c.WriteTx, now: c.now, service: c.service}
}

// read runs one reading operation: values first, then one transaction.
func read[In, Out any](ctx context.Context, s *Service, in In, step func(view, In) (Out, error)) (Out, error) {
	var out Out
	if err := prepare(&in); err != nil {
		return out, err
	}
	err := s.store.Read(ctx, func(tx ReadTx) (err error) {
		out, err = step(view{ReadTx: tx, now: StampOf(s.now()), service: s}, in)
		return err
	})
	if err != nil {
		var none Out
		return none, err
	}
	return out, nil
}

// write runs one mutating operation: values first, then one transaction that
// holds everything the operation does.
func write[In, Out any](ctx context.Context, s *Service, in In, step func(*change, In) (Out, error)) (Out, error) {
	var out Out
	if err := prepare(&in); err != nil {
		return out, err
	}
	err := s.mutate(ctx, func(c *change) (err error) {
		out, err = step(c, in)
		return err
	})
	if err != nil {
		var none Out
		return none, err
	}
	return out, nil
}

// mutate opens the write transaction of one mutation.
func (s *Service) mutate(ctx context.Context, fn func(*change) error) error {
	if s.readOnly {
		return NewError(CodeForbidden, "The store is open for reading only.", Extra{"needs", "write"})
	}
	var done *change
	err := s.store.Write(ctx, func(tx WriteTx) error {
		// The clock is read inside, after any wait for the lock, so that
		// stamps rise in the order of commits.
		c := &change{WriteTx: tx, service: s, now: StampOf(s.now()), seen: map[string]bool{}, rehearsed: isRehearsal(ctx)}
		if err := fn(c); err != nil {
			return err
		}
		if isRehearsal(ctx) {
			return errRehearsed
		}
		done = c
		return nil
	})
	if errors.Is(err, errRehearsed) {
		return nil
	}
	if err == nil {
		for _, step := range done.after {
			step(ctx)
		}
	}
	return err
}

// afterCommit adds a step that follows once the mutation is committed. Its
// failure does not undo the mutation.
func (c *change) afterCommit(step func(context.Context)) { c.after = append(c.after, step) }

// see registers the acting agent, or moves when it was last seen. Called
// once a mutation has passed its checks.
func (c *change) see(agent string) error {
	if c.seen[agent] {
		return nil
	}
	c.seen[agent] = true
	added, err := c.SeeAgent(agent, c.now)
	if err != nil || !added {
		return err
	}
	return c.emit(EventAgentRegistered, agent, Subject{}, agentRegistered{AgentID: agent, Created: true})
}

// rehearsalKey marks a context whose mutations are rolled back at the end.
type rehearsalKey struct{}

// Rehearse returns a context under which mutations run in full, with every
// check, and are then rolled back: the answer is what would have happened.
func Rehearse(ctx context.Context) context.Context {
	return context.WithValue(ctx, rehearsalKey{}, true)
}

// unsyncedKey marks a context whose writes need not outlive a power failure.
type unsyncedKey struct{}

// Unsynced returns a context under which a write is committed as any other, but
// not forced to the disk: it does not outlive a power failure unless a later
// write does.
func Unsynced(ctx context.Context) context.Context {
	return context.WithValue(ctx, unsyncedKey{}, true)
}

// IsUnsynced reports whether a write need not be forced to the disk.
func IsUnsynced(ctx context.Context) bool { return ctx.Value(unsyncedKey{}) != nil }

func isRehearsal(ctx context.Context) bool { return ctx.Value(rehearsalKey{}) != nil }

// errRehearsed makes the store roll back.
var errRehearsed = errors.New("rehearsed")
