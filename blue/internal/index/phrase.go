package index

import "slices"

// obeys returns the test of phrases and exclusions for documents of the part in
// ascending order.
func (l *liveSegment) obeys(q *plan) func(doc uint32) bool {
	var wanted, unwanted []*spoken
	for _, phrase := range q.phrases {
		s := l.open(phrase)
		if s == nil {
			return func(uint32) bool { return false }
		}
		wanted = append(wanted, s)
	}
	for _, phrase := range q.excluded {
		if s := l.open(phrase); s != nil {
			unwanted = append(unwanted, s)
		}
	}
	return func(doc uint32) bool {
		for _, s := range wanted {
			if !s.occurs(doc) {
				return false
			}
		}
		for _, s := range unwanted {
			if s.occurs(doc) {
				return false
			}
		}
		return true
	}
}

// spoken reads a phrase in one part.
type spoken struct {
	cursors []*cursor
	offsets []uint32 // of each word from the first
}

// open is nil when a word of the phrase is not in the part.
func (l *liveSegment) open(phrase phrase) *spoken {
	s := &spoken{}
	for _, t := range phrase {
		term := l.find(wordTerm + t.Text)
		if term == nil {
			return nil
		}
		s.cursors = append(s.cursors, newCursor(term))
		s.offsets = append(s.offsets, uint32(t.Position))
	}
	return s
}

// holdsPhrase reports whether the words of a phrase stand together in any living
// document.
func (v *snapshot) holdsPhrase(phrase phrase) bool {
	for _, l := range v.segments {
		s := l.open(phrase)
		if s == nil {
			continue
		}
		lead := newCursor(l.find(wordTerm + phrase[0].Text))
		for block := 0; lead.load(block); block++ {
			for _, doc := range lead.docs[:lead.n] {
				if l.lives(doc) && s.occurs(doc) {
					return true
				}
			}
		}
	}
	return false
}

func (s *spoken) occurs(doc uint32) bool {
	for _, c := range s.cursors {
		if !c.seek(doc) {
			return false
		}
	}
	for _, place := range s.cursors[0].positions() {
		if s.follows(place) {
			return true
		}
	}
	return false
}

// follows reports whether the words behind the first stand in their places.
func (s *spoken) follows(place uint32) bool {
	for i, c := range s.cursors[1:] {
		if !contains(c.positions(), place+s.offsets[i+1]-s.offsets[0]) {
			return false
		}
	}
	return true
}

func contains(places []uint32, place uint32) bool {
	_, ok := slices.BinarySearch(places, place)
	return ok
}
