package core

import (
	"context"
	"slices"
)

// Card is a task as views of many tasks show it: with how it stands, and
// without its long texts unless the view says otherwise.
type Card struct {
	Task
	ShortID   string    // the shortest unique prefix of the id
	Held      bool      // something holds the open task back
	Holds     int       // how many open tasks it holds back directly
	Waits     []Wait    // what holds it back, at most MaxWaits; only where the view asks for it
	WaitCount int       // how many there are in all
	Progress  *Progress // of its descendants; nil when it has none or the view leaves it out
}

// Wait is one thing that holds a task back, with how that stands itself.
type Wait struct {
	Kind    BlockerKind
	Edge    EdgeType
	Source  Card     // its ID alone when Missing
	Missing bool     // the source's row is gone: a damaged store
	Opens   *Stamp   // an open timer gate: when it opens
	Ring    []string // a cycle: short ids once round it, the source first and last
	RingIDs []string // the same, whole
}

// MaxWaits is how many things that hold it back a card names.
const MaxWaits = 8

// Progress counts the descendants of a task. Only completed ones count as
// done; cancelled ones stand apart and are never part of a percentage.
type Progress struct {
	Open, Completed, Cancelled int
}

// Total is the number of descendants that are completed or still to do.
func (p Progress) Total() int { return p.Open + p.Completed }

// GateType is the kind of a gate, "" when its metadata is unusable or the
// task is no gate.
func (t Task) GateType() GateType {
	if t.Type != TypeGate {
		return ""
	}
	kind, _ := t.Metadata.GetString("gate_type")
	if contains(words(GateTypes), kind) {
		return GateType(kind)
	}
	return ""
}

// OpensAt is when a timer gate with a usable ready_at opens; nil for anything
// else.
func (t Task) OpensAt() *Stamp {
	if t.Type != TypeGate {
		return nil
	}
	return stampOfSeconds(timerReadyAt(t.Metadata))
}

func stampOfSeconds(seconds *int64) *Stamp {
	if seconds == nil {
		return nil
	}
	at := Stamp(*seconds * 1_000_000)
	return &at
}

// cardParts says what cards carry besides how each task stands.
type cardParts struct {
	waits    bool
	holds    bool
	progress bool
	// without are tasks that count as completed when it comes to the waits.
	without map[TaskKey]bool
}

// cards makes cards of tasks, in their order.
func (v view) cards(tasks []Task, parts cardParts) ([]Card, error) {
	cards := make([]Card, len(tasks))
	for i, t := range tasks {
		cards[i] = Card{Task: t}
	}
	at := map[TaskKey]*Card{}
	for i := range cards {
		at[cards[i].Key] = &cards[i]
	}
	if parts.waits {
		if err := v.addWaits(cards, parts.without); err != nil {
			return nil, err
		}
	}
	if parts.holds {
		pairs, err := v.Waiters(keysOfCards(cards), v.now)
		if err != nil {
			return nil, err
		}
		for _, pair := range pairs {
			at[pair[0]].Holds++
		}
	}
	if parts.progress {
		progress, err := v.progress(keysOfCards(cards))
		if err != nil {
			return nil, err
		}
		for key, p := range progress {
			at[key].Progress = &p
		}
	}
	return cards, v.finish(cards)
}

// addWaits fills in what holds cards back, the tasks of without left out.
func (v view) addWaits(cards []Card, without map[TaskKey]bool) error {
	var keys []TaskKey
	at := map[TaskKey]*Card{}
	for i := range cards {
		if cards[i].Status == StatusOpen {
			keys = append(keys, cards[i].Key)
			at[cards[i].Key] = &cards[i]
		}
	}
	incoming, err := v.Incoming(keys, true)
	if err != nil {
		return err
	}
	rings, err := v.MayHaveRings()
	if err != nil {
		return err
	}
	for _, edge := range Assess(incoming, v.now) {
		if !edge.Missing && without[edge.Source.Key] {
			continue
		}
		card := at[edge.Target]
		card.WaitCount++
		if len(card.Waits) == MaxWaits {
			continue
		}
		var ring []string
		if rings {
			if ring, err = v.blocksRing(edge); err != nil {
				return err
			}
		}
		card.Waits = append(card.Waits, Wait{
			Kind: blockerOf(edge, ring).Kind, Edge: edge.Type,
			Source:  Card{Task: Task{TaskHead: edge.Source, Metadata: edge.Gate}},
			Missing: edge.Missing, Opens: stampOfSeconds(opensAt(edge)), Ring: ring,
		})
	}
	return nil
}

// finish tells of each card, and of the sources of its waits, how it stands:
// short id, claims, and whether it is held back.
func (v view) finish(cards []Card) error {
	var all []*Card
	var ids []string
	var rings []*Wait
	for i := range cards {
		all = append(all, &cards[i])
		for j := range cards[i].Waits {
			wait := &cards[i].Waits[j]
			if !wait.Missing {
				all = append(all, &wait.Source)
			}
			if len(wait.Ring) > 0 {
				rings = append(rings, wait)
			}
		}
	}
	var keys, open []TaskKey
	for _, card := range all {
		keys, ids = append(keys, card.Key), append(ids, card.ID)
		if card.Status == StatusOpen {
			open = append(open, card.Key)
		}
	}
	for _, ring := range rings {
		ids = append(ids, ring.Ring...)
	}
	short, err := v.ShortIDs(ids)
	if err != nil {
		return err
	}
	claims, err := v.Claims(distinct(keys), v.now)
	if err != nil {
		return err
	}
	held, err := v.Held(distinct(open), v.now)
	if err != nil {
		return err
	}
	for i, card := range all {
		card.ShortID, card.Claims, card.Held = short[i], claims[card.Key], held[card.Key]
		if card.WaitCount > 0 {
			card.Held = true // also epics and gates, which are in no half of the frontier
		}
	}
	short = short[len(all):]
	for _, ring := range rings {
		ring.RingIDs, ring.Ring = ring.Ring, short[:len(ring.Ring)]
		short = short[len(ring.Ring):]
	}
	return nil
}

func keysOfCards(cards []Card) []TaskKey {
	keys := make([]TaskKey, len(cards))
	for i, card := range cards {
		keys[i] = card.Key
	}
	return keys
}

func keysOf(heads []TaskHead) []TaskKey {
	keys := make([]TaskKey, len(heads))
	for i, h := range heads {
		keys[i] = h.Key
	}
	return keys
}

func distinct(keys []TaskKey) []TaskKey {
	sorted := slices.Clone(keys)
	slices.Sort(sorted)
	return slices.Compact(sorted)
}

// ShortIDs returns for each id its shortest unique prefix, or the id itself.
func (s *Service) ShortIDs(ctx context.Context, ids []string) ([]string, error) {
	return look(ctx, s, func(v view) ([]string, error) { return v.ReadTx.ShortIDs(ids) })
}
