package index

import (
	"slices"

	"blue/blue/internal/segment"
)

// phraseTest returns a function that tests whether a document of the segment satisfies the phrases
// and exclusions. It must be called in ascending order of documents.
func phraseTest(l *segment.Live, q *parsedQuery) func(doc uint32) bool {
	var wanted, unwanted []*phraseCursor
	for _, phrase := range q.phrases {
		s := openPhrase(l, phrase)
		if s == nil {
			return func(uint32) bool { return false }
		}
		wanted = append(wanted, s)
	}
	for _, phrase := range q.excluded {
		if s := openPhrase(l, phrase); s != nil {
			unwanted = append(unwanted, s)
		}
	}
	return func(doc uint32) bool {
		for _, s := range wanted {
			if !s.occursIn(doc) {
				return false
			}
		}
		for _, s := range unwanted {
			if s.occursIn(doc) {
				return false
			}
		}
		return true
	}
}

// phraseCursor finds a phrase in the documents of one segment.
type phraseCursor struct {
	cursors []*segment.Cursor
	offsets []uint32 // of each word, from the first
}

// openPhrase returns nil if a word of the phrase is not in the segment.
func openPhrase(l *segment.Live, phrase phrase) *phraseCursor {
	s := &phraseCursor{}
	for _, t := range phrase {
		term := l.FindTerm(segment.WordTerm + t.Text)
		if term == nil {
			return nil
		}
		s.cursors = append(s.cursors, segment.NewCursor(term))
		s.offsets = append(s.offsets, uint32(t.Position))
	}
	return s
}

// holdsPhrase reports whether any living document holds the phrase.
func (v *snapshot) holdsPhrase(phrase phrase) bool {
	for _, l := range v.segments {
		s := openPhrase(l, phrase)
		if s == nil {
			continue
		}
		for doc := range l.Holders(l.FindTerm(segment.WordTerm + phrase[0].Text)) {
			if s.occursIn(doc) {
				return true
			}
		}
	}
	return false
}

func (s *phraseCursor) occursIn(doc uint32) bool {
	for _, c := range s.cursors {
		if !c.Seek(doc) {
			return false
		}
	}
	return slices.ContainsFunc(s.cursors[0].Positions(), s.restFollows)
}

// restFollows reports whether the other words of the phrase occur at their offsets from the
// position of the first.
func (s *phraseCursor) restFollows(position uint32) bool {
	for i, c := range s.cursors[1:] {
		if _, there := slices.BinarySearch(c.Positions(), position+s.offsets[i+1]-s.offsets[0]); !there {
			return false
		}
	}
	return true
}
