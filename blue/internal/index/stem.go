package index

import (
	"strings"

	"github.com/kljensen/snowball/english"
)

// stemmer remembers stems: finding one takes microseconds.
type stemmer struct{ known map[string]string }

const stemsKnown = 1 << 12 // 300 kB; then it begins anew

// stemmer returns one, if it can the one that knows the stems of calls before. It goes
// back to x.stems; a pool would be emptied by each collection of garbage.
func (x *Index) stemmer() *stemmer {
	if s := x.stems.Swap(nil); s != nil {
		return s
	}
	return &stemmer{}
}

func (s *stemmer) stem(word string) string {
	stem, ok := s.known[word]
	if !ok {
		if s.known == nil || len(s.known) == stemsKnown {
			s.known = map[string]string{}
		}
		stem = stemOf(word)
		s.known[strings.Clone(word)] = stem
	}
	return stem
}

// stemOf returns the English stem of a word, "" when it has none: the stemmer
// is for words of Latin letters only.
func stemOf(word string) string {
	if len(word) < 3 {
		return ""
	}
	for i := range len(word) {
		if word[i] < 'a' || word[i] > 'z' {
			return ""
		}
	}
	return english.Stem(word, true)
}
