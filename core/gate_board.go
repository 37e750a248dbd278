package core

import "context"

// MaxGates is how many gates and stranding tasks the gates panel shows.
const MaxGates = 500

// GateBoard is everything that needs somebody, or some moment, outside the
// graph.
type GateBoard struct {
	Now       Stamp
	Gates     []GateCard // open gates by priority, then age
	Stranding []GateCard // cancelled tasks that open tasks wait for in vain
	More      bool       // there are more than MaxGates of either
}

// GateCard is a gate with what depends on it.
type GateCard struct {
	Card
	Behind int // how many open tasks wait for it in all, directly or through one another
}

// GateBoard reads the gates panel. What a filter leaves out is not in it.
func (s *Service) GateBoard(ctx context.Context, f Filter, agent string) (GateBoard, error) {
	return look(ctx, s, func(v view) (GateBoard, error) {
		board := GateBoard{Now: v.now}
		gates, err := v.ColumnKeys(columnQuery(ColumnGates, "", v.now), 0, MaxGates+1)
		if err != nil {
			return board, err
		}
		if !f.IsEmpty() {
			judge, err := v.judgeBoard(f, agent)
			if err != nil {
				return board, err
			}
			if gates, err = judge.column(ColumnGates, ""); err != nil {
				return board, err
			}
		}
		stranding, err := v.Stranding(MaxGates + 1)
		if err != nil {
			return board, err
		}
		board.More = len(gates) > MaxGates || len(stranding) > MaxGates
		if board.Gates, err = v.gateCards(gates[:min(len(gates), MaxGates)]); err != nil {
			return board, err
		}
		board.Stranding, err = v.gateCards(stranding[:min(len(stranding), MaxGates)])
		return board, err
	})
}

// fewGates is how many gates are followed one by one.
const fewGates = 40

func (v view) gateCards(keys []TaskKey) ([]GateCard, error) {
	tasks, err := v.BriefTasks(keys)
	if err != nil {
		return nil, err
	}
	cards, err := v.cards(tasks, cardParts{holds: true, waits: true})
	if err != nil {
		return nil, err
	}
	behind := map[TaskKey]int{}
	if len(keys) > fewGates {
		// One reading of all edges serves every gate.
		if behind, err = v.impacts(keys); err != nil {
			return nil, err
		}
	} else {
		for _, key := range keys {
			if behind[key], err = v.impact(key); err != nil {
				return nil, err
			}
		}
	}
	gates := make([]GateCard, len(cards))
	for i, card := range cards {
		gates[i] = GateCard{Card: card, Behind: behind[card.Key]}
	}
	return gates, nil
}

// Attention is what the board says besides its columns. It takes a little
// longer to find out.
type Attention struct {
	Epics   []Card // open epics by priority, then age, with their progress
	People  int    // open human gates
	Strands int    // cancelled tasks that open tasks wait for in vain
}

// NeedsPeople is how many things only a person can get going again.
func (a Attention) NeedsPeople() int { return a.People + a.Strands }

// Attention reads the epics, at most as many as asked for, and counts what
// waits for people, up to MaxGates of each kind.
func (s *Service) Attention(ctx context.Context, epics int) (Attention, error) {
	return look(ctx, s, func(v view) (Attention, error) {
		var a Attention
		keys, err := v.OpenEpics(epics)
		if err != nil {
			return a, err
		}
		tasks, err := v.BriefTasks(keys)
		if err != nil {
			return a, err
		}
		if a.Epics, err = v.cards(tasks, cardParts{progress: true}); err != nil {
			return a, err
		}
		gates, err := v.ColumnKeys(columnQuery(ColumnGates, "", v.now), 0, MaxGates)
		if err != nil {
			return a, err
		}
		brief, err := v.BriefTasks(gates)
		if err != nil {
			return a, err
		}
		for _, gate := range brief {
			if gate.GateType() == GateHuman {
				a.People++
			}
		}
		stranding, err := v.Stranding(MaxGates)
		a.Strands = len(stranding)
		return a, err
	})
}
