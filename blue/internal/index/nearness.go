package index

import (
	"cmp"
	"slices"
	"strings"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// nearWord is a word of a query in all its forms: what counts is how close in a document
// it stands to the other words, whichever form each has there.
type nearWord struct {
	forms  []string
	rarity float64 // of the stem
}

// nearWordsOf returns the rarest of the words that count, each stem once, with the forms
// that the vocabulary has. A word that nothing holds has its stand-in in its place.
func (v *snapshot) nearWordsOf(counting []queryWord, q *queryPlan) (near []nearWord) {
	added := map[string]bool{}
	for _, w := range counting {
		if w.Form != words.Whole {
			continue
		}
		text := w.Text
		if s := q.standIns[text]; s != "" {
			text = s
		}
		key := segment.WordTerm + text
		forms := []string{key}
		if stem := q.stems.Stem(text); stem != "" {
			key = segment.StemTerm + stem
		}
		holding, _ := v.holding(key)
		if added[key] || holding == 0 {
			continue
		}
		added[key] = true
		near = append(near, nearWord{forms, v.rarity(holding)})
	}
	if len(near) < 2 {
		return nil
	}
	slices.SortStableFunc(near, func(a, b nearWord) int { return cmp.Compare(b.rarity, a.rarity) })
	near = near[:min(len(near), nearWords)]
	for i := range near {
		near[i].forms = v.formsOf(near[i].forms[0][1:], q.stems)
	}
	return near
}

// formsOf returns the terms of the words that have the stem of a word, itself among them.
func (v *snapshot) formsOf(word string, stems *words.Stemmer) []string {
	forms := []string{segment.WordTerm + word}
	stem := stems.Stem(word)
	if stem == "" {
		return forms
	}
	beginning := segment.WordTerm + strings.TrimRight(stem, "ei") // "retri" of retry, "use" of using
	for _, l := range v.segments {
		for w := l.TermsFrom(beginning); w.HasPrefix(beginning); w.NextTerm() {
			if len(w.Key) > len(segment.WordTerm)+len(stem)+formLetters || stems.Stem(string(w.Key[1:])) != stem {
				continue
			}
			if key := string(w.Key); !slices.Contains(forms, key) {
				forms = append(forms, key)
			}
		}
	}
	return forms
}

// nearnessReader measures how close the words of a query stand in the documents of one
// segment.
type nearnessReader struct {
	words   []nearWord
	cursors [][]*segment.Cursor // by word, one for each form
	found   []uint64            // positions in one document, each with the number of its word
	closes  []float64           // by word, how close the others are
}

func openNearness(l *segment.Live, near []nearWord) *nearnessReader {
	r := &nearnessReader{words: near, cursors: make([][]*segment.Cursor, len(near)), closes: make([]float64, len(near))}
	for i, w := range near {
		for _, form := range w.forms {
			if term := l.FindTerm(form); term != nil {
				r.cursors[i] = append(r.cursors[i], segment.NewCursor(term))
			}
		}
	}
	return r
}

// measure returns what the nearness of the words adds to the score of a document, whose
// length is in mean lengths. Documents ascend from call to call.
//
// A word gains from the word before and behind each of its places: the rarity of the other
// by the square of the distance. The sum counts as a frequency does in BM25.
func (r *nearnessReader) measure(doc uint32, score, length float64) (sum float64) {
	const wordBits = 8
	r.found = r.found[:0]
	held := 0
	for i, forms := range r.cursors {
		before := len(r.found)
		for _, c := range forms {
			if c.Seek(doc) {
				for _, position := range c.Positions() {
					r.found = append(r.found, uint64(position)<<wordBits|uint64(i))
				}
			}
		}
		if len(r.found) > before {
			held++
		}
	}
	if held < 2 {
		return 0
	}
	slices.Sort(r.found)
	clear(r.closes)
	for i := 1; i < len(r.found); i++ {
		a, b := r.found[i-1], r.found[i]
		first, second := a&(1<<wordBits-1), b&(1<<wordBits-1)
		if first == second {
			continue
		}
		distance := float64(max(b>>wordBits-a>>wordBits, 1))
		r.closes[first] += r.words[second].rarity / (distance * distance)
		r.closes[second] += r.words[first].rarity / (distance * distance)
	}
	for i, near := range r.closes {
		sum += nearWeight * r.words[i].rarity * termFrequency(near, length, 1)
	}
	return min(sum, nearMost*score)
}
