package core

import "slices"

// Imports and exports keep in memory which tasks and edges there are. The two
// types here keep that small: there may well be millions.

// IDIndex maps ids to numbers. Ids that are UUIDs, as nearly all are, take half
// of the room that texts would, and nothing for the garbage collector to follow.
type IDIndex struct {
	uuids  map[[16]byte]int32
	others map[string]int32
}

// NewIDIndex makes an empty index.
func NewIDIndex() *IDIndex { return &IDIndex{map[[16]byte]int32{}, map[string]int32{}} }

// Find returns the number of an id.
func (x *IDIndex) Find(id string) (number int, found bool) {
	var n int32
	if uuid, is := packUUID(id); is {
		n, found = x.uuids[uuid]
	} else {
		n, found = x.others[id]
	}
	return int(n), found
}

// Set gives an id a number.
func (x *IDIndex) Set(id string, number int) {
	if uuid, is := packUUID(id); is {
		x.uuids[uuid] = int32(number)
	} else {
		x.others[id] = int32(number)
	}
}

// packUUID packs an id that is a UUID as this program writes them; another
// spelling of the same UUID is another id.
func packUUID(id string) (uuid [16]byte, is bool) {
	if len(id) != 36 {
		return uuid, false
	}
	at := 0
	for i := 0; i < len(id); i++ {
		if i == 8 || i == 13 || i == 18 || i == 23 {
			if id[i] != '-' {
				return uuid, false
			}
			continue
		}
		var digit byte
		switch c := id[i]; {
		case c >= '0' && c <= '9':
			digit = c - '0'
		case c >= 'a' && c <= 'f':
			digit = c - 'a' + 10
		default:
			return uuid, false
		}
		uuid[at/2] = uuid[at/2]<<4 | digit
		at++
	}
	return uuid, true
}

// edgeName is what makes two edges the same one: both ends and the type. Keys
// of tasks are dense, so 31 bits are enough for as many as a store can have.
type edgeName uint64

func edgeNameOf(from, to TaskKey, t EdgeType) edgeName {
	return edgeName(from)<<33 | edgeName(to)<<2 | edgeName(slices.Index(EdgeTypes, t))
}
