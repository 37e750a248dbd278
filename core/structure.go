package core

import "bytes"

// Structure is a JSON object or list as compact text.
type Structure string

// MarshalJSON returns the object or list.
func (s Structure) MarshalJSON() ([]byte, error) { return []byte(s), nil }

// ParseStructure normalises the JSON text of an object or a list: compact, of
// a key given twice the last.
func ParseStructure(src []byte) (Structure, error) {
	src = bytes.TrimLeft(src, " \t\r\n")
	if len(src) == 0 || src[0] != '{' && src[0] != '[' {
		return "", errNoObject
	}
	text, err := normalizeJSON(src)
	return Structure(text), err
}
