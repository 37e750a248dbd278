package exchange

import (
	"bufio"
	"bytes"
	"errors"
	"io"
)

// maxLine bounds the length of one line in bytes, so that a file without line
// breaks cannot take all memory.
const maxLine = 256 << 20

// readBuffer is how much of a file is read at a time.
const readBuffer = 256 << 10

var byteOrderMark = []byte("\xef\xbb\xbf")

// readFault marks an error of reading the file, as opposed to one of using
// what was read.
type readFault struct{ error }

func (f *readFault) Unwrap() error { return f.error }

// tooLongReason is the reason of lines longer than maxLine.
const tooLongReason = "It is longer than 256 MiB."

// lineReader reads the lines of a text file. It drops a byte order mark, line
// ends of both kinds, and lines of nothing but white space.
type lineReader struct {
	r      *bufio.Reader
	limit  int    // longest line
	number int    // of the line last read, from 1
	long   []byte // collects lines that the buffer cannot hold
}

func newLineReader(r io.Reader) *lineReader {
	return &lineReader{r: bufio.NewReaderSize(r, readBuffer), limit: maxLine}
}

// next returns the next line, valid until the call after. tooLong tells that
// it was longer than the limit, and is not there. After the last line err is
// io.EOF.
func (l *lineReader) next() (line []byte, tooLong bool, err error) {
	for {
		line, tooLong, err = l.read()
		if err != nil {
			return nil, false, err
		}
		l.number++
		if l.number == 1 {
			line = bytes.TrimPrefix(line, byteOrderMark)
		}
		line = bytes.TrimRight(line, " \t\r\n")
		if len(line) > 0 || tooLong {
			return line, tooLong, nil
		}
	}
}

// read returns one line with its end; io.EOF only when nothing is left.
func (l *lineReader) read() (line []byte, tooLong bool, err error) {
	l.long = l.long[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		switch {
		case err == nil && len(l.long) == 0 && !tooLong:
			return part, false, nil
		case errors.Is(err, bufio.ErrBufferFull), err == nil, errors.Is(err, io.EOF):
			if tooLong = tooLong || len(l.long)+len(part) > l.limit; tooLong {
				l.long = nil
			} else {
				l.long = append(l.long, part...)
			}
		default:
			return nil, false, &readFault{err}
		}
		if err == nil || errors.Is(err, io.EOF) {
			if len(l.long) == 0 && !tooLong {
				return nil, false, io.EOF
			}
			return l.long, tooLong, nil
		}
	}
}
