package store

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"dev.lithos/core"
	"dev.lithos/core/display"
)

// Leftovers are the names of the files beside a store that a restore has left,
// none when there are none. unfinished says that they are of one that was
// interrupted, and not merely what it could not clear away.
func Leftovers(path string) (names []string, unfinished bool) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, false
	}
	file, err := realFile(path)
	if err != nil {
		return nil, false
	}
	return leftovers(file)
}

// RestoreIsUnfinished reports whether a restore of the store at a path was
// interrupted, so that there may be no file at the path.
func RestoreIsUnfinished(path string) bool {
	if interrupted(path) {
		return true
	}
	if _, err := os.Readlink(path); err != nil {
		return false
	}
	_, unfinished := Leftovers(path)
	return unfinished
}

func leftovers(file string) (names []string, unfinished bool) {
	for _, suffix := range append([]string{restoreSuffix}, endedSuffixes...) {
		if isFile(file + suffix) {
			names = append(names, filepath.Base(file)+suffix)
		}
	}
	return names, interrupted(file)
}

// isFile reports whether there is anything at a path, links included.
func isFile(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// isGone reports whether there is nothing at a path, or a file of nothing.
func isGone(path string) bool {
	info, err := os.Stat(path)
	return errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode().IsRegular() && info.Size() == 0
}

// interrupted reports whether a restore has to be finished or undone: the new
// store waits, or the old one was moved away and nothing has its place.
func interrupted(file string) bool {
	return isFile(file+restoreSuffix) || isFile(file+oldSuffix) && isGone(file)
}

// waysOut are the commands that end an interrupted restore, as far as the
// files for them are there.
func waysOut(path, file string) (commands []string) {
	word := display.ShellWord(path)
	finish, undo := "lithos backup restore --finish --db "+word, "lithos backup restore --undo --db "+word
	if isFile(file + restoreSuffix) {
		commands = append(commands, finish)
	}
	if isFile(file+oldSuffix) || !isGone(file) || !hadStore(file) {
		commands = append(commands, undo)
	}
	return commands
}

// hadStore reports whether there was a store before an interrupted restore,
// which is so unless its record denies it.
func hadStore(file string) bool {
	r := &restoring{store: &Store{path: file, file: file}}
	return r.readRecord() != nil || !r.planned || r.plan.Had
}

// checkRestored refuses a store whose restore was interrupted.
func checkRestored(path, file string) error {
	if !interrupted(file) {
		return nil // opening the store tells what else is wrong
	}
	names, _ := leftovers(file)
	commands := waysOut(path, file)
	what := "It has to be finished or undone."
	if len(commands) == 1 {
		what = "It has to be undone, for the new store is missing."
		if strings.Contains(commands[0], "--finish") {
			what = "It has to be finished, for the old store is missing."
		}
	}
	return core.NewError(core.CodeRestoreUnfinished,
		fmt.Sprintf("A restore of the store '%s' was interrupted. %s", path, what),
		core.Extra{Name: "leftovers", Value: names},
		core.Extra{Name: "commands", Value: commands})
}

// describeInterrupted says which file is which.
func describeInterrupted(path string) string {
	names, _ := Leftovers(path)
	base := filepath.Base(path)
	if file, err := realFile(path); err == nil {
		base = filepath.Base(file)
	}
	text := "A restore was interrupted."
	if slices.Contains(names, base+oldSuffix) {
		text += fmt.Sprintf(" '%s' is the store as it was; do not delete it.", base+oldSuffix)
	}
	if slices.Contains(names, base+restoreSuffix) {
		text += fmt.Sprintf(" '%s' is the new one.", base+restoreSuffix)
	} else {
		text += " The new store is missing."
	}
	return text
}
