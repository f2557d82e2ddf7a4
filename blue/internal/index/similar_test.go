package index

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// What is passed over while similar documents are looked for could not have been one.
func TestSimilarPassesOver(t *testing.T) {
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
		if err := x.Put(docs...); err != nil {
			t.Fatal(err)
		}
	}
	v, found, skipped := x.current.Load(), 0, 0
	for range 300 {
		title := fmt.Sprint("note ", random.IntN(1000))
		body := bodies[random.IntN(len(bodies))]
		body = body[:len(body)*(1+random.IntN(4))/4] + text(random.IntN(60))
		q := v.planDraft(Draft{Title: title, Body: body}, similarShare, &words.Stemmer{})
		got := x.findSimilar(v, q, Draft{Title: title}, 50)
		var want []candidate
		least := q.leastScore
		named := map[location]int{}
		v.markHolders(named, segment.TitleTerm+words.TitleKey(title), classExact)
		for i, p := range v.segments {
			all, some := &scores{sums: make([]float64, p.Docs)}, &scores{sums: make([]float64, p.Docs)}
			q.leastScore = 0
			v.addScores(i, q, all, nil)
			for doc := range uint32(p.Docs) {
				if c := (candidate{i, doc, max(named[location{i, doc}], classActive), all.sums[doc]}); c.class == classExact || c.score >= least {
					want = append(want, c)
				}
			}
			q.leastScore = least
			v.addScores(i, q, some, nil)
			skipped += len(all.docs) - len(some.docs)
		}
		slices.SortFunc(want, v.compareCandidates)
		want = want[:min(50, len(want))]
		found += len(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%q: got %v, want %v", title, got, want)
		}
	}
	if found < 300 || skipped < 100_000 {
		t.Errorf("%d found and %d passed over: that shows nothing", found, skipped)
	}
}
