package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
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
	for _, c := range v.best(found, to)[from:to] {
		r.Hits = append(r.Hits, v.hit(p, q, c))
	}
	return r, nil
}

// candidates scores every document that passes.
func (x *Index) candidates(ctx context.Context, v *view, q *plan, query Query) (found []candidate, searched int, err error) {
	named := v.named(query.Text)
	for i, p := range v.parts {
		if err := ctx.Err(); err != nil {
			return nil, 0, err
		}
		scores := x.borrow(len(p.rows))
		v.score(i, q, *scores)
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

// best sorts the first n candidates to the front and returns them.
func (v *view) best(all []candidate, n int) []candidate {
	if n > selectLimit {
		slices.SortFunc(all, v.order)
		return all[:n]
	}
	top := make([]candidate, 0, n+1)
	for _, c := range all {
		if len(top) == n && (n == 0 || v.order(c, top[n-1]) > 0) {
			continue
		}
		at, _ := slices.BinarySearchFunc(top, c, v.order)
		top = slices.Insert(top, at, c)
		top = top[:min(n, len(top))]
	}
	return top
}

// selectLimit is the number of hits from which sorting all is quicker than
// keeping the best.
const selectLimit = 1000

// order puts better candidates first: by class, score, age and id.
func (v *view) order(a, b candidate) int {
	if c := cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.score, a.score)); c != 0 {
		return c
	}
	first, second := &v.parts[a.part].rows[a.doc], &v.parts[b.part].rows[b.doc]
	return cmp.Or(second.Time.Compare(first.Time), tie(first, second))
}

// tie orders what is otherwise equal.
func tie(a, b *Row) int { return cmp.Or(cmp.Compare(a.ID, b.ID), cmp.Compare(a.Name, b.Name)) }

func (v *view) hit(q *plan, query Query, c candidate) Hit {
	p := v.parts[c.part]
	h := Hit{Row: p.rows[c.doc], Score: c.score, Exact: c.rank > active}
	if query.Explain {
		h.Shares = v.explain(c.part, q, c.doc)
	}
	if query.Body != nil {
		if body, ok := query.Body(h.Row); ok {
			h.Snippet, h.Marks = q.snippet(body)
		}
	}
	return h
}
