package pages

import (
	"encoding/binary"
	"math"
)

// varint reads a number of variable length; size 0 when it does not end.
func varint(b []byte) (n int64, size int) {
	var v uint64
	for i := range min(len(b), 9) {
		if i == 8 {
			return int64(v<<8 | uint64(b[i])), 9 //nolint:gosec // two's complement, as the format has it
		}
		v = v<<7 | uint64(b[i]&0x7f)
		if b[i] < 0x80 {
			return int64(v), i + 1 //nolint:gosec // at most 56 bits
		}
	}
	return 0, 0
}

// contentSize is how many bytes a value of a serial type takes; -1 for one
// that no record has.
func contentSize(serial int64) int64 {
	switch {
	case serial < 0 || serial == 10 || serial == 11:
		return -1
	case serial >= 12:
		return (serial - 12) / 2
	case serial == 5:
		return 6
	case serial == 6 || serial == 7:
		return 8
	case serial >= 8:
		return 0
	}
	return serial
}

// decode takes a record apart: nil, int64, float64, string and []byte for the
// values. False when the bytes are no record.
func decode(record []byte) (values []any, ok bool) {
	head, size := varint(record)
	if size == 0 || head < int64(size) || head > int64(len(record)) {
		return nil, false
	}
	types, body := record[size:head], record[head:]
	for len(types) > 0 {
		serial, size := varint(types)
		if size == 0 {
			return nil, false
		}
		types = types[size:]
		length := contentSize(serial)
		if length < 0 || length > int64(len(body)) {
			return nil, false
		}
		values = append(values, valueOf(serial, body[:length]))
		body = body[length:]
	}
	return values, len(body) == 0
}

// valueOf is the value of a serial type that some bytes hold.
func valueOf(serial int64, content []byte) any {
	switch {
	case serial == 0:
		return nil
	case serial == 7:
		return math.Float64frombits(binary.BigEndian.Uint64(content))
	case serial == 8 || serial == 9:
		return serial - 8
	case serial < 12:
		n := int64(int8(content[0])) //nolint:gosec // the sign is in the first byte
		for _, b := range content[1:] {
			n = n<<8 | int64(b)
		}
		return n
	case serial%2 == 0:
		return append([]byte{}, content...)
	}
	return string(content)
}
