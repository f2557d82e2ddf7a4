package words

import (
	"strings"
	"sync"

	"github.com/kljensen/snowball/english"
)

// Stemmer caches stems, since computing one takes microseconds. It is safe for concurrent use.
type Stemmer struct {
	mu    sync.Mutex
	known map[string]string
}

const stemsKnown = 1 << 12 // 300 kB; a full cache is cleared

// Stem returns the result of the function Stem, from the cache if possible.
func (s *Stemmer) Stem(word string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	stem, ok := s.known[word]
	if !ok {
		if s.known == nil || len(s.known) == stemsKnown {
			s.known = map[string]string{}
		}
		stem = Stem(word)
		s.known[strings.Clone(word)] = stem
	}
	return stem
}

// Stem returns the English stem of a folded word, or "" if it has none: only words of Latin letters
// are stemmed.
func Stem(word string) string {
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
