package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"dev.lithos/cli/mcpserver"
	"dev.lithos/core"
	"dev.lithos/store/files"
)

// agentsFile is the file that agents read before they work in a project.
const agentsFile = "AGENTS.md"

// What stands between these lines belongs to lithos; the rest of the file does
// not.
const (
	blockBegin = "<!-- lithos: begin -->"
	blockEnd   = "<!-- lithos: end -->"
)

// maxAgentsFile bounds the instruction files that are read, in bytes.
const maxAgentsFile = 1 << 20

// The outcomes of writing the instructions.
const (
	agentsCreated   = "created"
	agentsUpdated   = "updated"
	agentsUnchanged = "unchanged"
)

// agentsResult tells where agents find their instructions.
type agentsResult struct {
	Path   string `json:"path"`
	Status string `json:"status"`
}

// writeAgentsBlock puts the instructions for agents into the file of a
// project's folder, or renews them there. Text around them stays as it is.
func writeAgentsBlock(disk files.Disk, folder string) (*agentsResult, error) {
	path := filepath.Join(folder, agentsFile)
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // the file is replaced, not the link to it
	}
	result := &agentsResult{Path: path, Status: agentsUpdated}
	mode := fs.FileMode(0o644)
	var before []byte
	switch info, err := disk.Stat(path); {
	case errors.Is(err, fs.ErrNotExist):
		result.Status = agentsCreated
	case err != nil:
		return nil, agentsError(path, err)
	case !info.Mode().IsRegular():
		return nil, agentsError(path, errors.New("it is no ordinary file"))
	default:
		mode = info.Mode().Perm()
		if before, err = disk.ReadAtMost(path, maxAgentsFile); err != nil {
			return nil, agentsError(path, err)
		}
	}
	after, err := withAgentsBlock(string(before))
	if err != nil {
		return nil, agentsError(path, err)
	}
	if bytes.Equal(before, []byte(after)) && result.Status != agentsCreated {
		result.Status = agentsUnchanged
		return result, nil
	}
	if err := disk.Replace(path, []byte(after), mode); err != nil {
		return nil, agentsError(path, err)
	}
	return result, nil
}

// withAgentsBlock returns a text with the block of now: in the place of the
// one that is there, else at the end. Its lines end as those of the text do.
func withAgentsBlock(text string) (string, error) {
	newline := "\n"
	if strings.Contains(text, "\r\n") {
		newline = "\r\n"
	}
	block := blockBegin + "\n" + mcpserver.PasteIn + blockEnd
	block = strings.ReplaceAll(block, "\n", newline)
	begin, end := strings.Index(text, blockBegin), strings.Index(text, blockEnd)
	switch {
	case strings.Count(text, blockBegin) > 1 || strings.Count(text, blockEnd) > 1:
		return "", fmt.Errorf("it holds '%s' or '%s' more than once", blockBegin, blockEnd)
	case begin < 0 && end < 0:
		if text == "" {
			return block + newline, nil
		}
		gap := newline + newline
		switch {
		case strings.HasSuffix(text, gap):
			gap = ""
		case strings.HasSuffix(text, newline):
			gap = newline
		}
		return text + gap + block + newline, nil
	case begin < 0 || end < begin:
		return "", fmt.Errorf("of the lines '%s' and '%s' one is missing or they are the wrong way round", blockBegin, blockEnd)
	}
	return text[:begin] + block + text[end+len(blockEnd):], nil
}

func agentsError(path string, err error) error {
	if errors.Is(err, files.ErrTooLong) {
		err = fmt.Errorf("it is longer than %d bytes", maxAgentsFile)
	}
	reason := err.Error()
	if errno := (&fs.PathError{}); errors.As(err, &errno) || errors.As(err, new(*os.LinkError)) {
		reason = plainReason(err)
	}
	return core.InvalidValue("agents", path, fmt.Sprintf("The instructions for agents cannot be written to '%s': %s. The store is there all the same.", path, reason))
}
