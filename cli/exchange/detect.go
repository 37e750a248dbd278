package exchange

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"dev.lithos/core"
	"dev.lithos/store/files"
)

// importFormat is a file format that can be read.
type importFormat struct {
	name   string
	isList bool // its files can be one JSON list
	// recognises tells whether a line or an item of a file looks like this
	// format.
	recognises func(f *fields) bool
	// each reads a file for a purpose and yields its records; eachRow does so
	// for a format that is a database.
	each    func(r io.Reader, why purpose, yield func(*core.TransferRecord) error) error
	eachRow func(ctx context.Context, tables Tables, yield func(*core.TransferRecord) error) error
}

// importFormats lists the formats of import in documentation order.
var importFormats = []importFormat{
	{name: "lithos", recognises: isLithosLine, each: readLithos},
	{name: "beads", recognises: isBeadsLine, each: readBeads},
	{name: "taskwarrior", isList: true, recognises: isTaskwarriorTask, each: readTaskwarrior},
	{name: serverFormat, recognises: func(*fields) bool { return false }, eachRow: readServer},
}

// ImportFormats lists the names of the formats that can be imported.
func ImportFormats() []string {
	var names []string
	for _, f := range importFormats {
		names = append(names, f.name)
	}
	return names
}

// Sources is where files to import come from.
type Sources struct {
	Stdin io.Reader
	// OpenTables opens a database of another program.
	OpenTables func(path string) (Tables, error)
	// Files is where input is kept that can be read only once.
	Files files.Disk
}

// File is an opened file to import. It implements [core.ImportSource].
type File struct {
	in     *input
	tables Tables // of a database, else nil
	format importFormat
}

// Open opens a file to import, standard input for the name "-". The format is
// recognised by the content unless it is named. The errors are invalid_input
// about file or format, and database_busy.
func Open(name, format string, from Sources) (*File, error) {
	if format != "" && !slices.Contains(ImportFormats(), format) {
		return nil, core.InvalidWord(formatField, format, "import format", ImportFormats())
	}
	in, err := openInput(name, from.Stdin, from.Files)
	if err != nil {
		return nil, err
	}
	f := &File{in: in}
	if f.format, err = choose(in, format); err == nil && f.format.eachRow != nil {
		if !in.isFile {
			err = core.InvalidValue(fileField, name, "A database cannot be read from a pipe or a device; name its file.")
		} else {
			f.tables, err = from.OpenTables(name)
		}
	}
	if err != nil {
		return nil, errors.Join(err, in.close())
	}
	return f, nil
}

const formatField = "format"

// Format implements [core.ImportSource].
func (f *File) Format() string { return f.format.name }

// Each implements [core.ImportSource].
func (f *File) Each(ctx context.Context, yield func(*core.TransferRecord) error) error {
	return f.read(ctx, toWrite, yield)
}

// Judge implements [core.JudgedSource].
func (f *File) Judge(ctx context.Context, yield func(*core.TransferRecord) error) error {
	return f.read(ctx, toJudge, yield)
}

// purpose is what a file is read for.
type purpose int

const (
	toWrite purpose = iota
	toJudge         // texts are not decoded, and what belongs to tasks is left out
)

func (f *File) read(ctx context.Context, why purpose, yield func(*core.TransferRecord) error) error {
	if f.tables != nil {
		return f.format.eachRow(ctx, f.tables, yield)
	}
	r, err := f.in.reader()
	if err != nil {
		return err
	}
	each := func(yield func(*core.TransferRecord) error) error { return f.format.each(r, why, yield) }
	if why == toWrite {
		err = readAhead(each, yield)
	} else {
		err = each(yield)
	}
	var fault *readFault
	if errors.As(err, &fault) {
		return unreadable(f.in.name, fault)
	}
	return err
}

// Close closes the file and removes what was kept of it.
func (f *File) Close() error {
	if f.tables == nil {
		return f.in.close()
	}
	return errors.Join(f.tables.Close(), f.in.close())
}

// maxProbed is how many lines are looked at to recognise a format, so that a
// file is recognised although its first lines are damaged.
const maxProbed = 100

// choose returns the format of a name, or the one that the content shows.
func choose(in *input, name string) (importFormat, error) {
	database, err := isDatabase(in)
	if err != nil {
		return importFormat{}, unreadable(in.name, err)
	}
	if database && name == "" {
		name = serverFormat
	}
	for _, f := range importFormats {
		if f.name == name {
			return f, nil
		}
	}
	if err := nearMiss(in); err != nil {
		return importFormat{}, err
	}
	if f, found, err := formatOfList(in); found || err != nil {
		return f, err
	}
	return formatOfLines(in)
}

// nearMisses are the beginnings of files that hold what can be imported, but in
// a form in which it cannot be, and what to do.
var nearMisses = []struct{ beginning, remedy string }{
	{"\x1f\x8b", "The file is compressed by gzip: 'gunzip -c FILE | lithos import -' takes what is in it."},
	{"(\xb5/\xfd", "The file is compressed by zstd: 'zstd -dc FILE | lithos import -' takes what is in it."},
	{"PK\x03\x04", "The file is a zip archive: unpack it first."},
	{`{"format":"lithos","records":`, "The file is the one JSON document that 'lithos export --json' prints: 'jq -c .records[] FILE | lithos import -' takes it, or export without --json."},
}

// nearMiss refuses such a file.
func nearMiss(in *input) error {
	r, err := in.reader()
	if err != nil {
		return err
	}
	head := make([]byte, 64)
	n, err := io.ReadFull(r, head)
	if err := ignoreEnd(err); err != nil {
		return unreadable(in.name, err)
	}
	for _, miss := range nearMisses {
		if bytes.HasPrefix(head[:n], []byte(miss.beginning)) {
			return core.Malformed(fileField, miss.remedy)
		}
	}
	return nil
}

// formatOfList recognises the format of a JSON list by its first item. There
// is one format that is a list, also when it is empty.
func formatOfList(in *input) (format importFormat, found bool, err error) {
	r, err := in.reader()
	if err != nil {
		return importFormat{}, false, err
	}
	values := newValueReader(r)
	first, err := values.next()
	if !values.list || err != nil && !errors.Is(err, io.EOF) {
		return importFormat{}, false, nil // the lines will show what is wrong
	}
	var item fields
	if err == nil {
		item.read(first)
	}
	for _, f := range importFormats {
		if f.isList && item.reason == "" && (len(item.list) == 0 || f.recognises(&item)) {
			return f, true, nil
		}
	}
	return importFormat{}, false, nil
}

// formatOfLines recognises the format of a file by the first line that shows
// it.
func formatOfLines(in *input) (importFormat, error) {
	r, err := in.reader()
	if err != nil {
		return importFormat{}, err
	}
	lines := newLineReader(r)
	empty, firstFault := true, ""
	var parsed fields
	for range maxProbed {
		line, tooLong, err := lines.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return importFormat{}, unreadable(in.name, err)
		}
		empty = false
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
	if empty {
		return importFormat{}, core.Malformed(fileField, "The file is empty, which shows no format; name one with --format.")
	}
	return importFormat{}, core.Malformed(fileField, fmt.Sprintf(
		"The file shows none of the formats that can be imported (%s).%s", strings.Join(ImportFormats(), ", "), firstFault))
}
