package exchange

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// fileField is the parameter that errors about the file name.
const fileField = "file"

// StandardInput is the file name that means standard input.
const StandardInput = "-"

// maxInMemory is up to which size input that can be read only once is kept in
// memory; what is longer goes to a temporary file.
const maxInMemory = 4 << 20

// input is a file that can be read from its beginning again and again.
type input struct {
	name    string
	content io.ReadSeeker
	size    int64
	isFile  bool // a regular file, which others can open by its name
	close   func() error
}

// openInput opens a file, or standard input for the name "-". What cannot be
// read twice is copied first.
func openInput(name string, stdin io.Reader, disk files.Disk) (*input, error) {
	if name == StandardInput {
		return keep(name, stdin, disk)
	}
	file, err := os.Open(name)
	if err != nil {
		return nil, unreadable(name, err)
	}
	info, err := file.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = errIsDirectory
	case info.Mode().IsRegular():
		return &input{name: name, content: file, size: info.Size(), isFile: true, close: file.Close}, nil
	default:
		in, err := keep(name, file, disk)
		return in, errors.Join(err, file.Close())
	}
	return nil, errors.Join(unreadable(name, err), file.Close())
}

var errIsDirectory = errors.New("it is a directory")

// unreadable is the error for a file that cannot be read.
func unreadable(name string, cause error) error {
	why := "it cannot be read."
	switch {
	case errors.Is(cause, fs.ErrNotExist):
		why = "there is no such file."
	case errors.Is(cause, fs.ErrPermission):
		why = "reading it is not permitted."
	case errors.Is(cause, errIsDirectory):
		why = "it is a directory."
	}
	return core.InvalidValue(fileField, name, fmt.Sprintf("'%s' cannot be imported: %s", name, why)).Because(cause)
}

// keep copies what can be read only once.
func keep(name string, r io.Reader, disk files.Disk) (*input, error) {
	var head bytes.Buffer
	_, err := io.CopyN(&head, r, maxInMemory)
	if errors.Is(err, io.EOF) {
		content := bytes.NewReader(head.Bytes())
		return &input{name: name, content: content, size: content.Size(), close: func() error { return nil }}, nil
	}
	if err != nil {
		return nil, unreadable(name, err)
	}
	file, err := disk.CreateTemporary("", "lithos-import-*")
	if err != nil {
		return nil, &TemporaryError{err}
	}
	// Where the system allows it the name goes at once, so that nothing is
	// left behind whatever happens.
	nameless := disk.Remove(file.Name()) == nil
	in := &input{name: name, content: file, close: func() error {
		if nameless {
			return file.Close()
		}
		return errors.Join(file.Close(), disk.Remove(file.Name()))
	}}
	in.size, err = io.Copy(temporary{file}, io.MultiReader(&head, r))
	if err != nil {
		if !errors.As(err, new(*TemporaryError)) {
			err = unreadable(name, err)
		}
		return nil, errors.Join(err, in.close())
	}
	return in, nil
}

// TemporaryError is a failure of the temporary file that input is kept in
// which can be read only once.
type TemporaryError struct{ Cause error }

func (e *TemporaryError) Error() string { return "keep the input: " + e.Cause.Error() }

func (e *TemporaryError) Unwrap() error { return e.Cause }

// temporary tells its failures from those of what is copied to it.
type temporary struct{ file io.Writer }

// Write implements [io.Writer].
func (t temporary) Write(b []byte) (int, error) {
	n, err := t.file.Write(b)
	if err != nil {
		err = &TemporaryError{err}
	}
	return n, err
}

// reader reads the input from its beginning.
func (in *input) reader() (io.Reader, error) {
	if _, err := in.content.Seek(0, io.SeekStart); err != nil {
		return nil, unreadable(in.name, err)
	}
	return in.content, nil
}
