package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"blue/blue/internal/words"
)

// match is a word of a body that the query asks for.
type match struct {
	start, end int
	queryTerm
}

// matchFinder finds the words of a query in texts, one after another.
type matchFinder struct {
	words      map[string]queryTerm
	stems      map[string]queryTerm
	initials   map[string]bool // of stems; a stem begins as its words do
	beginnings *words.Beginnings
	stemmer    *words.Stemmer
	scanner    words.Scanner
	offset     int // where the scanned text begins
	found      []match
	counts     []int           // by number of a term, in the chosen passages
	weight     float64         // of the distinct words of these
	said       map[string]bool // units that hits have shown
}

// queryTerm is what the query gives for a word, and its number.
type queryTerm struct {
	weight float64
	number int
}

func (q *queryPlan) newMatchFinder() *matchFinder {
	f := &matchFinder{words: map[string]queryTerm{}, stems: map[string]queryTerm{}, initials: map[string]bool{}, stemmer: q.stems, counts: make([]int, len(q.terms)), said: map[string]bool{}}
	f.scanner.Yield, f.scanner.NoShingles = f.keepMatch, true
	var inFull, stems []string
	for i, t := range q.terms {
		key := t.key[1:]
		if t.key[:1] == stemTerm {
			f.stems[key] = queryTerm{t.textWeight, i}
			f.initials[key[:min(2, len(key))]] = true
			stems = append(stems, key)
		} else {
			f.words[key] = queryTerm{t.textWeight, i}
			inFull = append(inFull, key)
		}
	}
	f.beginnings = words.NewBeginnings(inFull, stems)
	return f
}

// findMatches looks for the words of a text that the query asks for, in order.
func (f *matchFinder) findMatches(text string) {
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

// keepMatch keeps a word when the query asks for it. Of several forms that begin at one
// place the heaviest counts; a chain whose words have been seen does not.
func (f *matchFinder) keepMatch(t words.Token) {
	asked, ok := f.words[t.Text]
	if !ok && t.Form <= words.Piece && len(t.Text) > 2 && f.initials[t.Text[:2]] {
		asked, ok = f.stems[f.stemmer.Stem(t.Text)]
	}
	if !ok {
		return
	}
	m := match{f.offset + t.Start, f.offset + t.End, asked}
	switch n := len(f.found); {
	case n == 0 || m.start > f.found[n-1].start:
		f.found = append(f.found, m)
	case m.start == f.found[n-1].start && m.weight > f.found[n-1].weight:
		f.found[n-1] = m
	}
}

// appendOnOneLine appends a text with each run of spaces and control characters as one
// space, none at the beginning of a snippet.
func appendOnOneLine(b *strings.Builder, text string) {
	for at := 0; at < len(text); {
		if n := plainPrefix(text[at:]); n > 0 {
			b.WriteString(text[at : at+n])
			at += n
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		at += size
		if unicode.IsSpace(r) || unicode.IsControl(r) {
			if s := b.String(); s == "" || s[len(s)-1] == ' ' || s == ellipsis {
				continue
			}
			r = ' '
		}
		b.WriteRune(r)
	}
}

// plainPrefix is how many bytes of ASCII a text begins with that show as they are.
func plainPrefix(text string) int {
	for i := range len(text) {
		if text[i] <= ' ' || text[i] >= 0x7f {
			return i
		}
	}
	return len(text)
}

// runeBoundary returns the border of a rune at or before an offset.
func runeBoundary(text string, at int) int {
	if at >= len(text) {
		return len(text)
	}
	for at > 0 && !utf8.RuneStart(text[at]) {
		at--
	}
	return at
}

// nextWordStart moves forward to where a word begins, at most to the limit.
func nextWordStart(text string, at, limit int) int {
	if at == 0 {
		return 0
	}
	if i := strings.IndexAny(text[at:limit], " \t\n\r"); i >= 0 {
		return at + i + 1
	}
	return at
}

// lastWordEnd moves back to where a word ends, unless the only one is long.
func lastWordEnd(text string, start, at int) int {
	if at == len(text) {
		return at
	}
	if i := strings.LastIndexAny(text[start:at], " \t\n\r"); i > (at-start)/2 {
		return start + i
	}
	return at
}
