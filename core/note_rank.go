package core

import (
	"cmp"
	"math"
	"slices"

	"dev.lithos/core/search"
)

// The constants of ranking. BM25 has its usual ones; a word in the title
// counts as titleWeight in the content.
const (
	bm25Saturation = 1.2
	bm25Length     = 0.75
	titleWeight    = 5
	fusionK        = 60 // of reciprocal rank fusion
)

// The bounds of the work on one query. Of a word that more than rankedNotes
// notes hold, the notes that are likely to be best are ranked and the newest;
// the others are looked at only where a filter leaves too few.
const (
	rankedNotes    = 5_000
	rankedAtLeast  = 2_000  // also of a long query
	rankedPhrases  = 40_000 // phrases of notes that are looked at
	phrasesAtOnce  = 64
	scoresPerPoint = 10_000 // scores have four digits after the point
)

// scoredNote is a note with its score.
type scoredNote struct {
	key   NoteKey
	score float64
}

// roundShare rounds away what adding hundredths leaves behind.
func roundShare(share float64) float64 { return math.Round(share*1e9) / 1e9 }

func roundScore(score float64) float64 { return math.Round(score*scoresPerPoint) / scoresPerPoint }

// fused is what a place in a list, counted from 1, adds to a score.
func fused(rank int) float64 { return 1 / float64(fusionK+rank) }

// lengthFactor makes a word count less in a long text.
func lengthFactor(f TextField) float64 {
	return 1 - bm25Length + bm25Length*f.Length/max(f.Average, 1)
}

// rarity is how much a word tells that so many of the notes hold.
func rarity(all, holding float64) float64 {
	return math.Log(1 + (all-holding+0.5)/(holding+0.5))
}

// textRanking is the notes that answer a query, scored. It is complete when no
// note that answers is missing.
type textRanking struct {
	notes    []scoredNote
	complete bool
}

// textTally adds up what a note has of a query.
type textTally struct {
	score float64
	held  int
}

// rankText is rankAmong all notes.
func (v view) rankText(q search.Query, whole bool) (textRanking, error) {
	return v.rankAmong(q, whole, nil)
}

// rankAmong scores the notes that hold any phrase of a query by BM25, title and
// content taken together; more phrases count more than the sum of them. whole
// scores all of them, however many, or where only is not nil all among these.
func (v view) rankAmong(q search.Query, whole bool, only map[NoteKey]bool) (textRanking, error) {
	ranking := textRanking{complete: true}
	add := func(key NoteKey, tally textTally) {
		score := tally.score * float64(tally.held) / float64(len(q.Phrases))
		ranking.notes = append(ranking.notes, scoredNote{key, roundScore(score)})
	}
	tallies := map[NoteKey]textTally{} // of a query that is looked for in parts
	for phrases := range slices.Chunk(q.Phrases, phrasesAtOnce) {
		pool := textPool{only: only}
		complete, err := pool.fill(v, TextQuery{Phrases: phrases}, whole)
		if err != nil {
			return ranking, err
		}
		ranking.complete = ranking.complete && complete
		if len(phrases) == len(q.Phrases) {
			ranking.notes = make([]scoredNote, 0, len(pool.hits))
		}
		for _, hit := range pool.hits {
			score, held := pool.score(hit)
			if len(phrases) == len(q.Phrases) {
				add(hit.Key, textTally{score, held})
				continue
			}
			tally := tallies[hit.Key]
			tallies[hit.Key] = textTally{tally.score + score, tally.held + held}
		}
	}
	for key, tally := range tallies {
		add(key, tally)
	}
	sortByScore(ranking.notes)
	return ranking, nil
}

// sortByScore orders by score, highest first, then by key, which makes a list
// repeatable within one transaction.
func sortByScore(list []scoredNote) {
	slices.SortFunc(list, func(a, b scoredNote) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(a.key, b.key))
	})
}

// textPool is the hits among which the best are looked for.
type textPool struct {
	hits    []TextHit        // each note once
	places  map[NoteKey]int  // of the notes in hits; nil before a second draw, which may bring them again
	phrases []PhraseHit      // of all hits
	only    map[NoteKey]bool // those that may be in it; nil: all
	rarity  []float64        // of each phrase
}

// add puts a hit into the pool. What was found in titles alone says less than
// any other hit of the note.
func (p *textPool) add(hit TextHit, inTitle bool) {
	start := len(p.phrases)
	p.phrases = append(p.phrases, hit.Phrases...)
	hit.Phrases = p.phrases[start:len(p.phrases):len(p.phrases)]
	if p.places != nil {
		if place, known := p.places[hit.Key]; known {
			if !inTitle {
				p.hits[place] = hit
			}
			return
		}
		p.places[hit.Key] = len(p.hits)
	}
	p.hits = append(p.hits, hit)
}

// expect prepares the pool for a further draw.
func (p *textPool) expect() {
	p.places = make(map[NoteKey]int, len(p.hits))
	for i, hit := range p.hits {
		p.places[hit.Key] = i
	}
}

// fill draws the hits of a query; false when it left some out. Where too many
// notes answer those are drawn that are likely to be the best.
func (p *textPool) fill(v view, query TextQuery, whole bool) (complete bool, err error) {
	if !whole {
		query.Limit = min(max(rankedPhrases/len(query.Phrases), rankedAtLeast), rankedNotes)
	}
	newest, err := p.draw(v, query)
	if err != nil {
		return false, err
	}
	holding := make([]float64, len(query.Phrases))
	for i := range holding {
		holding[i] = newest.holding(i)
	}
	if newest.cut {
		if err := p.drawBest(v, query, holding); err != nil {
			return false, err
		}
	}
	for _, n := range holding {
		p.rarity = append(p.rarity, rarity(newest.notes, n))
	}
	return !newest.cut, nil
}

// drawBest draws those that hold a phrase in the title, those with the rarest
// phrases, and those with all. holding is how many notes hold each phrase, and
// is corrected for the rarest.
func (p *textPool) drawBest(v view, query TextQuery, holding []float64) error {
	p.expect()
	title := query
	title.InTitle = true
	if _, err := p.draw(v, title); err != nil || len(query.Phrases) < 2 {
		return err
	}
	all := query
	all.All = true
	if _, err := p.draw(v, all); err != nil {
		return err
	}
	rarest := query
	rarest.Of = rarestOf(holding, query.Limit)
	if len(rarest.Of) == 0 {
		return nil
	}
	drawn, err := p.draw(v, rarest)
	for _, i := range rarest.Of {
		holding[i] = drawn.holding(i)
	}
	return err
}

// rarestOf are the places of the rarest phrases, as many as no more than so many
// notes hold altogether.
func rarestOf(holding []float64, most int) []int {
	order := make([]int, len(holding))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(holding[a], holding[b]) })
	total := 0.0
	for i, phrase := range order {
		if total += holding[phrase]; total > float64(most) {
			return order[:i]
		}
	}
	return order
}

// draw is what one query has brought.
type draw struct {
	counts    []float64 // notes that hold each phrase
	notes     float64   // in the index
	top, last NoteKey   // the first and the last hit
	cut       bool      // the limit ended it
}

// holding is how many notes hold a phrase: counted where the draw holds them
// all, and else as many more as there are notes beyond it.
func (d draw) holding(phrase int) float64 {
	if !d.cut {
		return d.counts[phrase]
	}
	return min(d.counts[phrase]*float64(d.top)/float64(d.top-d.last+1), d.notes)
}

// draw adds the hits of a query to the pool.
func (p *textPool) draw(v view, query TextQuery) (draw, error) {
	d := draw{counts: make([]float64, len(query.Phrases))}
	n := 0
	err := v.EachTextHit(query, func(hit TextHit) bool {
		if n == 0 {
			d.top, d.notes = hit.Key, hit.Notes
		}
		n++
		d.last = hit.Key
		for i, phrase := range hit.Phrases {
			if phrase != (PhraseHit{}) {
				d.counts[i]++
			}
		}
		if p.only == nil || p.only[hit.Key] {
			p.add(hit, query.InTitle)
		}
		return true
	})
	d.cut = query.Limit > 0 && n == query.Limit
	return d, err
}

// score is the BM25 score of a hit, and how many phrases it holds.
func (p *textPool) score(hit TextHit) (score float64, held int) {
	title, content := lengthFactor(hit.Title), lengthFactor(hit.Content)
	for i, phrase := range hit.Phrases {
		often := titleWeight*float64(phrase.Title)/title + float64(phrase.Content)/content
		if often == 0 {
			continue
		}
		held++
		score += p.rarity[i] * often * (bm25Saturation + 1) / (often + bm25Saturation)
	}
	return score, held
}

// passing leaves those of the keys that may be shown.
type passing func([]NoteKey) ([]NoteKey, error)

// passes is the filter as a function; nil when it filters nothing.
func (v view) passes(f NoteFilter) passing {
	if f.PathPrefix == "" && !f.isNarrow() {
		return nil
	}
	return func(keys []NoteKey) ([]NoteKey, error) { return v.NotesPassing(keys, f) }
}

// bestOf returns the first notes of a list in the order of sortByScore that pass, at most
// limit, in the order of score, then id.
func (v view) bestOf(list []scoredNote, limit int, pass passing) ([]scoredNote, error) {
	var best []scoredNote
	for size := min(limit, len(list)); len(best) < limit && len(list) > 0; size *= 8 {
		n := min(max(size, 1), len(list))
		for n < len(list) && list[n].score == list[n-1].score {
			n++ // equal scores are put in order together
		}
		batch, err := v.passingOf(list[:n], pass)
		if err == nil {
			err = v.orderEqual(batch)
		}
		if err != nil {
			return nil, err
		}
		best, list = append(best, batch...), list[n:]
	}
	return best[:min(limit, len(best))], nil
}

// passingOf leaves the notes of a list that pass.
func (v view) passingOf(list []scoredNote, pass passing) ([]scoredNote, error) {
	if pass == nil {
		return slices.Clone(list), nil
	}
	keys, err := pass(scoredKeys(list))
	if err != nil {
		return nil, err
	}
	passed := make(map[NoteKey]bool, len(keys))
	for _, key := range keys {
		passed[key] = true
	}
	var left []scoredNote
	for _, note := range list {
		if passed[note.key] {
			left = append(left, note)
		}
	}
	return left, nil
}

// orderEqual puts notes of equal score in the order of their ids.
func (v view) orderEqual(list []scoredNote) error {
	var equal []NoteKey
	for i, note := range list {
		if i > 0 && list[i-1].score == note.score || i+1 < len(list) && list[i+1].score == note.score {
			equal = append(equal, note.key)
		}
	}
	if len(equal) == 0 {
		return nil
	}
	ids, err := v.NoteIDs(equal)
	if err != nil {
		return err
	}
	slices.SortFunc(list, func(a, b scoredNote) int {
		return cmp.Or(cmp.Compare(b.score, a.score), cmp.Compare(ids[a.key], ids[b.key]))
	})
	return nil
}

func scoredKeys(list []scoredNote) []NoteKey {
	keys := make([]NoteKey, len(list))
	for i, note := range list {
		keys[i] = note.key
	}
	return keys
}
