package store

import (
	"math"
)

// survivors reads what can be read of a table whose pages may be damaged: from
// either end up to the damage, and then, dividing what lies between again and
// again, whatever else can be reached.
type survivors struct {
	*tx
	table   string
	columns string           // read of each row, after its number
	scan    func(*row) error // the number of the row is column 0
	first   int64            // bounds of the numbers that rows may have where
	last    int64            // nothing can be read
	broken  bool             // something could not be read
	seen    map[int64]bool   // the numbers of the rows that were handed over
	tries   int
}

// maxTries bounds the reads that meet damage, so that a table of which nothing
// is left does not take for ever.
const maxTries = 200_000

// beyond is how far rows are looked for past those that are known.
const beyond = 20_000

// run hands over all rows that can be read.
func (s *survivors) run() error {
	s.seen = map[int64]bool{}
	low, high, err := s.ends(math.MinInt64, math.MaxInt64)
	if err != nil || low > high {
		return err
	}
	// Now it is worth to find out between which numbers there can be rows.
	s.first, s.last = 0, 0
	if low != math.MinInt64 {
		s.first = low
	}
	if high != math.MaxInt64 {
		s.last = high
	} else if s.last, err = s.highest(low); err != nil {
		return err
	}
	return s.between(max(low, s.first), min(high, s.last))
}

// between hands over the rows of a range.
func (s *survivors) between(low, high int64) error {
	for low <= high {
		var err error
		if low, high, err = s.ends(low, high); err != nil || low >= high {
			return err
		}
		middle := low + (high-low)/2
		if err := s.between(low, middle); err != nil {
			return err
		}
		low = middle + 1
	}
	return nil
}

// ends hands over the rows from both ends of a range up to what cannot be
// read, and returns the range that is left; an empty one when all was read.
func (s *survivors) ends(low, high int64) (left, right int64, err error) {
	if s.tries >= maxTries {
		return 1, 0, nil
	}
	left, right = low, high
	whole, err := s.walk("ASC", left, right, func(n int64) { left = n + 1 })
	if err != nil || whole {
		return 1, 0, err
	}
	whole, err = s.walk("DESC", left, right, func(n int64) { right = n - 1 })
	if err != nil || whole {
		return 1, 0, err
	}
	return left, right, nil
}

// walk reads the rows of a range in a direction and tells of each but that of
// the last number. It is whole when nothing stood in the way.
func (s *survivors) walk(direction string, low, high int64, passed func(n int64)) (whole bool, err error) {
	sql := "SELECT rowid, " + s.columns + " FROM " + quoteName(s.table) + " NOT INDEXED WHERE rowid BETWEEN ? AND ? ORDER BY rowid " + direction
	whole = true
	err = s.each(sql, func(r *row) error {
		n := r.int(0)
		if s.seen[n] { // pages lead in circles
			whole = false
			return errStop
		}
		s.seen[n] = true
		if err := s.scan(r); err != nil {
			return err
		}
		switch {
		case n < low || n > high:
			return nil // a number that is damaged has been before it
		case low == high:
			return errStop
		case direction == "ASC" && n == high || direction == "DESC" && n == low:
			return errStop
		case direction == "ASC":
			low = n + 1
		default:
			high = n - 1
		}
		passed(n)
		return nil
	}, low, high)
	if err == nil && whole {
		return true, nil
	}
	s.broken = true
	s.tries++
	return false, damageApart(err)
}

// highest is the number above which no rows are looked for; known is one that
// was reached.
func (s *survivors) highest(known int64) (int64, error) {
	numbers, _, err := s.numbers()
	if err != nil {
		return 0, err
	}
	last := max(known, 0)
	for n := range numbers {
		last = max(last, n)
	}
	if last > math.MaxInt64-beyond {
		return math.MaxInt64, nil
	}
	return last + beyond, nil
}

// numbers are those of the rows that the indexes of the table know, as far as
// they can be read; whole when one of them could be read to its end.
func (s *survivors) numbers() (known map[int64]bool, whole bool, err error) {
	objects, err := s.objects()
	if err != nil {
		return nil, false, err
	}
	known = map[int64]bool{}
	for _, index := range objects {
		if index.kind != "index" || index.table != s.table || index.condition() != "" {
			continue
		}
		err := s.each("SELECT rowid FROM "+quoteName(s.table)+" INDEXED BY "+quoteName(index.name), func(r *row) error {
			known[r.int(0)] = true
			return nil
		})
		if damageApart(err) != nil {
			return nil, false, err
		}
		if err == nil {
			return known, true, nil
		}
	}
	return known, false, nil
}
