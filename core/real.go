package core

import (
	"bytes"
	"math"
	"strconv"
)

// Real is a number that results write as a real one also when it is whole:
// 1.0, 0.5, 0.0164. It must be finite.
type Real float64

// MarshalJSON returns the shortest text that reads back as the same number.
func (r Real) MarshalJSON() ([]byte, error) { return r.Append(nil), nil }

// Append appends the text of [Real.MarshalJSON].
func (r Real) Append(dst []byte) []byte {
	f := float64(r)
	format := byte('f')
	if a := math.Abs(f); a != 0 && (a < 1e-5 || a >= 1e16) {
		format = 'e'
	}
	start := len(dst)
	dst = strconv.AppendFloat(dst, f, format, -1, 64)
	if bytes.IndexByte(dst[start:], '.') < 0 && format == 'f' {
		dst = append(dst, ".0"...)
	}
	return dst
}
