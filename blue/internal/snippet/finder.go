package snippet

import "blue/blue/internal/words"

// Finder chooses passages with the words of a query from one text after another.
type Finder struct {
	words      map[string]queryTerm
	stems      map[string]queryTerm
	initials   map[string]bool // of stems; a stem begins like its words
	beginnings *words.Beginnings
	stemmer    *words.Stemmer
	scanner    words.Scanner
	offset     int // start of the scanned text
	found      []match
	matches    []match         // those of the units of the last body
	units      []unit          // of the last body
	counts     []int           // by number of a term: occurrences in the chosen passages
	said       map[string]bool // texts of units that earlier hits have shown
}

// Term is a word of a query, or its stem, and its weight.
type Term struct {
	Text   string
	IsStem bool
	Weight float64
}

// NewFinder returns a finder for the terms of a query.
func NewFinder(terms []Term, stemmer *words.Stemmer) *Finder {
	f := &Finder{words: map[string]queryTerm{}, stems: map[string]queryTerm{}, initials: map[string]bool{}, stemmer: stemmer, counts: make([]int, len(terms)), said: map[string]bool{}}
	f.scanner.Yield, f.scanner.NoShingles = f.keepMatch, true
	var inFull, stems []string
	for i, t := range terms {
		if t.IsStem {
			f.stems[t.Text] = queryTerm{t.Weight, formWorth * t.Weight, i}
			f.initials[t.Text[:min(2, len(t.Text))]] = true
			stems = append(stems, t.Text)
		} else {
			f.words[t.Text] = queryTerm{t.Weight, t.Weight, i}
			inFull = append(inFull, t.Text)
		}
	}
	f.beginnings = words.NewBeginnings(inFull, stems)
	return f
}

// findMatches finds the words of the query in a text, in order.
func (f *Finder) findMatches(text string) {
	f.found = f.found[:0]
	for at := 0; ; {
		from, to := f.beginnings.Next(text[at:])
		if from == to {
			return
		}
		f.offset = at + from
		f.scanner.Scan(text[f.offset : at+to])
		at += to
	}
}

// keepMatch records a word if it is in the query. If several forms start at one offset, the
// heaviest counts, even if it is an identifier that is yielded after its words.
func (f *Finder) keepMatch(t words.Word) {
	asked, ok := f.words[t.Text]
	if !ok && t.Form <= words.Piece && len(t.Text) > 2 && f.initials[t.Text[:2]] {
		asked, ok = f.stems[f.stemmer.Stem(t.Text)]
	}
	if !ok {
		return
	}
	m := match{f.offset + t.Start, f.offset + t.End, false, asked}
	i := len(f.found) - 1
	for i >= 0 && f.found[i].start > m.start {
		i--
	}
	switch {
	case i >= 0 && f.found[i].start == m.start && m.weight > f.found[i].weight:
		f.found[i] = m
	case i == len(f.found)-1 && (i < 0 || f.found[i].start < m.start):
		f.found = append(f.found, m)
	}
}

// Part is a part of a body that is weighed by itself.
type Part struct {
	Start            int // offset in the body; the part ends where the next one begins
	Name, BehindName int // offsets of the line that names it, equal if there is none
}

// Weight is how much of a query a part of a body holds.
type Weight struct {
	Sum float64
	At  int // offset of its heaviest word
}

const (
	partMean     = 800 // bytes of a part of mean length
	partSaturate = 1.2 // as k1 of BM25
	partLength   = 0.5 // as b of BM25
	namedTimes   = 2   // occurrences that a word counts in addition in the line that names the part
)

// WeighParts weighs the parts of a body, which are in order, by the words of the query.
func (f *Finder) WeighParts(body string, parts []Part) []Weight {
	f.findMatches(body)
	weights, rest := make([]Weight, len(parts)), f.found
	for i, p := range parts {
		end := len(body)
		if i+1 < len(parts) {
			end = parts[i+1].Start
		}
		clear(f.counts)
		heaviest := 0.0
		first := rest
		for ; len(rest) > 0 && rest[0].start < end; rest = rest[1:] {
			m := rest[0]
			f.counts[m.number]++
			if m.start >= p.Name && m.end <= p.BehindName {
				f.counts[m.number] += namedTimes
				m.weight *= namedTimes
			}
			if m.weight > heaviest {
				heaviest, weights[i].At = m.weight, m.start
			}
		}
		norm := partSaturate * (1 - partLength + partLength*float64(end-p.Start)/partMean)
		for _, m := range first[:len(first)-len(rest)] {
			if n := float64(f.counts[m.number]); n > 0 {
				weights[i].Sum += m.weight * n * (partSaturate + 1) / (n + norm)
				f.counts[m.number] = 0
			}
		}
	}
	return weights
}
