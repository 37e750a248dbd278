package core

import "context"

// MaxArchivedAtOnce is how many events one transaction of events_archive
// moves at most, so that no other writer waits long.
const MaxArchivedAtOnce = 5_000

// EventsArchiveRequest asks for old events to be moved out of the feed.
type EventsArchiveRequest struct {
	Before string `json:"before" check:"time" doc:"Events older than this."`
}

// EventsArchiveResult tells how much was moved and where the feed begins now.
type EventsArchiveResult struct {
	Success         bool   `json:"success"`
	Moved           int64  `json:"moved"`
	ArchivedThrough *int64 `json:"archived_through"` // nil while the archive is empty
	ArchivedBefore  *Stamp `json:"archived_before"`  // nil while the archive is empty
	Remaining       int64  `json:"remaining"`        // events in the feed
}

// EventsArchive is the operation events_archive.
var EventsArchive = Op[EventsArchiveRequest, EventsArchiveResult]{
	name: "events_archive", summary: "Move the oldest events from the feed to the archive.", commandLineOnly: true,
	run: (*Service).EventsArchive,
}

// EventsArchive moves the longest run of events from the bottom of the feed
// that are all older than a time to the archive, never the newest event. It
// takes several transactions if need be; one that is stopped between them has
// moved a shorter run.
func (s *Service) EventsArchive(ctx context.Context, req EventsArchiveRequest) (EventsArchiveResult, error) {
	var none, result EventsArchiveResult
	if err := prepare(&req); err != nil {
		return none, err
	}
	before, err := ParseStamp(req.Before)
	if err != nil {
		return none, err
	}
	for more := true; more; {
		err := s.mutate(ctx, func(c *change) error {
			moved, err := c.ArchiveEvents(before, MaxArchivedAtOnce)
			if err != nil {
				return err
			}
			// A rehearsal takes back what it has moved and would find it again.
			more = moved == MaxArchivedAtOnce && !isRehearsal(ctx)
			result.Moved += int64(moved)
			bounds, err := c.FeedBounds()
			if err != nil {
				return err
			}
			if bounds.ArchivedLatest != nil {
				end := *bounds.ArchivedLatest + 1
				result.ArchivedThrough, result.ArchivedBefore = &bounds.ArchivedThrough, &end
			}
			if !more {
				result.Remaining, err = c.CountEvents()
			}
			return err
		})
		if err != nil {
			return none, err
		}
	}
	result.Success = true
	return result, nil
}
