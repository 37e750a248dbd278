package core

import "context"

// CardsByID returns the cards of tasks by their full ids, all of one state of
// the store, without what holds them back. An id without a row is left out. It
// dresses what operations have answered, for lists that people read.
func (s *Service) CardsByID(ctx context.Context, ids []string) (map[string]Card, error) {
	return look(ctx, s, func(v view) (map[string]Card, error) {
		var keys []TaskKey
		for _, id := range ids {
			head, found, err := v.TaskByID(id)
			if err != nil {
				return nil, err
			}
			if found {
				keys = append(keys, head.Key)
			}
		}
		tasks, err := v.BriefTasks(distinct(keys))
		if err != nil {
			return nil, err
		}
		cards, err := v.cards(tasks, cardParts{})
		if err != nil {
			return nil, err
		}
		found := make(map[string]Card, len(cards))
		for _, card := range cards {
			found[card.ID] = card
		}
		return found, nil
	})
}
