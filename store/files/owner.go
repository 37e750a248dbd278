package files

import (
	"io/fs"
	"os"
	"syscall"
)

// ownerOf tells whom a file belongs to, where the system has such a thing.
func ownerOf(info fs.FileInfo) (user, group int, known bool) {
	stat, known := info.Sys().(*syscall.Stat_t)
	if !known {
		return 0, 0, false
	}
	return int(stat.Uid), int(stat.Gid), true
}

// giveTo gives a new file to the owner and the group of another, or to the
// group alone: only the superuser may give files away, and everybody only to
// groups of theirs. What may not be done is left.
func (d Disk) giveTo(file *File, owner fs.FileInfo) error {
	is, err := file.Stat()
	if err != nil {
		return err
	}
	user, group, known := ownerOf(owner)
	ownUser, ownGroup, _ := ownerOf(is)
	if !known || user == ownUser && group == ownGroup {
		return nil
	}
	if d.Chown(file.Name(), user, group) != nil && group != ownGroup {
		_ = d.Chown(file.Name(), -1, group)
	}
	return nil
}

// GiveFor gives what the superuser has made to the owner of a file or folder,
// for whose users it is. What other users make is theirs.
func (d Disk) GiveFor(path string, owner fs.FileInfo) error {
	user, group, known := ownerOf(owner)
	if !known || os.Geteuid() != 0 {
		return nil
	}
	return d.Chown(path, user, group)
}
