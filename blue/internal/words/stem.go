package words

import (
	"strings"
	"sync"

	"github.com/kljensen/snowball/english"
)

// Stemmer remembers stems: finding one takes microseconds. It may be used at the same time.
type Stemmer struct {
	mu    sync.Mutex
	known map[string]string
}

const stemsKnown = 1 << 12 // 300 kB; then a stemmer begins anew

// Stem is the function of that name.
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

// Stem returns the English stem of a word, "" when it has none: the stemmer
// is for words of Latin letters only.
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
