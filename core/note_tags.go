package core

import (
	"context"
	"strconv"
)

// NoteTagsRequest asks for the tags of notes.
type NoteTagsRequest struct {
	Prefix *string `json:"prefix" check:"filter"`
}

// NoteTagsResult counts the notes of each tag.
type NoteTagsResult struct {
	Tags []TagCount // by tag
}

// AppendJSON appends the result.
func (r NoteTagsResult) AppendJSON(dst []byte) []byte {
	counts := []byte{'{'}
	for i, tag := range r.Tags {
		if i > 0 {
			counts = append(counts, ',')
		}
		counts = append(AppendJSONString(counts, tag.Tag), ':')
		counts = strconv.AppendInt(counts, tag.Notes, 10)
	}
	counts = append(counts, '}')
	o := beginObject(dst)
	o.raw("tags", string(counts))
	return o.end()
}

// MarshalJSON returns the result.
func (r NoteTagsResult) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// NoteTags is the operation tags.
var NoteTags = Op[NoteTagsRequest, NoteTagsResult]{
	name: "tags", summary: "Count the notes of each tag.", readOnly: true,
	run: (*Service).NoteTags,
}

// NoteTags counts the notes of each tag that begins with a prefix.
func (s *Service) NoteTags(ctx context.Context, req NoteTagsRequest) (NoteTagsResult, error) {
	return readNotes(ctx, s, req, func(v view, req NoteTagsRequest) (NoteTagsResult, error) {
		tags, err := v.ReadTx.NoteTags(valueOr(req.Prefix, ""))
		return NoteTagsResult{Tags: tags}, err
	})
}
