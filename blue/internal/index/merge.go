package index

import (
	"cmp"
	"slices"
)

// merge makes one segment of what lives in the parts.
func merge(parts []*part) *segment {
	s := &segment{}
	numbers := s.takeRows(parts)
	w := writer{s: s}
	at := make([]int, len(parts)) // the next term of each part
	for {
		key, ok := least(parts, at)
		if !ok {
			w.close()
			return s
		}
		if l := gather(parts, at, key, numbers); len(l.posts) > 0 {
			w.add(key, l)
		}
	}
}

// takeRows fills the rows of s, by name, and returns the new number of each
// document of each part.
func (s *segment) takeRows(parts []*part) [][]uint32 {
	type origin struct {
		part int
		doc  uint32
	}
	var all []origin
	numbers := make([][]uint32, len(parts))
	for i, p := range parts {
		numbers[i] = make([]uint32, len(p.rows))
		for doc := range uint32(len(p.rows)) {
			if p.lives(doc) {
				all = append(all, origin{i, doc})
			}
		}
	}
	slices.SortFunc(all, func(a, b origin) int {
		return cmp.Compare(parts[a.part].rows[a.doc].Name, parts[b.part].rows[b.doc].Name)
	})
	for number, o := range all {
		p := parts[o.part]
		numbers[o.part][o.doc] = uint32(number)
		s.rows = append(s.rows, p.rows[o.doc])
		s.lengths = append(s.lengths, p.lengths[o.doc])
		s.titles = append(s.titles, p.titles[o.doc])
	}
	return numbers
}

// least returns the first term that is still to be merged.
func least(parts []*part, at []int) (key string, ok bool) {
	for i, p := range parts {
		if at[i] == len(p.terms)-1 {
			continue
		}
		if term := p.term(at[i]); !ok || term < key {
			key, ok = term, true
		}
	}
	return key, ok
}

// gather collects the postings of a term and steps over it.
func gather(parts []*part, at []int, key string, numbers [][]uint32) *list {
	type found struct {
		posting
		places []uint32
	}
	var all []found
	for i, p := range parts {
		if at[i] == len(p.terms)-1 || p.term(at[i]) != key {
			continue
		}
		c := p.cursor(at[i])
		at[i]++
		for block := 0; c.load(block); block++ {
			for ; c.i < c.n; c.i++ {
				if !p.lives(c.docs[c.i]) {
					continue
				}
				next := found{posting: posting{numbers[i][c.docs[c.i]], c.times[c.i], c.titles[c.i]}}
				if key[:1] == wordTerm {
					next.places = slices.Clone(c.places())
				}
				all = append(all, next)
			}
		}
	}
	slices.SortFunc(all, func(a, b found) int { return cmp.Compare(a.doc, b.doc) })
	l := &list{}
	for _, next := range all {
		l.posts = append(l.posts, next.posting)
		l.places = append(l.places, next.places...)
	}
	return l
}
