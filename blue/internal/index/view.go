package index

import "slices"

// view is one state of the index. It does not change once it is published.
type view struct {
	parts []*part
	lacks bool // documents were given up with a damaged file, and no update since was whole

	docs            int // that live
	length, titling float64
}

// part is a segment and the documents of it that are gone.
type part struct {
	*segment
	dead    []uint32 // ascending
	isDead  []uint64 // the same as bits, nil when none is
	living  int      // documents that are not
	words   int64    // of these
	titling int64    // words of their titles
}

func newPart(s *segment) *part {
	p := &part{segment: s, living: s.docs}
	for i := range s.docs {
		p.words += int64(number(s.lengths, i))
		p.titling += int64(number(s.titles, i))
	}
	return p
}

func (p *part) lives(doc uint32) bool {
	return p.isDead == nil || p.isDead[doc/64]&(1<<(doc%64)) == 0
}

func (v *view) clone() *view { return &view{parts: slices.Clone(v.parts), lacks: v.lacks} }

// drop marks documents as gone, each part that has some in a copy.
func (v *view) drop(names []string) {
	for i, p := range v.parts {
		var gone []uint32
		for _, name := range names {
			if doc, ok := p.number(name); ok && p.lives(doc) {
				gone = append(gone, doc)
			}
		}
		if len(gone) > 0 {
			v.parts[i] = p.without(gone)
		}
	}
}

func (p *part) without(gone []uint32) *part {
	c := *p
	c.dead = append(slices.Clone(p.dead), gone...)
	slices.Sort(c.dead)
	c.dead = slices.Compact(c.dead)
	c.isDead = make([]uint64, (p.segment.docs+63)/64)
	copy(c.isDead, p.isDead)
	for _, doc := range gone {
		if c.lives(doc) {
			c.isDead[doc/64] |= 1 << (doc % 64)
			c.living--
			c.words -= int64(c.length(doc))
			c.titling -= int64(c.segment.titling(doc))
		}
	}
	return &c
}

// count sums up what ranking needs to know of all documents.
func (v *view) count() {
	v.parts = slices.DeleteFunc(v.parts, func(p *part) bool { return p.living == 0 })
	words, titling := int64(0), int64(0)
	for _, p := range v.parts {
		v.docs += p.living
		words += p.words
		titling += p.titling
	}
	v.length = float64(max(words, 1)) / float64(max(v.docs, 1))
	v.titling = float64(max(titling, 1)) / float64(max(v.docs, 1))
}

// holding returns how many documents hold a term, and in how many titles it is.
func (v *view) holding(key string) (docs, titles int) {
	for _, p := range v.parts {
		if term := p.find(key); term != nil {
			m, n := p.holding(term)
			docs, titles = docs+m, titles+n
		}
	}
	return docs, titles
}

// holdings returns how many documents hold each of many terms, which are in order.
func (v *view) holdings(keys []string) []int {
	docs := make([]int, len(keys))
	for _, p := range v.parts {
		p.findAll(keys, func(i int, term []byte) {
			n, _ := p.holding(term)
			docs[i] += n
		})
	}
	return docs
}

// holding counts by looking for the dead, or at all when that is quicker: a step
// forward costs about as much as decoding scanFactor documents.
func (p *part) holding(term []byte) (docs, titles int) {
	docs, titles, _ = headOf(term)
	if len(p.dead) == 0 {
		return docs, titles
	}
	c := newCursor(term)
	if docs > scanFactor*len(p.dead) {
		for _, doc := range p.dead {
			if c.seek(doc) {
				docs--
				titles -= int(min(c.titles[c.i], 1))
			}
		}
		return docs, titles
	}
	docs, titles = 0, 0
	for block := 0; c.load(block); block++ {
		for i, doc := range c.docs[:c.n] {
			if p.lives(doc) {
				docs++
				titles += int(min(c.titles[i], 1))
			}
		}
	}
	return docs, titles
}

const scanFactor = 128
