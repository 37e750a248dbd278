package exchange

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dev.lithos/core"
)

// importFormat is a file format that can be read.
type importFormat struct {
	name string
	// recognises tells whether a line of a file looks like this format.
	recognises func(f *fields) bool
	// each reads a file and yields its records.
	each func(r io.Reader, yield func(*core.TransferRecord) error) error
}

// importFormats lists the formats of import in documentation order.
var importFormats = []importFormat{
	{"lithos", isLithosLine, readLithos},
	{"beads", isBeadsLine, readBeads},
}

// ImportFormats lists the names of the formats that can be imported.
func ImportFormats() []string {
	var names []string
	for _, f := range importFormats {
		names = append(names, f.name)
	}
	return names
}

// File is an opened file to import. It implements [core.ImportSource].
type File struct {
	in     *input
	format importFormat
}

// Open opens a file to import, standard input for the name "-". The format is
// recognised by the content unless it is named. The errors are invalid_input
// about file or format.
func Open(name, format string, stdin io.Reader) (*File, error) {
	if format != "" && !slices.Contains(ImportFormats(), format) {
		return nil, core.InvalidWord(formatField, format, "import format", ImportFormats())
	}
	in, err := openInput(name, stdin)
	if err != nil {
		return nil, err
	}
	f := &File{in: in}
	if f.format, err = choose(in, format); err != nil {
		return nil, errors.Join(err, in.close())
	}
	return f, nil
}

const formatField = "format"

// Format implements [core.ImportSource].
func (f *File) Format() string { return f.format.name }

// Each implements [core.ImportSource].
func (f *File) Each(_ context.Context, yield func(*core.TransferRecord) error) error {
	r, err := f.in.reader()
	if err != nil {
		return err
	}
	err = f.format.each(r, yield)
	var fault *readFault
	if errors.As(err, &fault) {
		return unreadable(f.in.name, fault)
	}
	return err
}

// Close closes the file and removes what was kept of it.
func (f *File) Close() error { return f.in.close() }

// maxProbed is how many lines are looked at to recognise a format, so that a
// file is recognised although its first lines are damaged.
const maxProbed = 100

// choose returns the format of a name, or the one that the content shows.
func choose(in *input, name string) (importFormat, error) {
	for _, f := range importFormats {
		if f.name == name {
			return f, nil
		}
	}
	r, err := in.reader()
	if err != nil {
		return importFormat{}, err
	}
	lines := newLineReader(r)
	var firstFault string
	var parsed fields
	for range maxProbed {
		line, tooLong, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return importFormat{}, unreadable(in.name, err)
		}
		if tooLong {
			continue
		}
		parsed.read(line)
		if parsed.reason != "" && firstFault == "" {
			firstFault = fmt.Sprintf(" Line %d: %s", lines.number, parsed.reason)
		}
		for _, f := range importFormats {
			if parsed.reason == "" && f.recognises(&parsed) {
				return f, nil
			}
		}
	}
	if lines.number == 0 {
		return importFormat{}, core.Malformed(fileField, "The file is empty, which shows no format; name one with --format.")
	}
	return importFormat{}, core.Malformed(fileField, fmt.Sprintf(
		"The file shows none of the formats that can be imported (%s).%s", strings.Join(ImportFormats(), ", "), firstFault))
}
