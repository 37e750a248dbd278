package files

import (
	"io/fs"
	"os"
)

// File is an open file of a [Disk].
type File struct {
	file *os.File
	disk Disk
}

// Name is the path it was opened under.
func (f *File) Name() string { return f.file.Name() }

// Read implements [io.Reader].
func (f *File) Read(b []byte) (int, error) {
	if err := f.disk.before(Read, f.Name(), ""); err != nil {
		return 0, err
	}
	return f.file.Read(b)
}

// Write implements [io.Writer].
func (f *File) Write(b []byte) (int, error) {
	if err := f.disk.before(Write, f.Name(), ""); err != nil {
		return 0, err
	}
	return f.file.Write(b)
}

// Seek implements [io.Seeker].
func (f *File) Seek(offset int64, whence int) (int64, error) { return f.file.Seek(offset, whence) }

// Stat looks at the file.
func (f *File) Stat() (fs.FileInfo, error) {
	if err := f.disk.before(Stat, f.Name(), ""); err != nil {
		return nil, err
	}
	return f.file.Stat()
}

// Sync forces what was written to the device.
func (f *File) Sync() error {
	if err := f.disk.before(Sync, f.Name(), ""); err != nil {
		return err
	}
	return f.file.Sync()
}

// Close closes the file. It is closed also when an error is returned.
func (f *File) Close() error {
	err := f.disk.before(Close, f.Name(), "")
	if closeErr := f.file.Close(); err == nil {
		err = closeErr
	}
	return err
}
