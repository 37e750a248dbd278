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

// CardsByPrefix returns the cards of the first tasks, by id, whose id begins
// with the prefix, of whatever length: the candidates of a completion.
func (s *Service) CardsByPrefix(ctx context.Context, prefix string, limit int) ([]Card, error) {
	return look(ctx, s, func(v view) ([]Card, error) {
		heads, err := v.TasksByPrefix(prefix, limit)
		if err != nil {
			return nil, err
		}
		tasks, err := v.BriefTasks(keysOf(heads))
		if err != nil {
			return nil, err
		}
		return v.cards(tasks, cardParts{})
	})
}
