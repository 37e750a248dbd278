package knowledge

import "syscall"

// changeTime is the time of a file's last change of status, in nanoseconds.
func changeTime(stat *syscall.Stat_t) int64 { return stat.Ctimespec.Nano() }
