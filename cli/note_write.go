package cli

import (
	"fmt"
	"io"
	"os"
	"strings"

	"dev.lithos/core"
)

func noteWrite() *command {
	return &command{
		name: "write", operation: core.NoteWrite,
		summary: "create a note, or with --id give one another text",
		details: "The text is what --content says, or the file that --file names; - reads standard input. With\n" +
			"neither, a terminal opens your editor ($VISUAL or $EDITOR): with --id on the text the note has. The\n" +
			"heading there is the title. What could not be written is kept, and told where and how to bring it in.\n" +
			"The file is named after the title; --path says in which folder, or names the file itself. Without\n" +
			"TITLE, --file has to begin with it as a heading.\n" +
			"With --id title and text are replaced, and what else is not given stays as it is. Piped, the id is\n" +
			"printed and nothing else.",
		arguments: []argument{{name: "TITLE", parameter: "title", optional: true}},
		flags: []flag{
			{name: "content", value: "TEXT", summary: "the text, in Markdown; - reads standard input"},
			{name: "file", value: "PATH", parameter: "content", completes: fileNames, summary: "take the text from a file; - reads standard input"},
			{name: "id", value: "ID", summary: "the note to give another text"},
			{name: "path", value: "PATH", summary: "folder, or file ending in .md, below the folder of notes"},
			noteTagFlag, noteClearTagsFlag, noteMetaFlag, noteUnsetFlag,
			{name: "clear-meta", parameter: "metadata", summary: "delete all free-form keys"},
			{name: "confidence", value: "NUMBER", summary: "how sure it is, 0 to 1", fallback: "1"},
			{name: "source-task", value: "ID", completes: taskIDs, summary: "the task it came out of"},
			{name: "source-url", value: "URL", summary: "the page it is about; empty for none"},
			{name: "derived-from", value: "ID", parameter: "derived_from_ids", many: true, summary: "a note it was made from; repeat for more"},
			{name: "clear-derived-from", parameter: "derived_from_ids", summary: "it was made from no other note"},
			{name: "ttl-hours", value: "N", summary: "stale after so many hours"},
			{name: "expires-at", value: "TIME", summary: "stale from then on; empty for never"},
			noteVersionFlag,
			{name: "schema-version", value: "N", summary: "version of a schema of yours", fallback: "1"},
			{name: "namespace", value: "NAME", summary: "what it belongs to", fallback: "its folder"},
			{name: "access-scope", value: "SCOPE", words: core.AccessScopes, summary: "whom retrieval shows it: shared, task or agent_private", fallback: core.ScopeShared},
			{name: "type", value: "TYPE", parameter: "note_type", words: core.NoteTypes, summary: "what kind of note it is", fallback: "observation"},
			noteStatusFlag,
			{name: "short", value: "TEXT", parameter: "summaries", summary: "a short summary"},
			{name: "long", value: "TEXT", parameter: "summaries", summary: "a long summary"},
		},
		examples: []string{
			`lithos note write "Busy handling" --content "Begin writes with IMMEDIATE." --tag db --path storage`,
			`echo "From a pipe" | lithos note write "Piped" --content -`,
			`lithos note write "SQLite busy handling" --content "Begin, retry." --id 5f0d3c --expected-version 1`,
		},
		run: runNoteWrite,
	}
}

func runNoteWrite(c *call) error {
	request := core.NoteWriteRequest{
		Title: c.argumentBody(0), Agent: c.agent(), Tags: c.noteTags(), Confidence: c.real("confidence"), Path: c.word("path"), ID: c.word("id"),
		SourceTask: c.word("source-task"), SourceURL: c.word("source-url"), DerivedFromIDs: c.list("derived-from"), TTLHours: c.real("ttl-hours"),
		ExpiresAt: c.expiry(), ExpectedVersion: c.integer("expected-version"), SchemaVersion: c.integer("schema-version"),
		Namespace: c.word("namespace"), AccessScope: c.word("access-scope"), NoteType: c.word("type"), Status: c.word("status"),
		Summaries: c.summaries(), Metadata: c.noteMetadata(),
	}
	if c.on("clear-derived-from") {
		if request.DerivedFromIDs != nil {
			c.refuse(core.InvalidInput(core.ReasonInvalidValue, "derived_from_ids", "--clear-derived-from cannot be used with --derived-from."))
		}
		request.DerivedFromIDs = []string{}
	}
	path, content := c.word("file"), c.word("content")
	if path == nil && !c.isTitled() {
		return c.untitled()
	}
	if path == nil && content == nil && c.canEdit() {
		return c.writeEdited(request)
	}
	if err := c.noteContent(&request); err != nil {
		return core.NoteWrite.Refusal(err)
	}
	result, err := run(c, core.NoteWrite, request)
	if err != nil {
		return err
	}
	if path != nil && c.isKeptText(c.env.absolute(*path)) {
		c.dropText(c.env.absolute(*path))
	}
	if folder := wordOr(request.Path, ""); strings.HasSuffix(strings.ToLower(folder), textSuffix) && !strings.HasSuffix(folder, textSuffix) && request.ID == nil && !c.out.json {
		c.say("lithos: '%s' is a folder now; the name of a file ends in .md.", core.Clip(folder))
	}
	return c.wrote(verbOf(result), result)
}

// verbOf says what a write did.
func verbOf(result core.NoteWriteResult) string {
	if result.Status == "updated" {
		return "Updated"
	}
	return "Created"
}

// expiry returns the value of --expires-at, which may be empty.
func (c *call) expiry() *string {
	if text := c.word("expires-at"); text != nil && *text == "" {
		return text
	}
	return c.moment("expires-at")
}

// summaries builds the summaries of a call; nil when none is given.
func (c *call) summaries() *core.Metadata {
	pairs := &metadataPairs{field: "summaries"}
	for _, name := range []string{"short", "long"} {
		if text := c.word(name); text != nil {
			if err := pairs.addText(name, *text); err != nil {
				c.refuse(err)
			}
		}
	}
	return c.object(pairs)
}

// noteMetadata is metadata, with --clear-meta for none at all.
func (c *call) noteMetadata() *core.Metadata {
	metadata := c.metadata()
	if !c.on("clear-meta") {
		return metadata
	}
	if metadata != nil {
		c.refuse(core.InvalidInput(core.ReasonInvalidValue, "metadata", "--clear-meta deletes all free-form keys; it cannot be used with --meta or --unset."))
	}
	none := core.Metadata("{}")
	return &none
}

// noteContent sets the text of a note: as given, or from a file, which begins
// with the title where none is given. A text that was kept always does.
func (c *call) noteContent(request *core.NoteWriteRequest) (err error) {
	path, text := c.word("file"), c.body("content")
	switch {
	case text != nil && path != nil:
		return core.InvalidInput(core.ReasonInvalidValue, "content", "The text is given twice: with --content and with --file.")
	case text != nil:
		request.Content = *text
		return nil
	case path == nil:
		return core.MissingField("content")
	case *path == "-":
		request.Content = wordOr(c.stdinText("content"), "")
	default:
		if request.Content, err = c.fileText("content", *path); err != nil {
			return err
		}
	}
	titled := c.isTitled()
	if titled && !c.isKeptText(c.env.absolute(*path)) {
		return nil
	}
	title, content := core.SplitNoteText(request.Content, request.Title)
	request.Content = content
	if titled {
		return nil
	}
	if request.Title = title; title == "" {
		return c.untitled()
	}
	return nil
}

// isTitled reports whether the title is given.
func (c *call) isTitled() bool { return len(c.invocation.arguments) > 0 }

// untitled is the error of a note without a title.
func (c *call) untitled() error {
	return usageFault{
		reason: core.ReasonMissingField, field: "title",
		message: "TITLE is missing, and there is no --file that begins with it as a heading. Usage: " + c.invocation.command.usage(),
	}.err()
}

// fileText reads a file as the value of a field.
func (c *call) fileText(field, path string) (text string, err error) {
	file, err := os.Open(c.env.absolute(path))
	if err == nil {
		var b []byte
		b, err = io.ReadAll(io.LimitReader(file, maxStdinText+1))
		if closeErr := file.Close(); err == nil {
			err = closeErr
		}
		text = string(b)
	}
	if err != nil {
		return "", core.InvalidValue(field, path, fmt.Sprintf("The file '%s' cannot be read: %s.", core.Clip(path), plainReason(err)))
	}
	c.checkReadable(field, text)
	return text, nil
}
