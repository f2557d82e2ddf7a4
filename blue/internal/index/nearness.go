package index

import (
	"cmp"
	"slices"
	"strings"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// nearWord is a word of a query in all its forms. Nearness is the distance in a document to the
// other words, in whichever form they occur there.
type nearWord struct {
	text   string
	rarity float64    // of the stem
	forms  [][][]byte // by segment, the data of each form
}

// nearWordsOf returns the rarest of the words that count, each stem once, with all forms that occur
// in the index. A word that no document holds is replaced by its stand-in.
func (v *snapshot) nearWordsOf(counting []queryWord, q *queryPlan) (near []nearWord) {
	added := map[string]bool{}
	for _, w := range counting {
		if w.Form != words.Whole {
			continue
		}
		text := cmp.Or(q.standIns[w.Text], w.Text)
		key := segment.WordTerm + text
		if stem := q.stems.Stem(text); stem != "" {
			key = segment.StemTerm + stem
		}
		holding, _ := v.holding(key)
		if added[key] || holding == 0 {
			continue
		}
		added[key] = true
		near = append(near, nearWord{text: text, rarity: v.rarity(holding)})
	}
	if len(near) < 2 {
		return nil
	}
	slices.SortStableFunc(near, func(a, b nearWord) int { return cmp.Compare(b.rarity, a.rarity) })
	near = near[:min(len(near), nearWords)]
	for i := range near {
		near[i].forms = v.formsOf(near[i].text, q.stems)
	}
	return near
}

// formsOf returns, by segment, the data of all words with the same stem as a word, including the
// word itself.
func (v *snapshot) formsOf(word string, stems *words.Stemmer) [][][]byte {
	forms := make([][][]byte, len(v.segments))
	stem, key := stems.Stem(word), segment.WordTerm+word
	beginning := segment.WordTerm + stem
	if end := len(beginning) - 1; strings.IndexByte("ei", beginning[end]) >= 0 { // "retri" of retry, "use" of using
		beginning = beginning[:end]
	}
	for i, l := range v.segments {
		if own := l.FindTerm(key); own != nil {
			forms[i] = append(forms[i], own)
		}
		for w := l.TermsFrom(beginning); stem != "" && w.HasPrefix(beginning); w.NextTerm() {
			if len(w.Key) <= len(segment.WordTerm)+len(stem)+formLetters && string(w.Key) != key && stems.Stem(string(w.Key[1:])) == stem {
				forms[i] = append(forms[i], w.Data)
			}
		}
	}
	return forms
}

// nearnessReader measures how close the words of a query are to one another in the documents of a
// segment. It is reused for the next segment.
type nearnessReader struct {
	words   []nearWord
	forms   []formCursor
	found   []uint64          // positions in one document, each with the number of its word
	closes  []float64         // by word, how close the others are
	cursors []*segment.Cursor // reused by later segments because cursors are large
}

// formCursor is a cursor over the documents that hold one form of a word.
type formCursor struct {
	*segment.Cursor
	word int
}

func (r *nearnessReader) open(ordinal int, near []nearWord) {
	r.words, r.forms, r.closes = near, r.forms[:0], make([]float64, len(near))
	for i, w := range near {
		for _, term := range w.forms[ordinal] {
			n := len(r.forms)
			if n == len(r.cursors) {
				r.cursors = append(r.cursors, &segment.Cursor{})
			}
			r.cursors[n].OpenTerm(term)
			r.forms = append(r.forms, formCursor{r.cursors[n], i})
		}
	}
}

// measure returns what the nearness of the words adds to the score of a document. The length is
// relative to the mean length. Documents must be passed in ascending order.
//
// For each of its positions a word gains from the words directly before and after it: their rarity
// divided by the square of the distance. The sum is used as a term frequency in BM25.
func (r *nearnessReader) measure(doc uint32, score, length float64) (sum float64) {
	const wordBits = 8
	r.found = r.found[:0]
	held := uint(0) // the words that the document holds, as bits
	for _, f := range r.forms {
		if !f.Seek(doc) {
			continue
		}
		held |= 1 << f.word
		for _, position := range f.Positions() {
			r.found = append(r.found, uint64(position)<<wordBits|uint64(f.word))
		}
	}
	if held&(held-1) == 0 {
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
