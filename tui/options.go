package tui

import (
	"context"
	"io"
	"time"

	"dev.lithos/core"
)

// Options are what the UI is started with.
type Options struct {
	// Open opens the store. Without create a missing one is
	// store_unavailable/missing; with it, it is made. Once the closer was
	// closed, Open looks for the store anew.
	Open func(ctx context.Context, create bool) (*core.Service, io.Closer, error)
	// Agent is who acts. AgentSource says where the name is from, for the
	// claim dialog; it may be empty.
	Agent, AgentSource string
	// StorePath is where the store is, or will be, as shown to people.
	StorePath string
	// Name is what the header calls the store: the name of its folder.
	Name string
	// Version is the version of the program.
	Version string
	// Theme names a theme, the default one when empty. ThemeDir is the folder
	// of the user's own.
	Theme, ThemeDir string
	Mouse           bool
	ASCII           bool // signs from ASCII alone
	NoColor         bool // the theme is mono whatever Theme says
	Accessible      bool // nothing on screen changes by itself but data
	ReadOnly        bool // mutations are not offered
	// Keys gives actions other keys than the default ones, by their ids.
	Keys map[string][]string
	// Filters are the saved filters by name.
	Filters map[string]string
	// SaveFilter keeps a filter under a name, and DropFilter forgets the one of a
	// name. Nil: what is saved lasts as long as the program. FilterPath is where
	// filters are kept, as shown to people.
	SaveFilter func(name, text string) error
	DropFilter func(name string) error
	FilterPath string
	// Drafts are what was typed when the program was ended from outside, the
	// oldest first; they are offered at the start. KeepDraft keeps another and
	// says where, or why it could not; it is called once the terminal is as it
	// was, and a draft with a path takes the place of the one there. DropDraft
	// removes the draft at a path. Nil: nothing is kept.
	Drafts    []Draft
	KeepDraft func(Draft)
	DropDraft func(path string) error
	// Editor is the command that edits texts, as $EDITOR holds it. NewText makes
	// the file that it is given, which DropDraft removes; nil: there is no editor.
	Editor  string
	NewText func(text string) (path string, err error)
	// ClaimMinutes is the lease that the claim dialog proposes; 60 when 0.
	ClaimMinutes int
	// Now is the clock; nil means the system's.
	Now func() time.Time
}

// writeLimit bounds a write of the UI, waiting for the lock included.
const writeLimit = 5 * time.Second

// readLimit bounds a load. A load that a newer one replaces ends at once.
const readLimit = 30 * time.Second
