package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
	"blue/fixtures"
)

// TestSimilarIsBounded: where the words of a draft stand in many documents only the rarest are
// read, and what is found is nearly always what a look at every document finds.
func TestSimilarIsBounded(t *testing.T) {
	fixtures.Slow(t)
	random := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(random, 1.1, 3, 5000)
	text := func(words int) string {
		var b strings.Builder
		for range words {
			fmt.Fprintf(&b, "w%x ", zipf.Uint64())
		}
		return b.String()
	}
	x := Open("")
	var bodies []string
	for range 3 {
		var docs []Document
		for range 2000 {
			n := len(bodies)
			bodies = append(bodies, text(20+random.IntN(200)))
			docs = append(docs, Document{Row: Row{Name: fmt.Sprintf("notes/n%05d.md", n), ID: fmt.Sprintf("n%05d", n), Title: fmt.Sprint("Note ", n%500)}, Body: bodies[n]})
		}
		must(t, x.Put(docs...))
	}
	v, found, bounded, other := x.current.Load(), 0, 0, 0
	for range 300 {
		d := Draft{Title: fmt.Sprint("note ", random.IntN(1000)), Body: bodies[random.IntN(len(bodies))]}
		d.Body = d.Body[:len(d.Body)*(1+random.IntN(4))/4] + text(random.IntN(60))
		q := v.compareText(d, &x.stems)
		got, want := x.findSimilar(v, q, d), v.compareAll(q, d.Title)
		want = want[:min(alikeLooked, len(want))]
		found += len(want)
		postings := 0
		for _, term := range q.terms {
			postings += term.holding
		}
		switch isBounded := postings > draftPostings; {
		case isBounded:
			bounded++
			if !slices.Equal(got, want) {
				other++
			}
		case !slices.Equal(got, want):
			t.Fatalf("%q: got %v, want %v", d.Title, got, want)
		}
	}
	if t.Logf("%d found for 300 drafts, %d of them bounded, %d found other documents", found, bounded, other); found < 300 || bounded < 20 || other > bounded/10 {
		t.Errorf("%d found for 300 drafts, %d of them bounded, %d found other documents", found, bounded, other)
	}
}

// compareAll returns every document that a comparison finds alike, or that has the title.
func (v *snapshot) compareAll(q *comparison, title string) (all []candidate) {
	named := map[location]int{}
	v.markHolders(named, segment.TitleTerm+words.TitleKey(title), classExact)
	for i, l := range v.segments {
		s := &scores{sums: make([]float64, l.Docs)}
		q.addScores(v, l, q.terms, s)
		for doc := range uint32(l.Docs) {
			if c := (candidate{i, doc, max(named[location{i, doc}], classActive), s.sums[doc]}); c.class == classExact || c.score >= q.least {
				all = append(all, c)
			}
		}
	}
	slices.SortFunc(all, v.compareCandidates)
	return all
}
