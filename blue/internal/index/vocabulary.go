package index

import (
	"cmp"
	"maps"
	"slices"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

type knownWord struct {
	text              string
	inTexts, inTitles int // that hold it
}

// nearWords returns the words at edit distance 1 of a word, exchanged neighbours
// included: those that most documents hold first, at most repairWords.
func (v *snapshot) nearWords(word string) []knownWord {
	found := map[string]bool{}
	for _, l := range v.segments {
		words.FindNear(word, l, func(word string) { found[word] = true })
	}
	return v.mostHeld(slices.Collect(maps.Keys(found)), repairWords)
}

func (v *snapshot) mostHeld(words []string, most int) []knownWord {
	var all []knownWord
	for _, w := range words {
		if n, titles := v.holding(segment.WordTerm + w); n > 0 {
			all = append(all, knownWord{w, n, titles})
		}
	}
	slices.SortFunc(all, func(a, b knownWord) int {
		return cmp.Or(cmp.Compare(b.inTexts, a.inTexts), cmp.Compare(a.text, b.text))
	})
	return all[:min(len(all), most)]
}

// longerWords returns the words that begin with a text and are longer: those that
// most documents hold first, at most prefixWords.
func (v *snapshot) longerWords(text string) []knownWord {
	found := map[string]bool{}
	for _, l := range v.segments {
		for w := l.TermsFrom(segment.WordTerm + text); w.HasPrefix(segment.WordTerm + text); w.NextTerm() {
			if word := string(w.Key[1:]); word != text {
				found[word] = true
			}
		}
	}
	return v.mostHeld(slices.Collect(maps.Keys(found)), prefixWords)
}
