package core

import "context"

// OpenedGate is a timer gate whose time has come.
type OpenedGate struct {
	Card
	Ready []string // ids of the tasks that wait for it and are ready now
}

// OpenedGates are the open timer gates whose time came after a moment, up to
// now: no event tells of them. Of the gates at most MaxGates are looked at.
func (s *Service) OpenedGates(ctx context.Context, after Stamp) (now Stamp, opened []OpenedGate, err error) {
	opened, err = look(ctx, s, func(v view) ([]OpenedGate, error) {
		now = v.now
		keys, err := v.ColumnKeys(columnQuery(ColumnGates, "", v.now), 0, MaxGates)
		if err != nil {
			return nil, err
		}
		gates, err := v.BriefTasks(keys)
		if err != nil {
			return nil, err
		}
		var due []Task
		for _, gate := range gates {
			if at := gate.OpensAt(); at != nil && *at > after && *at <= v.now {
				due = append(due, gate)
			}
		}
		cards, err := v.cards(due, cardParts{})
		if err != nil {
			return nil, err
		}
		var list []OpenedGate
		for _, card := range cards {
			ready, err := v.ReadyTargets(card.Key, v.now)
			if err != nil {
				return nil, err
			}
			list = append(list, OpenedGate{card, ready})
		}
		return list, nil
	})
	return now, opened, err
}
