package pages

import "encoding/binary"

// kind is what a page of a tree is.
type kind byte

const (
	indexInner kind = 2
	tableInner kind = 5
	indexLeaf  kind = 10
	tableLeaf  kind = 13
)

func (k kind) isInner() bool { return k == indexInner || k == tableInner }
func (k kind) isTable() bool { return k == tableInner || k == tableLeaf }

// page is one page of a tree.
type page struct {
	*File
	number uint32
	data   []byte // as far as it can be used
	kind   kind
	start  int // where its own header begins
	first  int // where its list of cells begins
	cells  int
}

// page reads a page of a tree. With as it is read as one of that kind whatever
// it says itself.
func (f *File) page(n uint32, as kind) (p page, ok bool) {
	data := make([]byte, f.size)
	if !f.read(n, data) {
		return p, false
	}
	p = page{File: f, number: n, data: data[:f.usable]}
	if n == 1 {
		p.start = headerSize
	}
	p.kind = kind(data[p.start])
	if as != 0 {
		p.kind = as
	}
	switch p.kind {
	case tableLeaf, indexLeaf:
		p.first = p.start + 8
	case tableInner, indexInner:
		p.first = p.start + 12
	default:
		return p, false
	}
	p.cells = int(binary.BigEndian.Uint16(data[p.start+3:]))
	return p, p.first+2*p.cells <= f.usable
}

// cell is what follows on the page from where a cell begins, nil when it lies
// where none can be.
func (p page) cell(i int) []byte {
	at := int(binary.BigEndian.Uint16(p.data[p.first+2*i:]))
	if at < p.first+2*p.cells || at >= len(p.data) {
		return nil
	}
	return p.data[at:]
}

// children are the pages below an inner one, as far as they can be told.
func (p page) children() (list []uint32, whole bool) {
	whole = true
	for i := range p.cells {
		cell := p.cell(i)
		if len(cell) < 4 {
			whole = false
			continue
		}
		list = append(list, binary.BigEndian.Uint32(cell))
	}
	return append(list, binary.BigEndian.Uint32(p.data[p.start+8:])), whole
}

// local is how much of a payload lies on the page of its cell.
func (p page) local(payload int64) int64 {
	usable := int64(p.usable)
	most := usable - 35
	if !p.kind.isTable() {
		most = (usable-12)*64/255 - 23
	}
	if payload <= most {
		return payload
	}
	least := (usable-12)*32/255 - 23
	if n := least + (payload-least)%(usable-4); n <= most {
		return n
	}
	return least
}

// payload is the record of a cell, together with what of it lies on other
// pages; rest begins with it.
func (p page) payload(size int64, rest []byte) (record []byte, ok bool) {
	if size < 0 || size > int64(p.count)*int64(p.usable) {
		return nil, false
	}
	local := p.local(size)
	if local > int64(len(rest)) {
		return nil, false
	}
	record = rest[:local:local]
	if local == size {
		return record, true
	}
	if local+4 > int64(len(rest)) {
		return nil, false
	}
	next := binary.BigEndian.Uint32(rest[local:])
	data := make([]byte, p.size)
	// A chain that leads in a circle comes back to the page that was kept last,
	// twice as far along each time.
	kept, steps, limit := uint32(0), 0, 1
	for int64(len(record)) < size {
		if next < 2 || next == kept || !p.read(next, data) {
			return nil, false
		}
		if steps++; steps == limit {
			kept, limit = next, 2*limit
		}
		next = binary.BigEndian.Uint32(data)
		record = append(record, data[4:min(int64(p.usable), 4+size-int64(len(record)))]...)
	}
	return record, next == 0
}

// Row is a row of a table as it lies on a page.
type Row struct {
	Cell   int   // which of the page's it is, from 0
	Number int64 // its row id
	Values []any // nil, int64, float64, string or []byte
	Whole  bool  // else it cannot be read
}

// row reads a cell of a leaf of a table.
func (p page) row(i int) Row {
	r := Row{Cell: i}
	rest := p.cell(i)
	size, n := varint(rest)
	if n == 0 {
		return r
	}
	number, m := varint(rest[n:])
	if m == 0 {
		return r
	}
	r.Number = number
	record, ok := p.payload(size, rest[n+m:])
	if ok {
		r.Values, r.Whole = decode(record)
	}
	return r
}

// Rows yields the rows of a page, also those that cannot be read, until it is
// told to stop; false for a page that is no leaf of a table. With anyway the
// page is read as one whatever it says of itself.
func (f *File) Rows(n uint32, anyway bool, yield func(Row) bool) (isLeaf bool) {
	as := kind(0)
	if anyway {
		as = tableLeaf
	}
	p, ok := f.page(n, as)
	if !ok || p.kind != tableLeaf {
		return false
	}
	for i := range p.cells {
		if !yield(p.row(i)) {
			break
		}
	}
	return true
}

// Row reads one row again.
func (f *File) Row(n uint32, cell int) Row {
	if p, ok := f.page(n, tableLeaf); ok && cell < p.cells {
		return p.row(cell)
	}
	return Row{Cell: cell}
}

// record reads a cell of a page of an index.
func (p page) record(i int) (values []any, ok bool) {
	rest := p.cell(i)
	if p.kind.isInner() {
		if len(rest) < 4 {
			return nil, false
		}
		rest = rest[4:]
	}
	size, n := varint(rest)
	if n == 0 {
		return nil, false
	}
	record, ok := p.payload(size, rest[n:])
	if !ok {
		return nil, false
	}
	return decode(record)
}
