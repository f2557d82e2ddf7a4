package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Query is a question to the index. Its text is words, "phrases" and
// -exclusions; any text is a query (search.md section 1).
type Query struct {
	Text    string
	Filter  Filter
	Prefix  bool                             // the last word also stands for words that begin with it
	Explain bool                             // fill in the shares
	Offset  int                              // hits to pass over
	Limit   int                              // the most hits
	Body    func(Row) (body string, ok bool) // the text that a snippet is taken from; nil for none
}

// Filter passes documents; its zero value passes all.
type Filter struct {
	Type  string
	Tags  []string // all of them
	Since time.Time
}

// Hit is one document that answers a query.
type Hit struct {
	Row
	Score   float64
	Exact   bool     // the query is its title, file name or id, or begins that id alone; it stands first whatever its score
	Snippet string   // a few lines of the body
	Marks   [][2]int // from and to, in bytes of the snippet, of the words that were asked for
	Shares  *Shares  // of the score, when asked to explain
}

// Shares add up to a score.
type Shares struct {
	Word, Stem, Pair, Title, Repair float64
}

// Result is what a query found.
type Result struct {
	Hits      []Hit
	Total     int      // hits in all
	Unmatched []string // words as typed that nothing holds
	Repaired  []Repair // words that others stood in for
	Ignored   int      // words beyond the limit
	Searched  int      // documents that pass the filter
}

// Repair is an unknown word of a query and the known ones that stood in.
type Repair struct {
	Word     string
	StandIns []string
}

// candidate is a document that may be a hit.
type candidate struct {
	part  int
	doc   uint32
	rank  int // of its class: exact, the beginning of an id, active, superseded
	score float64
}

const (
	superseded = iota
	active
	beginsID
	exact
)

// Search returns a page of the documents that match, best first. The order is
// total and depends on the documents alone. An error means that ctx is done;
// there is no query that is wrong.
func (x *Index) Search(ctx context.Context, q Query) (Result, error) {
	v := x.now.Load()
	p := v.plan(parse(q.Text), q.Prefix)
	found, searched, err := x.candidates(ctx, v, p, q)
	if err != nil {
		return Result{}, fmt.Errorf("searching: %w", err)
	}
	r := Result{Total: len(found), Unmatched: p.unmatched, Repaired: p.repaired, Ignored: p.ignored, Searched: searched}
	from := min(max(q.Offset, 0), len(found))
	to := min(from+max(q.Limit, 0), len(found))
	for _, c := range v.best(p, found, to)[from:to] {
		r.Hits = append(r.Hits, v.hit(p, q, c))
	}
	return r, nil
}

// candidates scores every document that passes, without the pairs.
func (x *Index) candidates(ctx context.Context, v *view, q *plan, query Query) (found []candidate, searched int, err error) {
	named := v.named(query.Text)
	for i, p := range v.parts {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		scores := x.borrow(len(p.rows))
		p.score(v, q, *scores)
		passes := p.obeys(q)
		for doc, score := range *scores {
			doc := uint32(doc)
			if !p.lives(doc) || !query.Filter.passes(&p.rows[doc]) {
				continue
			}
			searched++
			c := candidate{part: i, doc: doc, rank: active, score: score}
			if rank, ok := named[document{i, doc}]; ok {
				c.rank = rank
			} else if score == 0 || !passes(doc) {
				continue
			} else if p.rows[doc].Superseded {
				c.rank = superseded
			}
			found = append(found, c)
		}
		x.scores.Put(scores)
	}
	return found, searched, nil
}

// borrow returns n zeros.
func (x *Index) borrow(n int) *[]float64 {
	scores, _ := x.scores.Get().(*[]float64)
	if scores == nil || cap(*scores) < n {
		scores = new([]float64)
		*scores = make([]float64, n)
	}
	*scores = (*scores)[:n]
	clear(*scores)
	return scores
}

func (f *Filter) passes(row *Row) bool {
	if f.Type != "" && row.Type != f.Type || !f.Since.IsZero() && row.Time.Before(f.Since) {
		return false
	}
	for _, tag := range f.Tags {
		if !slices.Contains(row.Tags, tag) {
			return false
		}
	}
	return true
}

// document is the place of a document in a view.
type document struct {
	part int
	doc  uint32
}

// named returns the documents whose title, file name or id the text is, or the
// one whose id begins with it.
func (v *view) named(text string) map[document]int {
	text = strings.TrimSpace(text)
	file := text[strings.LastIndexAny(text, `/\`)+1:]
	id, _ := strings.CutSuffix(file, ".md")
	named := map[document]int{}
	if key := titleKey(text); key != "" {
		v.mark(named, titleTerm+key, exact)
	}
	if key := fold(id); key != "" {
		v.mark(named, idTerm+key, exact)
		if only, ok := v.onlyID(key); ok {
			v.mark(named, only, beginsID)
		}
	}
	return named
}

// mark ranks the living documents that hold a term, unless they rank higher.
func (v *view) mark(named map[document]int, key string, rank int) {
	for i, p := range v.parts {
		term := p.find(key)
		if term < 0 {
			continue
		}
		c := p.cursor(term)
		for block := 0; c.load(block); block++ {
			for _, doc := range c.docs[:c.n] {
				if at := (document{i, doc}); p.lives(doc) && named[at] < rank {
					named[at] = rank
				}
			}
		}
	}
}

// onlyID returns the term of the one id that begins with a text.
func (v *view) onlyID(text string) (key string, ok bool) {
	if len(text) < prefixLetters {
		return "", false
	}
	for _, p := range v.parts {
		for i := p.search(idTerm + text); i < len(p.terms)-1 && strings.HasPrefix(p.term(i), idTerm+text); i++ {
			if n, _ := p.holding(i); n == 0 || p.term(i) == key {
				continue
			}
			if ok {
				return "", false
			}
			key, ok = p.term(i), true
		}
	}
	return key, ok
}

// best returns at least the first n candidates in order, pairs counted in. Pairs
// are looked up only where they could bring a candidate among the first n.
func (v *view) best(q *plan, all []candidate, n int) []candidate {
	if n == 0 {
		return nil
	}
	at := nth(all, n)
	reach := q.most() * (1 + 1e-9) // no rounding may lose a tie
	var within []candidate
	for _, c := range all {
		if c.rank > at.rank || c.rank == at.rank && c.score+reach >= at.score {
			within = append(within, c)
		}
	}
	v.addPairs(q, within)
	slices.SortFunc(within, v.order)
	return within
}

// nth returns the n-th best candidate without the pairs, or the last.
func nth(all []candidate, n int) candidate {
	better := func(a, b candidate) int {
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.score, a.score))
	}
	if n > 1000 {
		all = slices.SortedFunc(slices.Values(all), better)
		return all[min(n, len(all))-1]
	}
	top := make([]candidate, 0, n+1)
	for _, c := range all {
		if len(top) == n && better(c, top[n-1]) >= 0 {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, c, better)
		top = slices.Insert(top, at, c)
		top = top[:min(n, len(top))]
	}
	return top[len(top)-1]
}

func (v *view) addPairs(q *plan, all []candidate) {
	if len(q.pairs) == 0 {
		return
	}
	slices.SortFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.doc, b.doc))
	})
	part, m := -1, (*meetings)(nil)
	for i, c := range all {
		if c.part != part {
			part, m = c.part, v.parts[c.part].pairs(q)
		}
		all[i].score += m.worth(v, c.doc)
	}
}

// order puts better candidates first: by class, score, age and id.
func (v *view) order(a, b candidate) int {
	if c := cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.score, a.score)); c != 0 {
		return c
	}
	first, second := &v.parts[a.part].rows[a.doc], &v.parts[b.part].rows[b.doc]
	return cmp.Or(second.Time.Compare(first.Time), cmp.Compare(first.ID, second.ID), cmp.Compare(first.Name, second.Name))
}

func (v *view) hit(q *plan, query Query, c candidate) Hit {
	p := v.parts[c.part]
	h := Hit{Row: p.rows[c.doc], Score: c.score, Exact: c.rank > active}
	if query.Explain {
		h.Shares = p.explain(v, q, c.doc)
	}
	return h
}
