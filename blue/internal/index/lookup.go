package index

import (
	"cmp"
	"slices"
	"strings"
)

// Keyed returns the documents that were put in with the key, by name.
func (x *Index) Keyed(key string) []Row {
	return x.now.Load().holders(-1, func(p *part) []int {
		if term := p.find(keyTerm + key); term >= 0 {
			return []int{term}
		}
		return nil
	})
}

// WithPrefix returns documents whose id begins with a text, at most limit.
func (x *Index) WithPrefix(prefix string, limit int) []Row {
	beginning := idTerm + fold(prefix)
	return x.now.Load().holders(limit, func(p *part) (terms []int) {
		for i := p.search(beginning); i < len(p.terms)-1 && strings.HasPrefix(p.term(i), beginning); i++ {
			terms = append(terms, i)
		}
		return terms
	})
}

// State says in a few words what the index is.
func (x *Index) State() string { return "in memory" }

// holders returns the living documents that hold one of the terms of their part,
// sorted by name, at most limit of them; -1 is all.
func (v *view) holders(limit int, terms func(p *part) []int) (rows []Row) {
	for _, p := range v.parts {
		for _, term := range terms(p) {
			c := p.cursor(term)
			for block := 0; c.load(block); block++ {
				for _, doc := range c.docs[:c.n] {
					if p.lives(doc) && len(rows) != limit {
						rows = append(rows, p.rows[doc])
					}
				}
			}
		}
	}
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Name, b.Name) })
	return rows
}

// List returns a page of the documents that pass, newest first or by title, and
// how many there are.
func (x *Index) List(f Filter, byTitle bool, offset, limit int) (rows []Row, total int) {
	for _, p := range x.now.Load().parts {
		for i := range p.rows {
			if p.lives(uint32(i)) && f.passes(&p.rows[i]) {
				rows = append(rows, p.rows[i])
			}
		}
	}
	slices.SortFunc(rows, func(a, b Row) int {
		if byTitle {
			return cmp.Or(cmp.Compare(a.Title, b.Title), cmp.Compare(a.Name, b.Name))
		}
		return cmp.Or(b.Time.Compare(a.Time), cmp.Compare(a.Name, b.Name))
	})
	offset = min(max(offset, 0), len(rows))
	return rows[offset : offset+min(max(limit, 0), len(rows)-offset)], len(rows)
}
