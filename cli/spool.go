package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// spool keeps output of any length until it is known that it is whole, so
// that a failure leaves standard output empty. What is long goes to a file.
type spool struct {
	head bytes.Buffer
	file *os.File
}

// spoolMemory is how much output is kept in memory, in bytes.
const spoolMemory = 1 << 20

// Write implements [io.Writer].
func (s *spool) Write(b []byte) (int, error) {
	if s.file == nil && s.head.Len()+len(b) <= spoolMemory {
		return s.head.Write(b)
	}
	if s.file == nil {
		file, err := os.CreateTemp("", "lithos-output-*")
		if err != nil {
			return 0, fmt.Errorf("keep the output: %w", err)
		}
		s.file = file
	}
	return s.file.Write(b)
}

// copyTo writes all that was kept.
func (s *spool) copyTo(w io.Writer) error {
	if _, err := s.head.WriteTo(w); err != nil || s.file == nil {
		return err
	}
	if _, err := s.file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read the output back: %w", err)
	}
	_, err := io.Copy(w, s.file)
	return err
}

// drop gives the file back.
func (s *spool) drop() error {
	if s.file == nil {
		return nil
	}
	return errors.Join(s.file.Close(), os.Remove(s.file.Name()))
}
