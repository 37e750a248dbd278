package pages

import (
	"encoding/binary"
	"errors"
	"io"
	"math/bits"
)

// Sizes of pages that the format knows, in bytes, and the one that files have
// unless somebody chose another.
const (
	smallestPage = 512
	largestPage  = 65536
	usualPage    = 4096
	leastUsable  = 480
)

// headerSize is how many bytes of the first page describe the file.
const headerSize = 100

const magic = "SQLite format 3\x00"

// Header is what the first page says of the file.
type Header struct {
	ApplicationID uint32
	UserVersion   uint32

	firstFree uint32 // page at which the list of free ones begins, 0 for none
	free      uint32 // how many there are
}

// File is a database file with its log.
type File struct {
	main   io.ReaderAt
	log    io.ReaderAt
	size   int              // of a page, in bytes
	usable int              // of these, without what is kept free at the end
	count  uint32           // of pages
	frames map[uint32]int64 // where in the log the newest committed form of a page lies
	header *Header

	badLog bool
}

// Open reads what a file says of itself. Sizes are in bytes; log is nil where
// there is none. The only error is that of a file without any page.
func Open(main io.ReaderAt, mainSize int64, log io.ReaderAt, logSize int64) (*File, error) {
	f := &File{main: main, log: log}
	first := make([]byte, headerSize)
	n, err := main.ReadAt(first, 0)
	if err != nil && !errors.Is(err, io.EOF) {
		n = 0 // it is as good as damaged
	}
	reserved := 0
	if n == headerSize && string(first[:len(magic)]) == magic {
		if size := pageSize(uint32(binary.BigEndian.Uint16(first[16:]))); size-int(first[20]) >= leastUsable {
			f.size, reserved = size, int(first[20])
		}
	}
	pages := uint32(0)
	if log != nil && logSize > 0 {
		pages = f.readLog(logSize)
	}
	if f.size == 0 {
		f.guess(mainSize)
	}
	f.usable = f.size - reserved
	f.count = uint32(min((mainSize+int64(f.size)-1)/int64(f.size), 1<<32-2)) //nolint:gosec // bounded
	if pages > 0 {                                                           // what lies behind the end of the file lies in the log
		f.count = uint32(min(int64(pages), int64(f.count)+int64(len(f.frames)))) //nolint:gosec // bounded
	}
	if f.count == 0 {
		return nil, errors.New("the file is empty")
	}
	f.readHeader()
	return f, nil
}

// pageSize is the size that a header means, 0 for none that can be.
func pageSize(stored uint32) int {
	if stored == 1 {
		stored = largestPage
	}
	if stored < smallestPage || stored > largestPage || bits.OnesCount32(stored) != 1 {
		return 0
	}
	return int(stored)
}

// readHeader reads the first page as it is with the log.
func (f *File) readHeader() {
	first := make([]byte, f.size)
	if !f.read(1, first) || string(first[:len(magic)]) != magic {
		return
	}
	at := func(i int) uint32 { return binary.BigEndian.Uint32(first[i:]) }
	f.header = &Header{ApplicationID: at(68), UserVersion: at(60), firstFree: at(32), free: at(36)}
}

// guessed is how many bytes are looked at to guess how large pages are.
const guessed = 8 << 20

// guess finds the size of pages with which most rows can be read.
func (f *File) guess(mainSize int64) {
	best := 0
	f.size = usualPage
	for _, size := range []int{usualPage, 512, 1024, 2048, 8192, 16384, 32768, largestPage} {
		try := &File{main: f.main, size: size, usable: size, count: uint32(min(mainSize, guessed) / int64(size))} //nolint:gosec // bounded
		rows := 0
		for n := uint32(2); n <= try.count; n++ {
			try.Rows(n, false, func(r Row) bool {
				if r.Whole {
					rows++
				}
				return r.Whole
			})
		}
		if rows > best {
			best, f.size = rows, size
		}
	}
}

// Header is what the first page says; false when it cannot be read.
func (f *File) Header() (Header, bool) {
	if f.header == nil {
		return Header{}, false
	}
	return *f.header, true
}

// Pages is how many pages there are; they are numbered from 1.
func (f *File) Pages() uint32 { return f.count }

// LogIsDamaged reports whether there is a log of which nothing can be read.
func (f *File) LogIsDamaged() bool { return f.badLog }

// read reads a page. What lies behind the end of the file reads as zero.
func (f *File) read(n uint32, into []byte) bool {
	if n == 0 || n > f.count {
		return false
	}
	if at, ok := f.frames[n]; ok {
		if _, err := f.log.ReadAt(into, at); err == nil {
			return true
		}
		// The log was folded in meanwhile: the file has the same page.
	}
	got, err := f.main.ReadAt(into, int64(n-1)*int64(f.size))
	if err != nil && !(errors.Is(err, io.EOF) && got > 0) {
		return false
	}
	clear(into[got:])
	return true
}
