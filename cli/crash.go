package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"dev.lithos/core"
)

// panicked is a panic that was caught where it could not be reported.
type panicked struct {
	fault any
	stack []byte
}

func (p *panicked) Error() string { return fmt.Sprintf("panic: %v", p.fault) }

// crashed writes a report of a panic and returns the error to answer with.
// The report holds what went wrong and where, but no values of the call.
func (s *session) crashed(fault any, stack []byte) *core.Error {
	return core.InternalError(fmt.Errorf("panic: %v", fault), s.writeCrash(fault, stack))
}

// writeCrash writes the report and returns its path, nil if it could not be
// written.
func (s *session) writeCrash(fault any, stack []byte) *string {
	folder := filepath.Join(s.env.StateHome, "lithos")
	if err := s.env.Files.MakeFolders(folder, 0o700); err != nil {
		return nil
	}
	file, err := s.env.Files.CreateTemporary(folder, "crash-"+s.env.Now().UTC().Format("20060102T150405Z")+"-*.txt")
	if err != nil {
		return nil
	}
	text := fmt.Sprintf("lithos %s %s\nstore %s\n\n%v\n\n%s", Version, revision(), s.place.path, fault, stack)
	_, err = file.Write([]byte(s.mask(text)))
	if closeErr := file.Close(); err != nil || closeErr != nil {
		return nil
	}
	path := file.Name()
	return &path
}

// isSecret reports whether the value of an environment variable is to be kept
// out of reports, by its name.
func isSecret(name string) bool {
	name = strings.ToLower(name)
	return slices.ContainsFunc([]string{"token", "secret", "passw", "key", "credential"}, func(part string) bool {
		return strings.Contains(name, part)
	})
}

// mask replaces the values of secret environment variables in a text.
func (s *session) mask(text string) string {
	for _, variable := range s.env.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if len(value) >= 6 && isSecret(name) {
			text = strings.ReplaceAll(text, value, "***")
		}
	}
	return text
}
