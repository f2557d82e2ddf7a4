package index

import (
	"cmp"
	"iter"
	"maps"
	"slices"
	"unicode/utf8"

	"blue/blue/internal/words"
)

// known is a word of the vocabulary.
type known struct {
	text          string
	texts, titles int // that hold it
}

// near returns the words at edit distance 1 of a word, exchanged neighbours
// included: those that most documents hold first, at most repairWords.
func (v *snapshot) near(word string) []known {
	found := map[string]bool{}
	for _, l := range v.segments {
		words.FindNear(word, l.segment, func(word string) { found[word] = true })
	}
	return v.commonest(slices.Collect(maps.Keys(found)), repairWords)
}

func (v *snapshot) commonest(words []string, most int) []known {
	var all []known
	for _, w := range words {
		if n, titles := v.holding(wordTerm + w); n > 0 {
			all = append(all, known{w, n, titles})
		}
	}
	slices.SortFunc(all, func(a, b known) int {
		return cmp.Or(cmp.Compare(b.texts, a.texts), cmp.Compare(a.text, b.text))
	})
	return all[:min(len(all), most)]
}

// Contains and [segment.NextLetters] make a segment a vocabulary.
func (s *segment) Contains(word string) bool { return s.find(wordTerm+word) != nil }

// NextLetters yields the letters that follow a beginning in some word.
func (s *segment) NextLetters(beginning string) iter.Seq[string] {
	head := wordTerm + beginning
	return func(yield func(string) bool) {
		for w := s.search(head); w.begins(head); {
			rest := w.key[len(head):]
			if len(rest) == 0 {
				w.next()
				continue
			}
			_, size := utf8.DecodeRune(rest)
			next := string(rest[:size])
			if !yield(next) {
				return
			}
			w.pass(head + next)
		}
	}
}

// beginning returns the words that begin with a text and are longer: those that
// most documents hold first, at most prefixWords.
func (v *snapshot) beginning(text string) []known {
	found := map[string]bool{}
	for _, l := range v.segments {
		for w := l.search(wordTerm + text); w.begins(wordTerm + text); w.next() {
			if word := string(w.key[1:]); word != text {
				found[word] = true
			}
		}
	}
	return v.commonest(slices.Collect(maps.Keys(found)), prefixWords)
}
