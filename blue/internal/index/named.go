package index

import (
	"strings"

	"blue/blue/internal/words"
)

// document is the place of a document in a view.
type document struct {
	segment int
	doc     uint32
}

// named returns the documents whose title, file name or id the text is, or the
// one whose id begins with it.
func (v *snapshot) named(text string) map[document]int {
	text = strings.TrimSpace(text)
	file := text[strings.LastIndexAny(text, `/\`)+1:]
	id, _ := strings.CutSuffix(file, ".md")
	named := map[document]int{}
	if key := words.TitleKey(text); key != "" {
		v.mark(named, titleTerm+key, exact)
	}
	if key := words.Fold(id); key != "" {
		v.mark(named, idTerm+key, exact)
		if only, ok := v.onlyID(key); ok {
			v.mark(named, only, beginsID)
		}
	}
	return named
}

// mark ranks the living documents that hold a term, unless they rank higher.
func (v *snapshot) mark(named map[document]int, key string, rank int) {
	for i, l := range v.segments {
		term := l.find(key)
		if term == nil {
			continue
		}
		c := newCursor(term)
		for block := 0; c.load(block); block++ {
			for _, doc := range c.docs[:c.n] {
				if at := (document{i, doc}); l.lives(doc) && named[at] < rank {
					named[at] = rank
				}
			}
		}
	}
}

// onlyID returns the term of the one id that begins with a text.
func (v *snapshot) onlyID(text string) (key string, ok bool) {
	if len(text) < prefixLetters {
		return "", false
	}
	for _, l := range v.segments {
		for w := l.search(idTerm + text); w.begins(idTerm + text); w.next() {
			if n, _ := l.holding(w.data()); n == 0 || string(w.key) == key {
				continue
			}
			if ok {
				return "", false
			}
			key, ok = string(w.key), true
		}
	}
	return key, ok
}
