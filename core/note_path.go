package core

import (
	"fmt"
	"strings"
)

const (
	// maxSegmentBytes is how long the name of a file or folder can be on every
	// file system.
	maxSegmentBytes = 255
	// maxPathBytes bounds a whole path so that with the folder of notes before
	// it the system still takes it.
	maxPathBytes = 3_000
	// maxSegments is how deep a new note can lie, itself included.
	maxSegments = 32
)

// newNotePath is the file of a new note: where path says, or at the root when
// it says nothing. byTitle reports whether its name derives from the title.
func newNotePath(path *string, title string) (file string, byTitle bool, err error) {
	name := slugOf(title) + noteSuffix
	given := valueOr(path, "")
	switch {
	case given == "":
		return name, true, nil
	case strings.HasSuffix(given, noteSuffix):
		return given, false, checkNotePath("path", given)
	}
	if err := checkNotePath("path", given); err != nil {
		return "", false, err
	}
	file = given + "/" + name
	if len(file) > maxPathBytes {
		return "", false, badPath("path", given, "is too long")
	}
	if strings.Count(file, "/") >= maxSegments {
		return "", false, badPath("path", given, fmt.Sprintf("has with the file more than %d parts", maxSegments))
	}
	return file, true, nil
}

// checkNotePath judges a path that a caller gives.
func checkNotePath(field, path string) error {
	switch {
	case strings.HasPrefix(path, "/"):
		return badPath(field, path, "must be relative to the folder of notes")
	case strings.Contains(path, `\`):
		return badPath(field, path, "must not hold a backslash")
	case hasControl(path):
		return badPath(field, path, "must not hold control characters")
	case len(path) > maxPathBytes:
		return badPath(field, path, "is too long")
	}
	segments := strings.Split(path, "/")
	if len(segments) > maxSegments {
		return badPath(field, path, fmt.Sprintf("has more than %d parts", maxSegments))
	}
	for i, segment := range segments {
		switch {
		case segment == "":
			return badPath(field, path, "has an empty part")
		case segment == "..":
			return badPath(field, path, "leads out of the folder of notes")
		case segment[0] == '.':
			return badPath(field, path, "has a part that begins with a dot")
		case len(segment) > maxSegmentBytes:
			return badPath(field, path, fmt.Sprintf("has a part of more than %d bytes", maxSegmentBytes))
		case i < len(segments)-1 && strings.HasSuffix(segment, noteSuffix):
			return badPath(field, path, "has a folder whose name ends in '.md'")
		}
	}
	return nil
}

func badPath(field, path, what string) error {
	return InvalidValue(field, path, fmt.Sprintf("'%s' %s.", field, what))
}

// readPath is the file that a path given to read means: without a suffix it
// gets .md. Whether it leads out of the folder is all that is judged; a file
// that cannot be is simply not there.
func readPath(field, path string) (string, error) {
	if strings.HasPrefix(path, "/") || strings.Contains(path, `\`) {
		return "", badPath(field, path, "must be relative to the folder of notes")
	}
	var kept []string
	for _, segment := range strings.Split(path, "/") {
		switch segment {
		case "", ".":
		case "..":
			if len(kept) == 0 {
				return "", badPath(field, path, "leads out of the folder of notes")
			}
			kept = kept[:len(kept)-1]
		default:
			kept = append(kept, segment)
		}
	}
	if len(kept) == 0 {
		return "", badPath(field, path, "names no file")
	}
	name := kept[len(kept)-1]
	if i := strings.LastIndexByte(name, '.'); i <= 0 || i == len(name)-1 {
		kept[len(kept)-1] = name + noteSuffix
	}
	return strings.Join(kept, "/"), nil
}
