package store

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/mattn/go-sqlite3"

	"dev.lithos/core"
)

// The reasons of store_unavailable.
const (
	ReasonMissing      = "missing"
	ReasonPermission   = "permission"
	ReasonNotADatabase = "not_a_database"
	ReasonCorrupt      = "corrupt"
	ReasonReplaced     = "replaced"
	ReasonFull         = "full"
	ReasonIO           = "io"
)

// unavailableMessages say what each reason means; %s is the path.
var unavailableMessages = map[string]string{
	ReasonMissing:      "There is no store at '%s'.",
	ReasonPermission:   "The store '%s' may not be opened: the rights of the file or its folder forbid it.",
	ReasonNotADatabase: "'%s' is no lithos store.",
	ReasonCorrupt:      "The store '%s' is damaged.",
	ReasonReplaced:     "The store '%s' was exchanged while it was in use; start again to use the new one.",
	ReasonFull:         "There is no space left for the store '%s'.",
	ReasonIO:           "The store '%s' cannot be read or written: the device reports an error.",
}

// prepareError marks an error met while SQL was compiled. All SQL fits the
// schema of the version, so what fails here is the file's schema.
type prepareError struct{ error }

func (e prepareError) Unwrap() error { return e.error }

// damagedError marks a value of a kind that no write puts there, in the row
// that is named, if it is.
type damagedError struct {
	error
	row string
}

func (e damagedError) Unwrap() error { return e.error }

// unavailable makes a store_unavailable error.
func (s *Store) unavailable(reason string, cause error) error {
	message := fmt.Sprintf(unavailableMessages[reason], s.path)
	if target := deadEnd(s.path); reason == ReasonMissing && target != "" {
		message = fmt.Sprintf("There is no store: '%s' is a link that leads to '%s', where there is nothing.", s.path, target)
	}
	if reason == ReasonIO && (errors.Is(cause, syscall.ENAMETOOLONG) || len(s.file)+longestBeside > longestPath) {
		message = fmt.Sprintf("There can be no store at '%s': its path, or the name of its file, is too long.", s.path)
	}
	return core.NewError(core.CodeStoreUnavailable, message,
		core.Extra{Name: "path", Value: s.path}, core.Extra{Name: "reason", Value: reason}).Because(cause)
}

// longestBeside is the longest ending of a name beside a store: that of the
// journal of one under construction.
const longestBeside = len(draftInfix) + 8 + len("-journal")

// usedUp is the answer when a number could only go on by beginning anew. No
// program gets there: the file was changed by hand, or is damaged.
func (s *Store) usedUp(what string) error {
	return core.NewError(core.CodeStoreUnavailable, fmt.Sprintf("The store '%s' is damaged: %s are used up.", s.path, what),
		core.Extra{Name: "path", Value: s.path}, core.Extra{Name: "reason", Value: ReasonCorrupt})
}

// deadEnd is where a symbolic link leads when there is nothing, "" for a path
// that is no such link.
func deadEnd(path string) string {
	if info, err := os.Lstat(path); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		return ""
	}
	target, err := realFile(path)
	if err != nil || target == path {
		return ""
	}
	if _, err := os.Lstat(target); !errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return target
}

// forbidden is the answer to writing what may only be read: without a cause,
// because that was asked for.
func (s *Store) forbidden(cause error) error {
	message := fmt.Sprintf("The store '%s' can only be read.", s.path)
	if why := s.whyReadOnly(); cause != nil && why != "" {
		message += " " + why
	}
	return core.NewError(core.CodeForbidden, message,
		core.Extra{Name: "needs", Value: "write"}).Because(cause)
}

// busy is the answer when the wait for a lock has ended without it.
func (s *Store) busy(since time.Time, cause error) error {
	waited := time.Since(since).Milliseconds()
	return core.NewError(core.CodeDatabaseBusy,
		fmt.Sprintf("The store '%s' was busy for %d ms: another connection held it.", s.path, waited),
		core.Extra{Name: "waited_ms", Value: waited}).Because(cause)
}

// stopped is the answer when work was ended by its context, whose error is
// the cause.
func stopped(ctx context.Context, since time.Time, cause error) error {
	limit := time.Since(since)
	message := "The work was stopped before it was done."
	if deadline, ok := ctx.Deadline(); ok && errors.Is(cause, context.DeadlineExceeded) {
		limit = max(deadline.Sub(since), 0) // it may have passed before the store was asked
		if set, ok := core.TimeLimit(ctx); ok {
			limit = set
		}
		if limit > time.Second {
			limit = limit.Round(time.Millisecond)
		}
		message = fmt.Sprintf("The work was stopped at its time limit of %s.", limit)
	}
	return core.NewError(core.CodeRequestTimedOut, message,
		core.Extra{Name: "limit_ms", Value: limit.Round(time.Millisecond).Milliseconds()}).Because(cause)
}

func (s *Store) schemaMismatch(found int64) error {
	direction, message := "older", "The store '%s' has the schema %d; this program needs %d. It has to be migrated."
	if found > schemaVersion() {
		direction, message = "newer", "The store '%s' has the schema %d; this program knows only %d. A newer program is needed."
	}
	return core.NewError(core.CodeSchemaMismatch, fmt.Sprintf(message, s.path, found, schemaVersion()),
		core.Extra{Name: "found", Value: found}, core.Extra{Name: "expected", Value: schemaVersion()},
		core.Extra{Name: "direction", Value: direction})
}

// fail translates an error met during a transaction.
func (c *conn) fail(err error) error {
	switch {
	case c.ctx == nil:
		return c.store.translate(err, c.since)
	case c.ctx.Err() != nil && (errors.Is(err, c.ctx.Err()) || isCode(err, sqlite3.ErrInterrupt)):
		return stopped(c.ctx, c.since, c.ctx.Err())
	}
	return c.store.translate(err, c.since)
}

// translate turns an error of the driver or the file system into one of the
// contract. since is when the transaction was asked for. What cannot be
// foreseen comes back as it is: a fault of the program.
func (s *Store) translate(err error, since time.Time) error {
	var done *core.Error
	if err == nil || errors.As(err, &done) {
		return err
	}
	var damaged damagedError
	if errors.As(err, &damaged) {
		told := s.unavailable(ReasonCorrupt, err)
		if errors.As(told, &done) && damaged.row != "" {
			done.Message = fmt.Sprintf("The store '%s' is damaged: %s holds what cannot be read.", s.path, damaged.row)
		}
		return told
	}
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return s.translateFile(err)
	}
	switch e.Code {
	case sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrProtocol:
		return s.busy(since, err)
	case sqlite3.ErrReadonly:
		if e.ExtendedCode == sqlite3.ErrReadonlyDbMoved {
			return s.unavailable(ReasonReplaced, err)
		}
		return s.forbidden(err)
	case sqlite3.ErrPerm, sqlite3.ErrAuth:
		return s.unavailable(ReasonPermission, err)
	case sqlite3.ErrFull:
		return s.unavailable(ReasonFull, err)
	case sqlite3.ErrCorrupt:
		return s.unavailable(ReasonCorrupt, err)
	case sqlite3.ErrNotADB:
		return s.unavailable(ReasonNotADatabase, err)
	case sqlite3.ErrCantOpen:
		if e.ExtendedCode == sqlite3.ErrCantOpenIsDir {
			return s.unavailable(ReasonNotADatabase, err)
		}
		reason := reasonOf(e.SystemErrno)
		if _, statErr := os.Stat(s.path); reason == ReasonMissing && statErr == nil {
			reason = s.whyNoCompanion()
		}
		return s.unavailable(reason, err)
	case sqlite3.ErrIoErr:
		switch e.ExtendedCode {
		case sqlite3.ErrIoErrNoMem:
			return err
		case ioErrCorruptFileSystem:
			return s.unavailable(ReasonCorrupt, err)
		}
		return s.unavailable(reasonOf(e.SystemErrno), err)
	case sqlite3.ErrError:
		if errors.As(err, new(prepareError)) {
			return s.unavailable(ReasonCorrupt, err)
		}
	}
	return err
}

// whyNoCompanion is the reason why a file beside the store cannot be made. The
// engine tries to open what it cannot make, and tells only how that failed; so
// it is tried here.
func (s *Store) whyNoCompanion() string {
	disk := s.options.Files
	file, err := disk.CreateTemporary(filepath.Dir(s.file), filepath.Base(s.file)+"-try-*")
	if err != nil {
		var errno syscall.Errno
		errors.As(err, &errno)
		return reasonOf(errno)
	}
	_, writeErr := file.Write([]byte{0})
	err = errors.Join(writeErr, file.Close(), disk.Remove(file.Name()))
	var errno syscall.Errno
	if errors.As(err, &errno) {
		return reasonOf(errno)
	}
	return ReasonIO // whatever it was has passed
}

// ioErrCorruptFileSystem is SQLITE_IOERR_CORRUPTFS, for which the driver has
// no name.
var ioErrCorruptFileSystem = sqlite3.ErrIoErr.Extend(33)

// translateFile turns an error of the file system into one of the contract.
func (s *Store) translateFile(err error) error {
	if reason, known := ReasonOf(err); known {
		return s.unavailable(reason, err)
	}
	return err
}

// ReasonOf is the reason of store_unavailable that an error of the file system
// stands for; false when it is no such error.
func ReasonOf(err error) (reason string, known bool) {
	var errno syscall.Errno
	switch {
	case errors.As(err, &errno):
		return reasonOf(errno), true
	case errors.Is(err, fs.ErrNotExist):
		return ReasonMissing, true
	case errors.Is(err, fs.ErrPermission):
		return ReasonPermission, true
	}
	return "", false
}

// reasonOf is the reason that an error number of the system stands for.
func reasonOf(errno syscall.Errno) string {
	switch {
	case errno == syscall.ENOENT || errno == syscall.ENOTDIR || errno == syscall.ELOOP:
		return ReasonMissing
	case errno == syscall.EACCES || errno == syscall.EPERM || errno == syscall.EROFS:
		return ReasonPermission
	case errno == syscall.ENOSPC || errno == syscall.EDQUOT:
		return ReasonFull
	case errno == syscall.EISDIR:
		return ReasonNotADatabase
	}
	return ReasonIO
}

// isCode reports whether err is an error of SQLite of the primary code given.
func isCode(err error, codes ...sqlite3.ErrNo) bool {
	var e sqlite3.Error
	if !errors.As(err, &e) {
		return false
	}
	for _, code := range codes {
		if e.Code == code {
			return true
		}
	}
	return false
}

// isDuplicate reports whether an error means that a row is there already.
func isDuplicate(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && e.ExtendedCode == sqlite3.ErrConstraintUnique
}

// isBusy reports whether an error means that somebody else holds a lock, so
// that the same statement can succeed later.
func isBusy(err error) bool {
	return errors.Is(err, errHeld) || isCode(err, sqlite3.ErrBusy, sqlite3.ErrLocked, sqlite3.ErrProtocol)
}

// spoils reports whether an error may be that of the connection, so that the
// next transaction is better made on another: one that was opened while rights
// were lacking can never write, and a lock that the system would not take back
// keeps a connection waiting for itself.
func spoils(err error) bool {
	var e *core.Error
	if !errors.As(err, &e) {
		return false
	}
	category := core.Describe(e.Code).Category
	return e.Code == core.CodeDatabaseBusy || category == core.CategoryStore || category == core.CategoryDenied
}
