package index

import "slices"

// view is one state of the index. It does not change once it is published.
type view struct {
	parts []*part

	docs            int // that live
	length, titling float64
}

// part is a segment and the documents of it that are gone.
type part struct {
	*segment
	dead    []uint32 // ascending
	isDead  []uint64 // the same as bits, nil when none is
	docs    int      // that live
	length  int64    // their words
	titling int64    // words of their titles
}

func newPart(s *segment) *part {
	p := &part{segment: s, docs: len(s.rows)}
	for i := range s.rows {
		p.length += int64(s.lengths[i])
		p.titling += int64(s.titles[i])
	}
	return p
}

func (p *part) lives(doc uint32) bool {
	return p.isDead == nil || p.isDead[doc/64]&(1<<(doc%64)) == 0
}

func (v *view) clone() *view { return &view{parts: slices.Clone(v.parts)} }

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
	c.isDead = make([]uint64, (len(c.rows)+63)/64)
	copy(c.isDead, p.isDead)
	for _, doc := range c.dead {
		if c.lives(doc) {
			c.isDead[doc/64] |= 1 << (doc % 64)
			c.docs--
			c.length -= int64(c.lengths[doc])
			c.titling -= int64(c.titles[doc])
		}
	}
	return &c
}

// compact merges the youngest parts while the one before is not much larger,
// which keeps their number at the logarithm of that of documents, and rewrites
// parts of which half is gone.
func (v *view) compact() {
	v.parts = slices.DeleteFunc(v.parts, func(p *part) bool { return p.docs == 0 })
	for i, p := range v.parts {
		if len(p.dead) > p.docs {
			v.parts[i] = newPart(merge(v.parts[i : i+1]))
		}
	}
	from := len(v.parts) - 1
	if from < 1 {
		return
	}
	docs := v.parts[from].docs
	for from > 0 && v.parts[from-1].docs <= 2*docs {
		from--
		docs += v.parts[from].docs
	}
	if young := v.parts[from:]; len(young) > 1 {
		v.parts = append(slices.Clone(v.parts[:from]), newPart(merge(young)))
	}
}

func (v *view) count() {
	length, titling := int64(0), int64(0)
	for _, p := range v.parts {
		v.docs += p.docs
		length += p.length
		titling += p.titling
	}
	v.length = float64(max(length, 1)) / float64(max(v.docs, 1))
	v.titling = float64(max(titling, 1)) / float64(max(v.docs, 1))
}

// holding returns how many documents hold a term, and in how many titles it is.
func (v *view) holding(key string) (docs, titles int) {
	for _, p := range v.parts {
		if term := p.find(key); term >= 0 {
			m, n := p.holding(term)
			docs, titles = docs+m, titles+n
		}
	}
	return docs, titles
}

func (p *part) holding(term int) (docs, titles int) {
	docs, titles = int(p.terms[term].count), int(p.terms[term].titles)
	if len(p.dead) == 0 {
		return docs, titles
	}
	c := p.cursor(term)
	for _, doc := range p.dead {
		if c.seek(doc) {
			docs--
			titles -= int(min(c.titles[c.i], 1))
		}
	}
	return docs, titles
}
