package index

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// known is a word of the vocabulary.
type known struct {
	text          string
	texts, titles int // that hold it
}

// near returns the words at edit distance 1 of a word, exchanged neighbours
// included: those that most documents hold first, at most repairWords.
func (v *view) near(word string) []known {
	found := map[string]bool{}
	for _, p := range v.parts {
		p.near(word, func(key string) { found[key[1:]] = true })
	}
	return v.commonest(slices.Collect(maps.Keys(found)), repairWords)
}

func (v *view) commonest(words []string, most int) []known {
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

// near walks along the word: whatever letter the vocabulary has next may take
// the place of the next one or come before it, provided the rest follows.
func (s *segment) near(word string, yield func(key string)) {
	try := func(key string) { // hundreds of times, and so without a copy of what is not there
		if s.find(key) != nil {
			yield(strings.Clone(key))
		}
	}
	for at := 0; at <= len(word); {
		head, tail := wordTerm+word[:at], word[at:]
		r, size := utf8.DecodeRuneInString(tail)
		for next := range s.after(head) {
			if next != string(r) {
				try(head + next + tail)
				if size > 0 {
					try(head + next + tail[size:])
				}
			}
		}
		if size == 0 {
			return
		}
		try(head + tail[size:])
		if q, more := utf8.DecodeRuneInString(tail[size:]); more > 0 && q != r {
			try(head + string(q) + string(r) + tail[size+more:])
		}
		at += size
	}
}

// after yields the letters that follow a beginning in the vocabulary.
func (s *segment) after(head string) func(yield func(string) bool) {
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
func (v *view) beginning(text string) []known {
	found := map[string]bool{}
	for _, p := range v.parts {
		for w := p.search(wordTerm + text); w.begins(wordTerm + text); w.next() {
			if word := string(w.key[1:]); word != text {
				found[word] = true
			}
		}
	}
	return v.commonest(slices.Collect(maps.Keys(found)), prefixWords)
}
