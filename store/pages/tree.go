package pages

import "encoding/binary"

// Set are the pages whose place in the file is known.
type Set []bool

// NewSet is an empty set.
func (f *File) NewSet() Set { return make(Set, f.count+1) }

// Has reports whether a page is in it.
func (s Set) Has(n uint32) bool { return int64(n) < int64(len(s)) && s[n] }

// add puts a page in; false when it was in it, or cannot be.
func (s Set) add(n uint32) bool {
	if n == 0 || int64(n) >= int64(len(s)) || s[n] {
		return false
	}
	s[n] = true
	return true
}

// Tree are the pages that hold the rows of a table.
type Tree struct {
	Leaves   []uint32
	Suspects []uint32 // that should hold rows, or lead to some, and do not say so
	Whole    bool     // every page was what it should be
}

// Table goes through the tree of a table and puts its pages into a set. A page
// that is in it already belongs to something else.
func (f *File) Table(root uint32, known Set) Tree {
	t := Tree{Whole: true}
	f.walk(root, known, true, func(p page) {
		if p.kind == tableLeaf {
			t.Leaves = append(t.Leaves, p.number)
		}
	}, func(n uint32) {
		t.Whole = false
		if n > 0 {
			t.Suspects = append(t.Suspects, n)
		}
	})
	return t
}

// Index goes through the tree of an index, puts its pages into a set and
// yields the records; whole when all could be read.
func (f *File) Index(root uint32, known Set, yield func(values []any)) (whole bool) {
	whole = true
	f.walk(root, known, false, func(p page) {
		for i := range p.cells {
			if values, ok := p.record(i); ok {
				yield(values)
			} else {
				whole = false
			}
		}
	}, func(uint32) { whole = false })
	return whole
}

// walk visits the pages of a tree from left to right and tells of those that
// are none of it; of 0 when there may be some that are not known.
func (f *File) walk(root uint32, known Set, isTable bool, visit func(page), fault func(n uint32)) {
	for todo := []uint32{root}; len(todo) > 0; {
		n := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		if !known.add(n) {
			fault(0)
			continue
		}
		p, ok := f.page(n, 0)
		if !ok || p.kind.isTable() != isTable {
			known[n] = false // whatever it is
			fault(n)
			continue
		}
		visit(p)
		if !p.kind.isInner() {
			continue
		}
		children, whole := p.children()
		if !whole {
			fault(0)
		}
		for i := len(children) - 1; i >= 0; i-- {
			todo = append(todo, children[i])
		}
	}
}

// Free puts the pages of the list of free ones into a set. Where the list is
// not whole, pages that look like parts of it count too.
func (f *File) Free(known Set) (whole bool) {
	found := uint32(0)
	whole = f.header != nil
	if whole {
		for n := f.header.firstFree; n != 0 && whole; {
			var list []uint32
			next, list, ok := f.trunk(n)
			if whole = ok && known.add(n); !whole {
				break
			}
			found++
			for _, free := range list {
				whole = known.add(free) && whole
				found++
			}
			n = next
		}
		whole = whole && found == f.header.free
	}
	if whole {
		return true
	}
	for n := uint32(2); n <= f.count; n++ {
		if known.Has(n) {
			continue
		}
		if _, list, ok := f.trunk(n); ok && len(list) > 0 {
			known.add(n)
			for _, free := range list {
				known.add(free)
			}
		}
	}
	return false
}

// trunk reads a page that lists free ones.
func (f *File) trunk(n uint32) (next uint32, list []uint32, ok bool) {
	data := make([]byte, f.size)
	if !f.read(n, data) {
		return 0, nil, false
	}
	next = binary.BigEndian.Uint32(data)
	count := binary.BigEndian.Uint32(data[4:])
	if next == n || next == 1 || next > f.count || int64(count) > int64(f.usable/4-2) {
		return 0, nil, false
	}
	seen := map[uint32]bool{n: true}
	for i := range count {
		free := binary.BigEndian.Uint32(data[8+4*i:])
		if free < 2 || free > f.count || seen[free] {
			return 0, nil, false
		}
		seen[free] = true
		list = append(list, free)
	}
	return next, list, true
}
