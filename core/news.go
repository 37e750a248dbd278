package core

import (
	"context"
	"slices"
)

// MaxNews is how many events News names.
const MaxNews = 200

// News is what has happened since an event of the feed.
type News struct {
	Through int64       // seq of the newest event
	Items   []Happening // the last ones, oldest first
	Earlier int         // how many came before those, about
}

// Happening is an event with the tasks it is about.
type Happening struct {
	Event
	Task  *Card // nil when it is about none, or the task is gone
	Other *Card // the other end of an edge
}

// FeedEnd is the seq of the newest event, 0 when there is none.
func (s *Service) FeedEnd(ctx context.Context) (int64, error) {
	return look(ctx, s, func(v view) (int64, error) {
		bounds, err := v.FeedBounds()
		return bounds.Newest, err
	})
}

// News reads what has happened after the event with the seq given. Cards are
// without claims and readiness.
func (s *Service) News(ctx context.Context, since int64) (News, error) {
	return look(ctx, s, func(v view) (News, error) {
		var news News
		bounds, err := v.FeedBounds()
		if err != nil {
			return news, err
		}
		news.Through = bounds.Newest
		if news.Through <= since {
			return news, nil
		}
		events, err := v.ReadTx.Events(EventQuery{After: since, NewestFirst: true, Limit: MaxNews})
		if err != nil {
			return news, err
		}
		slices.Reverse(events)
		if len(events) == MaxNews {
			news.Earlier = int(events[0].Seq - since - 1)
		}
		cards, err := v.subjects(events)
		if err != nil {
			return news, err
		}
		for _, e := range events {
			news.Items = append(news.Items, Happening{Event: e, Task: cards[e.Subject.Task], Other: cards[e.Subject.Other]})
		}
		return news, nil
	})
}

// subjects are the tasks that events are about, with their short ids.
func (v view) subjects(events []Event) (map[TaskKey]*Card, error) {
	var keys []TaskKey
	for _, e := range events {
		for _, key := range []TaskKey{e.Subject.Task, e.Subject.Other} {
			if key != 0 {
				keys = append(keys, key)
			}
		}
	}
	heads, err := v.Heads(distinct(keys))
	if err != nil {
		return nil, err
	}
	ids := make([]string, len(heads))
	for i, h := range heads {
		ids[i] = h.ID
	}
	short, err := v.ReadTx.ShortIDs(ids)
	if err != nil {
		return nil, err
	}
	cards := make(map[TaskKey]*Card, len(heads))
	for i, h := range heads {
		cards[h.Key] = &Card{Task: Task{TaskHead: h}, ShortID: short[i]}
	}
	return cards, nil
}
