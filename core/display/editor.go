package display

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
)

// EditorFault says why the editor that a command names was of no use: it could
// not be started, or it failed.
func EditorFault(command string, err error) string {
	if ended := (interface{ ExitCode() int })(nil); errors.As(err, &ended) {
		return fmt.Sprintf("The editor '%s' failed: %s.", command, err)
	}
	reason := err
	for path := (*fs.PathError)(nil); errors.As(reason, &path); {
		reason = path.Err
	}
	return fmt.Sprintf("The editor '%s' could not be started: %s. Name another with $VISUAL or $EDITOR.", command, strings.TrimSuffix(reason.Error(), "."))
}
