package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// spool keeps output of any length until it is known that it is whole, so
// that a failure leaves standard output empty. What is long goes to a file.
type spool struct {
	disk files.Disk
	head bytes.Buffer
	file *files.File
}

// spoolMemory is how much output is kept in memory, in bytes.
const spoolMemory = 1 << 20

// whole prints what fill writes, once fill has ended without an error.
func (o *output) whole(fill func(io.Writer) error) error {
	kept := spool{disk: o.disk}
	err := fill(&kept)
	if err == nil {
		err = kept.copyTo(o)
	}
	return errors.Join(err, kept.drop())
}

// Write implements [io.Writer].
func (s *spool) Write(b []byte) (int, error) {
	if s.file == nil && s.head.Len()+len(b) <= spoolMemory {
		return s.head.Write(b)
	}
	if s.file == nil {
		file, err := s.disk.CreateTemporary("", "lithos-output-*")
		if err != nil {
			return 0, unkept(err)
		}
		s.file = file
	}
	n, err := s.file.Write(b)
	if err != nil {
		err = unkept(err)
	}
	return n, err
}

// unkept is the error for a temporary file that cannot be had or used: no
// fault of standard output, nor of the file that is imported.
func unkept(cause error) error {
	reason, known := reasonOf(cause)
	if !known {
		reason = "io"
	}
	folder := os.TempDir()
	return core.NewError(core.CodeStoreUnavailable,
		fmt.Sprintf("The folder for temporary files, '%s', cannot be used: %s. TMPDIR names another.", folder, plainReason(cause)),
		core.Extra{Name: "path", Value: folder}, core.Extra{Name: "reason", Value: reason}).Because(cause)
}

// copyTo writes all that was kept.
func (s *spool) copyTo(w io.Writer) error {
	if _, err := s.head.WriteTo(w); err != nil || s.file == nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return unkept(err)
	}
	_, err := io.Copy(w, s.file)
	if err != nil && !errors.As(err, new(*writeError)) {
		err = unkept(err)
	}
	return err
}

// drop gives the file back.
func (s *spool) drop() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), s.disk.Remove(s.file.Name()))
}
