package core

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// NoteWriteRequest asks for a new note, or with an id for another text of one.
type NoteWriteRequest struct {
	Title           string    `json:"title" check:"note_title"`
	Content         string    `json:"content" doc:"Markdown, without the title line."`
	Agent           string    `json:"agent" check:"name"`
	Tags            []string  `json:"tags" check:"tags"`
	Confidence      *float64  `json:"confidence" doc:"0 to 1; new notes: 1."`
	Path            *string   `json:"path" doc:"New notes: folder, or file ending in .md."`
	ID              *string   `json:"id" doc:"Of the note to update; without it one is created."`
	SourceTask      *string   `json:"source_task" doc:"Task the note came out of."`
	SourceURL       *string   `json:"source_url" check:"url" doc:"Belongs to one note only; \"\" clears."`
	DerivedFromIDs  []string  `json:"derived_from_ids" doc:"Notes this one was made from; [] clears."`
	TTLHours        *float64  `json:"ttl_hours" doc:"Stale after so many hours."`
	ExpiresAt       *string   `json:"expires_at" doc:"\"\" clears."`
	ExpectedVersion *int      `json:"expected_version" doc:"Update only if the note still has this version."`
	SchemaVersion   *int      `json:"schema_version" check:"at_least_1"`
	Namespace       *string   `json:"namespace" check:"namespace" doc:"Default: the folder."`
	AccessScope     *string   `json:"access_scope" check:"access_scope"`
	NoteType        *string   `json:"note_type" check:"note_type"`
	Status          *string   `json:"status" check:"note_status"`
	Summaries       *Metadata `json:"summaries" check:"metadata" doc:"short and long."`
	Metadata        *Metadata `json:"metadata" check:"metadata" doc:"Free-form keys. Updates merge: null deletes a key, {} all."`
}

// maxTTLHours bounds ttl_hours so that the year of the expiry has four digits.
const maxTTLHours = 60_000_000

// check judges what can be judged without the store, in the order of the
// contract.
func (r *NoteWriteRequest) check() error {
	if r.ID != nil && r.ExpectedVersion != nil {
		if err := atLeast(1)("expected_version", *r.ExpectedVersion); err != nil {
			return err
		}
	}
	if r.TTLHours != nil && r.ExpiresAt != nil {
		return invalid(ReasonInvalidValue, "ttl_hours", "'ttl_hours' and 'expires_at' exclude each other.")
	}
	if r.TTLHours != nil && (*r.TTLHours <= 0 || *r.TTLHours > maxTTLHours) {
		return InvalidValue("ttl_hours", Real(*r.TTLHours), fmt.Sprintf("'ttl_hours' must be above 0 and at most %d.", maxTTLHours))
	}
	for _, word := range []struct {
		field, what string
		value       *string
		allowed     []string
	}{{"access_scope", "access scope", r.AccessScope, AccessScopes}, {"note_type", "note type", r.NoteType, NoteTypes}} {
		if word.value != nil && !contains(word.allowed, *word.value) {
			return InvalidWord(word.field, *word.value, word.what, word.allowed)
		}
	}
	if err := checkNoteStatus(r.Status); err != nil {
		return err
	}
	if err := checkSummaries(r.Summaries); err != nil {
		return err
	}
	if err := checkNoteMetadata(r.Metadata); err != nil {
		return err
	}
	if r.ID == nil && valueOr(r.AccessScope, "") == ScopeTask && valueOr(r.SourceTask, "") == "" {
		return scopeWithoutTask()
	}
	if r.ExpiresAt != nil && (r.ID == nil || *r.ExpiresAt != "") {
		return checkTime("expires_at", *r.ExpiresAt)
	}
	return nil
}

func checkNoteStatus(status *string) error {
	if status == nil || contains(NoteStatuses, *status) {
		return nil
	}
	return unknownWord(CodeInvalidInput, ReasonInvalidStatus, "status", *status, "note status", NoteStatuses)
}

func checkSummaries(summaries *Metadata) error {
	if summaries == nil {
		return nil
	}
	for _, member := range summaries.Members() {
		field := "summaries." + member.Key
		switch {
		case member.Key != "short" && member.Key != "long":
			return UnknownField(field, "summary", []string{"summaries.short", "summaries.long"})
		case member.Value[0] != '"':
			return wrongType(field, TypeString, member.Value)
		}
	}
	return nil
}

func checkNoteMetadata(metadata *Metadata) error {
	if metadata == nil {
		return nil
	}
	for _, member := range metadata.Members() {
		if contains(reservedNoteKeys, member.Key) {
			return invalid(ReasonInvalidValue, "metadata."+member.Key,
				fmt.Sprintf("'%s' is a field of its own and cannot be free-form metadata.", member.Key))
		}
	}
	if levels := jsonLevels(metadata.Text()); levels > MaxNoteLevels {
		return tooLarge("metadata", levels, MaxNoteLevels, "levels")
	}
	return nil
}

func scopeWithoutTask() error {
	return invalid(ReasonMissingField, "source_task", "The access scope 'task' needs a 'source_task'.")
}

// NoteWriteResult names the note that was written.
type NoteWriteResult struct {
	Status    string   `json:"status"` // created or updated
	ID        string   `json:"id"`
	Title     string   `json:"title"`
	Path      string   `json:"path"`
	Version   int64    `json:"version"`
	UpdatedAt Stamp    `json:"updated_at"`
	Warnings  []string `json:"warnings"`
}

// written is the result for a note.
func written(status string, row NoteRow, warnings []string) NoteWriteResult {
	return NoteWriteResult{
		Status: status, ID: row.ID, Title: row.Title, Path: row.Path, Version: row.Version, UpdatedAt: row.UpdatedAt,
		Warnings: orEmpty(warnings),
	}
}

// NoteWrite is the operation write.
var NoteWrite = Op[NoteWriteRequest, NoteWriteResult]{
	name: "write", summary: "Create a note, or with an id give one another text.", outcomes: true,
	codes: []Code{
		CodeNoteNotFound, CodeAmbiguousIDPrefix, CodeContentTooLarge, CodeDuplicate, CodeSlugCollision, CodePathCollision, CodeVersionConflict,
	},
	run: (*Service).NoteWrite,
}

// NoteWrite creates a note, or gives one another text.
func (s *Service) NoteWrite(ctx context.Context, req NoteWriteRequest) (NoteWriteResult, error) {
	return writeNotes(ctx, s, req, (*change).writeNote)
}

func (c *change) writeNote(req NoteWriteRequest) (NoteWriteResult, error) {
	var none NoteWriteResult
	var row NoteRow
	var err error
	if req.ID != nil {
		if row, err = resolveNote(c, "id", *req.ID, CodeNoteNotFound); err != nil {
			return none, err
		}
	}
	if valueOr(req.SourceTask, "") != "" {
		task, err := resolveTaskReference(c, "source_task", *req.SourceTask)
		if err != nil {
			return none, err
		}
		req.SourceTask = &task
	} else {
		req.SourceTask = nil
	}
	req.DerivedFromIDs = slices.Clone(req.DerivedFromIDs)
	for i, id := range req.DerivedFromIDs {
		if req.DerivedFromIDs[i], err = resolveNoteReference(c, fmt.Sprintf("derived_from_ids[%d]", i), strings.TrimSpace(id)); err != nil {
			return none, err
		}
	}
	if limit := c.service.settings.MaxContentBytes; len(req.Content) > limit {
		return none, tooLarge("content", len(req.Content), limit, "bytes")
	}
	if req.ID != nil {
		return c.updateText(row, req)
	}
	return c.createNote(req)
}

func (c *change) createNote(req NoteWriteRequest) (NoteWriteResult, error) {
	var none NoteWriteResult
	n := Note{
		ID: c.service.newID(), Title: req.Title, Author: req.Agent, CreatedAt: c.now, UpdatedAt: c.now, Tags: req.Tags,
		Confidence: valueOr(req.Confidence, defaultConfidence), Source: req.SourceTask, Version: 1,
		SchemaVersion: valueOr(req.SchemaVersion, defaultSchemaVersion), AccessScope: valueOr(req.AccessScope, ScopeShared),
		NoteType: valueOr(req.NoteType, defaultNoteType), Status: valueOr(req.Status, NoteActive), OwnID: true,
	}
	n.setContent(req)
	n.setOptional(req, c.now)
	if req.Metadata != nil {
		n.Extra = fieldsOf(*req.Metadata)
	}
	if err := checkConfidence(req.Confidence); err != nil {
		return none, err
	}
	if err := c.setURL(&n, req.SourceURL, 0); err != nil {
		return none, err
	}
	warnings, err := c.setSources(&n, req.DerivedFromIDs)
	if err != nil {
		return none, err
	}
	path, byTitle, err := newNotePath(req.Path, req.Title)
	if err != nil {
		return none, err
	}
	if owner, found, err := c.NoteByPath(path); err != nil {
		return none, err
	} else if found && byTitle && owner.TitleNamed {
		return none, slugCollision(owner)
	} else if found {
		return none, pathCollision(path, owner.ID)
	}
	if err := c.see(req.Agent); err != nil {
		return none, err
	}
	row, err := c.save(n, path, NoteRow{})
	if e := asContractError(err); e != nil && e.Code == CodeInvalidInput && req.Path != nil {
		err = InvalidValue("path", *req.Path, e.Message).Because(err) // as it was given
	}
	if err != nil {
		return none, err
	}
	return written("created", row, warnings), c.emitWritten(EventNoteCreated, req.Agent, row)
}

func (c *change) updateText(row NoteRow, req NoteWriteRequest) (NoteWriteResult, error) {
	var none NoteWriteResult
	row, n, err := c.freshNote(row, "id", *req.ID)
	if err != nil {
		return none, err
	}
	if err := checkConfidence(req.Confidence); err != nil {
		return none, err
	}
	if valueOr(req.AccessScope, "") == ScopeTask && req.SourceTask == nil && n.Source == nil {
		return none, scopeWithoutTask()
	}
	if err := c.checkChain(row, n, req.ExpectedVersion, &req.Title); err != nil {
		return none, err
	}
	if req.SourceURL != nil {
		if err := c.setURL(&n, req.SourceURL, row.Key); err != nil {
			return none, err
		}
	}
	var warnings []string
	if req.DerivedFromIDs != nil {
		if warnings, err = c.setSources(&n, req.DerivedFromIDs); err != nil {
			return none, err
		}
	}
	n.Title = req.Title
	n.setContent(req)
	n.setOptional(req, c.now)
	n.settleGiven(req)
	if req.Tags != nil {
		n.Tags = req.Tags
	}
	for _, set := range []struct{ into, from *string }{{&n.AccessScope, req.AccessScope}, {&n.NoteType, req.NoteType}, {&n.Status, req.Status}} {
		*set.into = valueOr(set.from, *set.into)
	}
	n.Confidence = valueOr(req.Confidence, n.Confidence)
	n.SchemaVersion = valueOr(req.SchemaVersion, n.SchemaVersion)
	if req.SourceTask != nil {
		n.Source = req.SourceTask
	}
	if req.Metadata != nil {
		if len(req.Metadata.Members()) == 0 {
			n.Extra = nil
		}
		n.mergeExtra(*req.Metadata)
	}
	row, err = c.saveUpdate(n, row, req.Agent)
	return written("updated", row, warnings), err
}

// setContent gives the note the text of a request.
func (n *Note) setContent(req NoteWriteRequest) {
	n.Body = bodyOf(req.Title, PlainLines(req.Content))
}

// setOptional sets what is kept unless a request names it.
func (n *Note) setOptional(req NoteWriteRequest, now Stamp) {
	if namespace := valueOr(req.Namespace, ""); namespace != "" {
		n.Namespace = namespace
	}
	if req.Summaries != nil {
		n.Summaries = *req.Summaries
	}
	if req.TTLHours != nil {
		at := now + Stamp(*req.TTLHours*float64(time.Hour/time.Microsecond))
		n.ExpiresAt = &at
	}
	if req.ExpiresAt != nil {
		n.ExpiresAt = timeFilter(req.ExpiresAt)
	}
}

// fieldsOf is free-form metadata as keys of the front matter.
func fieldsOf(metadata Metadata) []NoteField {
	var fields []NoteField
	for _, member := range metadata.Members() {
		fields = append(fields, NoteField{Key: member.Key, Value: member.Value})
	}
	return fields
}

// mergeExtra lays free-form metadata over those of the note: null deletes.
func (n *Note) mergeExtra(patch Metadata) {
	for _, field := range fieldsOf(patch) {
		at := slices.IndexFunc(n.Extra, func(f NoteField) bool { return f.Key == field.Key })
		switch {
		case string(field.Value) == "null":
			if at >= 0 {
				n.Extra = slices.Delete(n.Extra, at, at+1)
			}
		case at >= 0:
			n.Extra[at] = field
		default:
			n.Extra = append(n.Extra, field)
		}
	}
}

func checkConfidence(confidence *float64) error {
	if confidence != nil && !(*confidence >= 0 && *confidence <= 1) {
		return InvalidValue("confidence", Real(*confidence), "'confidence' must lie between 0 and 1.")
	}
	return nil
}

// setURL gives the note a URL, unless that is another's. An owner whose file
// is gone does not count.
func (c *change) setURL(n *Note, text *string, own NoteKey) error {
	url, err := checkURL("source_url", valueOr(text, ""))
	if err != nil {
		return err
	}
	n.SourceURL = url
	if url == nil {
		return nil
	}
	owner, found, err := c.NoteOfURL(*url)
	if err != nil || !found || owner.Key == own {
		return err
	}
	if _, there, err := c.service.folder.Stat(owner.Path); err != nil || !there {
		return err
	}
	return NewError(CodeDuplicate, "That URL belongs to an existing note.",
		Extra{"duplicate_of", URLOwner{owner.ID, owner.Title, *url}})
}

// URLOwner is the note that a URL belongs to.
type URLOwner struct {
	ID        string `json:"id"`
	Title     string `json:"title"`
	SourceURL string `json:"source_url"`
}

// setSources says what the note is derived from. Sources that do not exist
// are warned of.
func (c *change) setSources(n *Note, ids []string) (warnings []string, err error) {
	for i, id := range ids {
		id = sourceID(id)
		field := fmt.Sprintf("derived_from_ids[%d]", i)
		if id == n.ID {
			return nil, InvalidValue(field, id, "A note cannot be derived from itself.")
		}
		_, found, err := c.NoteByID(id)
		if err != nil {
			return nil, err
		}
		if found {
			continue
		}
		if !uuidForm().MatchString(id) {
			return nil, InvalidValue(field, id, fmt.Sprintf("There is no note '%s', and it has not the form of an id.", clip(id)))
		}
		if warning := fmt.Sprintf("There is no note '%s' yet; it is kept as an unresolved source.", id); !contains(warnings, warning) {
			warnings = append(warnings, warning)
		}
	}
	n.DerivedFrom = sourceIDs(ids, n.ID)
	return warnings, nil
}

func slugCollision(owner NoteRow) error {
	return NewError(CodeSlugCollision,
		fmt.Sprintf("The note '%s' already has the file name of that title; choose another title or folder, or update that note.", clip(owner.Title)),
		Extra{"existing_id", owner.ID})
}

// pathCollision names the note that owns the file; nil where it is no note's.
func pathCollision(path string, owner any) error {
	return NewError(CodePathCollision, fmt.Sprintf("The file '%s' already exists; choose another path, or update its note.", clip(path)),
		Extra{"existing_id", owner})
}

// checkChain judges what write and note_update have in common: the version,
// then whether a new title is free. The title is nil where it is not changed.
func (c *change) checkChain(row NoteRow, n Note, expected *int, title *string) error {
	if expected != nil && int64(*expected) != n.Version {
		return NewError(CodeVersionConflict,
			fmt.Sprintf("The note has version %d, not %d: read it again and merge.", n.Version, *expected),
			Extra{"current_version", n.Version})
	}
	if title == nil || *title == n.Title || !row.TitleNamed {
		return nil
	}
	path := slugOf(*title) + noteSuffix
	if folder := folderOf(row.Path); folder != "" {
		path = folder + "/" + path
	}
	owner, found, err := c.NoteByPath(path)
	if err == nil && found && owner.Key != row.Key && owner.TitleNamed {
		err = slugCollision(owner)
	}
	return err
}
