package store

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// leftoverAge is the age at which files of work that ends within minutes count
// as left behind.
const leftoverAge = time.Hour

// temporaryPrefixes begin the names of what the program keeps in the system's
// folder for temporary files.
var temporaryPrefixes = []string{"lithos-output-", "lithos-rehearsal-"}

// lookFiles looks at the files of the store and what lies beside them.
func (o *ExamineOptions) lookFiles(found *Examination) {
	file := o.Path
	if real, err := realFile(o.Path); err == nil {
		file = real
	}
	if _, err := os.Stat(file); err == nil {
		found.add(CheckRights, rightsFault(file), "The files of the store are for their owner alone.")
	}
	found.add(CheckLeftovers, o.leftovers(file), "Nothing was left behind by programs that were stopped.")
	if !found.Failed(CheckRestore) {
		found.add(CheckRestore, "", "No restore was left half done.")
	}
	if o.Backups != "" {
		fault, seen, shut := o.lookBackups()
		found.add(CheckBackups, fault, seen)
		found.Checks[len(found.Checks)-1].Shut = shut
	}
}

// lookBackups looks at the newest backup, and for files that are no whole
// ones. shut says that the folder cannot be looked into.
func (o *ExamineOptions) lookBackups() (fault, seen string, shut bool) {
	backups, problems, err := ListBackups(files.Disk{}, o.Backups)
	var named *core.Error
	switch {
	case errors.As(err, &named):
		return named.Message, "", true
	case err != nil:
		return fmt.Sprintf("The folder of backups '%s' cannot be used.", o.Backups), "", true
	case len(backups) == 0:
		fault = "There is no backup."
	default:
		seen = fmt.Sprintf("The newest of %s is of %s.", counted(int64(len(backups)), "backup"), backups[0].TakenAt)
		if backups[0].TakenAt.Add(backupAge) < o.Now {
			fault = seen
		}
	}
	var wrong faults
	for _, p := range problems {
		wrong.add("%s (%s)", filepath.Base(p.Path), strings.TrimSuffix(p.Reason, "."))
	}
	if text := wrong.text("file there is no whole backup", "files there are no whole backups"); text != "" {
		fault = strings.TrimPrefix(cmp.Or(fault, seen)+" "+text, " ")
	}
	return fault, seen, false
}

// backupAge is the age from which the newest backup is worth a word.
const backupAge = 30 * 24 * time.Hour

// rightsFault names the files of a store that others may read or change, and
// the folder if others may exchange files in it.
func rightsFault(file string) string {
	if runtime.GOOS == "windows" {
		return "" // rights are kept elsewhere
	}
	var others, wrong faults
	info, err := os.Stat(file)
	if err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o200 == 0 {
		others.add("%s (%04o)", filepath.Base(file), info.Mode().Perm())
	}
	for _, suffix := range besideSuffixes {
		if info, err := os.Lstat(file + suffix); err == nil && !info.Mode().IsRegular() {
			others.add("%s, which is no file", filepath.Base(file)+suffix)
		}
	}
	for _, name := range OthersBeside(file) {
		others.add("%s, which belongs to another user", filepath.Base(name))
	}
	for _, name := range []string{file, file + "-wal", file + "-shm"} {
		if info, err := os.Stat(name); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o077 != 0 {
			wrong.add("%s (%04o)", filepath.Base(name), info.Mode().Perm())
		}
	}
	folder := filepath.Dir(file)
	// What is sticky lets nobody exchange the files of others.
	if info, err := os.Stat(folder); err == nil && info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
		wrong.add("the folder %s (%04o)", folder, info.Mode().Perm())
	}
	return strings.TrimSpace(others.text("file cannot be written by the owner of the store", "files cannot be written by the owner of the store") +
		" " + wrong.text("file is open to others", "files are open to others"))
}

// leftovers names what programs that were killed have left.
func (o *ExamineOptions) leftovers(file string) string {
	var wrong faults
	look := func(folder string, age time.Duration, isOne func(name string) bool) {
		entries, err := os.ReadDir(folder)
		if err != nil {
			return // there is no such folder, or none that can be looked into
		}
		for _, entry := range entries {
			// Of this machine's clock, as the times of files are.
			info, err := entry.Info()
			if err == nil && isOne(entry.Name()) && time.Since(info.ModTime()) > age {
				wrong.add("%s", filepath.Join(folder, entry.Name()))
			}
		}
	}
	if names, unfinished := leftovers(file); !unfinished {
		for _, name := range names {
			wrong.add("%s", filepath.Join(filepath.Dir(file), name))
		}
	}
	look(filepath.Dir(file), draftAge, func(name string) bool {
		return strings.HasPrefix(name, filepath.Base(file)+draftInfix)
	})
	look(filepath.Dir(file), leftoverAge, files.IsDraft)
	if o.Backups != "" {
		look(o.Backups, leftoverAge, files.IsDraft)
	}
	if _, unfinished := leftovers(file); o.Notes != "" && !unfinished {
		look(o.Notes, 0, func(name string) bool { return name == newNotesFolder || name == oldNotesFolder })
	}
	if o.Temporary != "" {
		look(o.Temporary, leftoverAge, func(name string) bool {
			for _, prefix := range temporaryPrefixes {
				if strings.HasPrefix(name, prefix) {
					return true
				}
			}
			return false
		})
	}
	return wrong.text("file was left behind", "files were left behind")
}
