package index

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"
)

// Query is a question to the index. Its text is words, "phrases" and
// -exclusions; any text is a query.
type Query struct {
	Text    string
	Filter  Filter
	Prefix  bool // the last word also stands for words that begin with it
	Explain bool // fill in the shares
	Sure    bool // fill in the confidence, for which Body is needed
	Offset  int  // hits to pass over
	Limit   int  // the most hits

	// Body reads the text that a snippet is taken from, and says of which revision it is,
	// "" when there is none. Nil for no snippets.
	Body func(Row) (body, revision string)
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
	Sure    float64  // how surely it answers, when asked for: from 1 on also who has not searched should see it
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
	segment int
	doc     uint32
	class   int // of its class: exact, the beginning of an id, active, superseded
	score   float64
}

const (
	classSuperseded = iota
	classActive
	classBeginsID
	classExact
)

// Search returns a page of the documents that match, best first. The order is
// total and depends on the documents alone. An error means that ctx is done;
// there is no query that is wrong.
func (x *Index) Search(ctx context.Context, q Query) (r Result, err error) {
	var p *queryPlan
	x.readSnapshot(func(v *snapshot) {
		p = v.planQuery(parseQuery(q.Text, v.holdsPhrase), q.Prefix, &x.stems)
		if q.Sure {
			p.asked = v.informativeWords(p)
		}
		r, err = x.answerPage(ctx, v, p, q)
	})
	if err != nil {
		return Result{}, fmt.Errorf("searching: %w", err)
	}
	if q.Body == nil || len(r.Hits) == 0 {
		return r, nil
	}
	f := p.newMatchFinder()
	for i := range r.Hits {
		h := &r.Hits[i]
		h.Snippet, h.Marks = f.makeSnippet(x.bodies.bodyOf(h.Row, q.Body))
		if q.Sure {
			h.Sure *= p.passageShare(f.weight)
		}
	}
	return r, nil
}

func (x *Index) answerPage(ctx context.Context, v *snapshot, p *queryPlan, q Query) (r Result, err error) {
	r = Result{Unmatched: p.unmatched, Repaired: p.repaired, Ignored: p.ignored}
	from := max(q.Offset, 0)
	best := topCandidates{v: v, limit: from + max(q.Limit, 0)}
	r.Searched, err = x.collectCandidates(ctx, p, q, &best)
	if err != nil {
		return Result{}, err
	}
	r.Total = best.total
	sorted := best.sorted()
	sorted = sorted[min(from, len(sorted)):]
	r.Hits = make([]Hit, 0, len(sorted))
	for _, c := range sorted {
		r.Hits = append(r.Hits, v.hitOf(p, q, c))
	}
	return r, nil
}

// collectCandidates gives every document that passes to best, and returns how many were
// looked through.
func (x *Index) collectCandidates(ctx context.Context, q *queryPlan, query Query, best *topCandidates) (searched int, err error) {
	v := best.v
	named := v.exactMatches(query.Text)
	for i, l := range v.segments {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		obeys := l.phraseTest(q)
		searched += l.countPassing(&query.Filter)
		all := query.Filter.isZero() && len(named)+len(q.phrases)+len(q.excluded) == 0
		scores := x.scoreSegment(v, i, q, named)
		if len(q.phrases)+len(q.excluded) > 0 {
			slices.Sort(scores.docs) // as obeys wants them
		}
		for _, doc := range scores.docs {
			score := scores.sums[doc]
			if all && score < best.leastScore { // as most
				if l.lives(doc) {
					best.total++
				}
				continue
			}
			rank, isNamed := named[location{i, doc}]
			if !l.lives(doc) || !query.Filter.matches(l.segment, doc) || !isNamed && !obeys(doc) {
				continue
			}
			if !isNamed && !l.superseded(doc) {
				rank = classActive
			}
			best.addCandidate(candidate{segment: i, doc: doc, class: rank, score: score})
		}
		x.reuseScores(scores)
	}
	return searched, nil
}

func (f *Filter) isZero() bool { return f.Type == "" && len(f.Tags) == 0 && f.Since.IsZero() }

// countPassing counts the living documents that pass.
func (l *liveSegment) countPassing(f *Filter) (n int) {
	if f.isZero() {
		return l.living
	}
	for doc := range uint32(l.docs) {
		if l.lives(doc) && f.matches(l.segment, doc) {
			n++
		}
	}
	return n
}

// topCandidates keeps the first candidates in order, so that a search among many holds few.
type topCandidates struct {
	v          *snapshot
	limit      int
	total      int
	kept       []candidate // when most is small, the best so far in order
	leastScore float64     // no active document with a lower score is one of them
}

// selectLimit is the number of hits from which sorting all is quicker than
// keeping the best.
const selectLimit = 1000

func (b *topCandidates) addCandidate(c candidate) {
	b.total++
	if b.limit > selectLimit {
		b.kept = append(b.kept, c)
		return
	}
	n := len(b.kept)
	if n == b.limit && (n == 0 || b.v.compareCandidates(c, b.kept[n-1]) > 0) {
		return
	}
	at, _ := slices.BinarySearchFunc(b.kept, c, b.v.compareCandidates)
	b.kept = slices.Insert(b.kept, at, c)
	b.kept = b.kept[:min(b.limit, n+1)]
	if last := b.kept[len(b.kept)-1]; len(b.kept) == b.limit && last.class >= classActive {
		b.leastScore = last.score
	}
}

func (b *topCandidates) sorted() []candidate {
	if b.limit > selectLimit {
		slices.SortFunc(b.kept, b.v.compareCandidates)
	}
	return b.kept[:min(b.limit, len(b.kept))]
}

// compareCandidates puts better candidates first: by class, score, age, id and name.
func (v *snapshot) compareCandidates(a, b candidate) int {
	if c := cmp.Or(cmp.Compare(b.class, a.class), cmp.Compare(b.score, a.score)); c != 0 {
		return c
	}
	first, second := v.segments[a.segment], v.segments[b.segment]
	if c := second.time(b.doc).Compare(first.time(a.doc)); c != 0 {
		return c
	}
	x, y := first.row(a.doc), second.row(b.doc)
	return cmp.Or(cmp.Compare(x.ID, y.ID), cmp.Compare(x.Name, y.Name))
}

func (v *snapshot) hitOf(q *queryPlan, query Query, c candidate) Hit {
	h := Hit{Row: v.segments[c.segment].row(c.doc), Score: c.score, Exact: c.class > classActive}
	if query.Explain {
		h.Shares = v.scoreShares(c.segment, q, c.doc)
	}
	if query.Sure {
		h.Sure = v.confidence(q, c)
	}
	return h
}
