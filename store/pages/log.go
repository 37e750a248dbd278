package pages

import "encoding/binary"

// The log, by the chapter on the WAL format: a header, then frames, each of
// which holds a page as a commit has left it.
const (
	logHeader   = 32
	frameHeader = 24
	logMagic    = 0x377f0682 // its last bit says in which order sums read bytes
	logVersion  = 3007000
)

// sum is the checksum that runs through a log.
type sum struct {
	order binary.ByteOrder
	a, b  uint32
}

// add goes on over some bytes, which are a multiple of eight.
func (s *sum) add(data []byte) {
	for ; len(data) >= 8; data = data[8:] {
		s.a += s.order.Uint32(data) + s.b
		s.b += s.order.Uint32(data[4:]) + s.a
	}
}

func (s *sum) is(data []byte) bool {
	return binary.BigEndian.Uint32(data) == s.a && binary.BigEndian.Uint32(data[4:]) == s.b
}

// readLog finds the newest committed form of each page in the log, and returns
// how many pages the file has with it; 0 when it holds no commit. As the engine
// does, it goes as far as the checksums hold, and no further than the last
// commit.
func (f *File) readLog(logSize int64) (pages uint32) {
	head := make([]byte, logHeader)
	if _, err := f.log.ReadAt(head, 0); err != nil {
		f.badLog = true
		return 0
	}
	kind := binary.BigEndian.Uint32(head)
	running := &sum{order: binary.LittleEndian}
	if kind&1 != 0 {
		running.order = binary.BigEndian
	}
	running.add(head[:24])
	size := pageSize(binary.BigEndian.Uint32(head[8:]))
	if kind&^1 != logMagic || binary.BigEndian.Uint32(head[4:]) != logVersion || size == 0 || !running.is(head[24:]) {
		f.badLog = true
		return 0
	}
	if f.size == 0 {
		f.size = size
	}
	if size != f.size {
		f.badLog = true
		return 0
	}
	committed, pending := map[uint32]int64{}, map[uint32]int64{}
	frame := make([]byte, frameHeader+size)
	for at := int64(logHeader); at+int64(len(frame)) <= logSize; at += int64(len(frame)) {
		if _, err := f.log.ReadAt(frame, at); err != nil {
			break
		}
		number, after := binary.BigEndian.Uint32(frame), binary.BigEndian.Uint32(frame[4:])
		if string(frame[8:16]) != string(head[16:24]) || number == 0 {
			break // of an older round
		}
		running.add(frame[:8])
		running.add(frame[frameHeader:])
		if !running.is(frame[16:]) {
			break
		}
		pending[number] = at + frameHeader
		if after == 0 {
			continue
		}
		for n, place := range pending {
			committed[n] = place
		}
		clear(pending)
		pages = after
	}
	f.frames = committed
	return pages
}
