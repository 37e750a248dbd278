package core

import "context"

// NoteListRequest asks for notes.
type NoteListRequest struct {
	PathPrefix    *string   `json:"path_prefix" check:"filter" doc:"Plain text: proj matches projects/…"`
	Tags          []string  `json:"tags" check:"filter_list" doc:"All of them."`
	Author        *string   `json:"author" check:"filter"`
	Since         *string   `json:"since" check:"time_filter" doc:"Changed at or after."`
	Limit         *int      `json:"limit" default:"50" check:"length" doc:"0: only count."`
	Offset        *int      `json:"offset" default:"0" check:"offset"`
	TitleContains *string   `json:"title_contains" check:"filter"`
	ContentQuery  *string   `json:"content_query" check:"filter" doc:"Full text, best first."`
	MetadataMatch *Metadata `json:"metadata_match" check:"match" doc:"Free-form keys and the scalars they must have."`
	Entities      []string  `json:"entities" check:"filter_list" doc:"All of them."`
}

// NoteListItem is one note of a list.
type NoteListItem struct {
	ID          string
	Title       string
	Path        string
	Updated     Stamp
	Tags        Tags
	SourceURL   *string
	DerivedFrom Tags // ids
	Metadata    Metadata
}

// AppendJSON appends the item.
func (i NoteListItem) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	o.str("id", i.ID)
	o.str("title", i.Title)
	o.str("path", i.Path)
	o.stamp("updated", i.Updated)
	o.raw("tags", i.Tags.Text())
	o.str("source_url", valueOr(i.SourceURL, ""))
	o.raw("derived_from_ids", i.DerivedFrom.Text())
	o.raw("metadata", i.Metadata.Text())
	return o.end()
}

// MarshalJSON returns the item.
func (i NoteListItem) MarshalJSON() ([]byte, error) { return i.AppendJSON(nil), nil }

// NoteListResult is a page of notes and how many there are.
type NoteListResult struct {
	Items []NoteListItem
	Total int64 // before paging
	// Unreadable is how many of them are files that cannot be read as notes,
	// and stand in no page. It is for people, and not in the JSON.
	Unreadable int64
	HasMore    bool // these two: cut to a size limit by the surface; see the MCP contract
	Truncated  bool
}

// AppendJSON appends the result.
func (r NoteListResult) AppendJSON(dst []byte) []byte {
	o := beginObject(dst)
	appendList(o, "items", r.Items)
	o.int("total", r.Total)
	if r.Truncated {
		o.bool("has_more", r.HasMore)
		o.bool("truncated", true)
	}
	return o.end()
}

// MarshalJSON returns the result.
func (r NoteListResult) MarshalJSON() ([]byte, error) { return r.AppendJSON(nil), nil }

// NoteList is the operation list.
var NoteList = Op[NoteListRequest, NoteListResult]{
	name: "list", summary: "List notes by path, tags, author, time, title, text or metadata.", readOnly: true,
	codes: []Code{CodeSearchBackendError},
	run:   (*Service).NoteList,
}

// NoteList lists notes in the order of their insertion, or best first when a
// text is asked for.
func (s *Service) NoteList(ctx context.Context, req NoteListRequest) (NoteListResult, error) {
	return readNotes(ctx, s, req, view.listNotes)
}

func (v view) listNotes(req NoteListRequest) (NoteListResult, error) {
	filter := NoteFilter{
		PathPrefix: valueOr(req.PathPrefix, ""), Tags: req.Tags, Entities: req.Entities, Author: valueOr(req.Author, ""),
		Since: timeFilter(req.Since), TitleContains: valueOr(req.TitleContains, ""),
	}
	if req.MetadataMatch != nil {
		match, err := parseMatch("metadata_match", *req.MetadataMatch)
		if err != nil {
			return NoteListResult{}, err
		}
		filter.Match = match
	}
	if valueOr(req.ContentQuery, "") != "" {
		return v.listByText(*req.ContentQuery, filter, *req.Limit, *req.Offset)
	}
	items, total, err := v.NotePage(filter, *req.Limit, *req.Offset)
	var unreadable int64
	if err == nil && !filter.isNarrow() {
		unreadable, err = v.CountNoteProblems(filter.PathPrefix)
	}
	return NoteListResult{Items: items, Total: total + unreadable, Unreadable: unreadable}, err
}

// listByText is a page of the notes that a text query finds and that pass.
func (v view) listByText(query string, filter NoteFilter, limit, offset int) (NoteListResult, error) {
	found, err := v.textMatches(query)
	if err != nil {
		return NoteListResult{}, err
	}
	keys, err := v.NotesPassing(found, filter)
	if err != nil {
		return NoteListResult{}, err
	}
	start := min(offset, len(keys))
	end := min(start+min(limit, len(keys)), len(keys))
	items, err := v.NoteItems(keys[start:end])
	return NoteListResult{Items: items, Total: int64(len(keys))}, err
}
