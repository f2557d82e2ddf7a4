package index

import (
	"strings"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// location is the place of a document in a snapshot.
type location struct {
	segment int
	doc     uint32
}

// locate finds a living document by its name.
func (v *snapshot) locate(name string) (location, bool) {
	for i, l := range v.segments {
		if doc, ok := l.NumberOf(name); ok {
			return location{i, doc}, true
		}
	}
	return location{}, false
}

// exactMatches returns the documents whose title, file name or id is the text, or the only one
// whose id begins with it.
func (v *snapshot) exactMatches(text string) map[location]int {
	text = strings.TrimSpace(text)
	file := text[strings.LastIndexAny(text, `/\`)+1:]
	id, _ := strings.CutSuffix(file, ".md")
	named := map[location]int{}
	if key := words.TitleKey(text); key != "" {
		v.markHolders(named, segment.TitleTerm+key, classExact)
	}
	if key := words.Fold(id); key != "" {
		v.markHolders(named, segment.IDTerm+key, classExact)
		if only, ok := v.onlyIDWithPrefix(key); ok {
			v.markHolders(named, only, classBeginsID)
		}
	}
	return named
}

// markHolders gives the living documents that hold a term the rank, unless they already rank
// higher.
func (v *snapshot) markHolders(named map[location]int, key string, rank int) {
	for i, l := range v.segments {
		for doc := range l.Holders(l.FindTerm(key)) {
			at := location{i, doc}
			named[at] = max(named[at], rank)
		}
	}
}

// onlyIDWithPrefix returns the term of the id that begins with a text, if there is exactly one.
func (v *snapshot) onlyIDWithPrefix(text string) (key string, ok bool) {
	if len(text) < prefixLetters {
		return "", false
	}
	for _, l := range v.segments {
		for w := l.TermsFrom(segment.IDTerm + text); w.HasPrefix(segment.IDTerm + text); w.NextTerm() {
			if n, _ := l.Holding(w.Data); n == 0 || string(w.Key) == key {
				continue
			}
			if ok {
				return "", false
			}
			key, ok = string(w.Key), true
		}
	}
	return key, ok
}
