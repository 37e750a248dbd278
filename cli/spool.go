package cli

import (
	"bytes"
	"errors"
	"io"

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
			return 0, &writeError{err}
		}
		s.file = file
	}
	n, err := s.file.Write(b)
	if err != nil {
		err = &writeError{err}
	}
	return n, err
}

// copyTo writes all that was kept.
func (s *spool) copyTo(w io.Writer) error {
	if _, err := s.head.WriteTo(w); err != nil || s.file == nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return &writeError{err}
	}
	_, err := io.Copy(w, s.file)
	if err != nil && !errors.As(err, new(*writeError)) {
		err = &writeError{err}
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
