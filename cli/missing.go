package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// missingStore is the error of a read where there is no store, with the hint
// how to begin.
func missingStore(at location) error {
	place, begin := "There is no store at "+at.path, "lithos init"
	switch at.rule {
	case ruleDataHome:
		place = "There is no store here, nor above, nor at " + at.path
	case ruleDataDir:
		begin += " " + display.ShellWord(filepath.Dir(filepath.Dir(at.path)))
	case ruleDB:
		begin += " --db " + display.ShellWord(at.path)
	}
	if target := linkTarget(at.path); target != "" {
		place += fmt.Sprintf(", which is a link that leads to %s, where there is nothing", target)
	}
	folder := filepath.Dir(at.path)
	if target := linkTarget(folder); target != "" && !isThere(folder) {
		// What the link leads to may only not be mounted, so nothing is made there.
		return core.NewError(core.CodeStoreUnavailable, fmt.Sprintf("There is no store at %s: %s is a link that leads to %s, which is not there. Make that folder again, or remove the link.", at.path, folder, target),
			core.Extra{Name: "path", Value: at.path}, core.Extra{Name: "reason", Value: "missing"})
	}
	return core.NewError(core.CodeStoreUnavailable, fmt.Sprintf("%s. Begin with '%s'.", place, begin),
		core.Extra{Name: "path", Value: at.path}, core.Extra{Name: "reason", Value: "missing"})
}

// lostStore is a store that is not there any more, and of which backups are
// left.
type lostStore struct {
	place   location
	backups int
	folder  string // of the backups
}

// lostStore reports whether there was a store where there is none: backups are
// left that bear its name. In a folder that other stores share they may be of
// those, unless something else tells that there was one.
func (s *session) lostStore() (lost lostStore, is bool) {
	folder, err := s.env.BackupFolder(s.place.path, s.config.text("backup.dir"))
	if err != nil {
		return lost, false
	}
	backups, _, err := s.env.ListBackups(folder)
	if err != nil {
		return lost, false // what cannot be looked into tells nothing
	}
	lost = lostStore{place: s.place, folder: folder}
	file := realPath(s.place.path)
	if filepath.Dir(folder) != filepath.Dir(file) && !hasCompanion(file) {
		return lost, false
	}
	stem := strings.TrimSuffix(filepath.Base(file), ".db") + "-"
	for _, b := range backups {
		if strings.HasPrefix(filepath.Base(b.Path), stem) {
			lost.backups++
		}
	}
	return lost, lost.backups > 0
}

// what says what became of the store.
func (l lostStore) what() string {
	state := "it is gone"
	if _, err := os.Stat(l.place.path); err == nil {
		state = "its file is empty"
	}
	return fmt.Sprintf("There was a store at %s, and %s; %s left in %s.", l.place.path, state, countedAre(l.backups, "backup"), l.folder)
}

// countedAre is a number of things with the verb for them.
func countedAre(n int, noun string) string {
	if n == 1 {
		return counted(n, noun) + " is"
	}
	return counted(n, noun) + " are"
}

// goneStore is the error of every use of a store that is gone, with the ways
// on: nobody is to work in an empty one without knowing.
func goneStore(lost lostStore) error {
	list, begin := "lithos backup list", "lithos init --new"
	if lost.place.rule == ruleDB {
		list += " --db " + display.ShellWord(lost.place.path)
		begin += " --db " + display.ShellWord(lost.place.path)
	}
	return lost.failure(fmt.Sprintf("'%s' names them, 'lithos backup restore FILE' puts one back, '%s' begins anew.", list, begin))
}

// goneForAgents is the same for those who cannot run commands.
func goneForAgents(lost lostStore) error {
	return lost.failure("Somebody has to put one back, or make a new store; nothing can be stored until then.")
}

func (l lostStore) failure(ways string) error {
	return core.NewError(core.CodeStoreUnavailable, l.what()+" "+ways,
		core.Extra{Name: "path", Value: l.place.path}, core.Extra{Name: "reason", Value: "missing"}).Because(core.ErrStoreLost)
}
