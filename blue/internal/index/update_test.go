package index_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"

	"blue/blue/internal/index"
	"blue/errors"
)

// However the documents came in, the answer is the same.
func TestOrderDependsOnDocumentsAlone(t *testing.T) {
	c := newCorpus(7)
	docs := c.notes(fewer(250))
	at := mustOpen(t, docs...)
	grown := mustOpen(t)
	random := rand.New(rand.NewPCG(3, 4))
	for _, i := range random.Perm(len(docs)) {
		wrong := docs[i]
		wrong.Body = c.text(50)
		mustPut(t, grown, note("gone-"+wrong.ID, c.text(30)), wrong)
		mustPut(t, grown, docs[i])
		must(t, grown.Drop("notes/gone-"+wrong.ID+".md", "notes/never-there.md"))
	}
	for range fewer(200) {
		q := index.Query{Text: c.query(3), Explain: true, Limit: 50, Prefix: true}
		want, got := mustSearch(t, at, q), mustSearch(t, grown, q)
		if !reflect.DeepEqual(want, got) {
			t.Fatalf("%q:\n got %v\nwant %v", q.Text, ids(got.Hits), ids(want.Hits))
		}
	}
}

func TestPutAndDrop(t *testing.T) {
	x := mustOpen(t, note("a", "first"), note("b", "third"))
	mustPut(t, x, note("a", "second"))
	if got := placedPosting(t, x, "first second third"); !slices.Equal(got, []string{"a", "b"}) && !slices.Equal(got, []string{"b", "a"}) {
		t.Errorf("got %v", got)
	}
	if got := placedPosting(t, x, "first"); len(got) > 0 {
		t.Errorf("a text that was replaced is still found: %v", got)
	}
	must(t, x.Drop("notes/a.md"))
	names := []string{}
	for name := range x.Stamps() {
		names = append(names, name)
	}
	if !slices.Equal(names, []string{"notes/b.md"}) || len(placedPosting(t, x, "second")) > 0 {
		t.Errorf("dropped, and still there: %v", names)
	}
	if _, ok := x.Row("notes/a.md"); ok {
		t.Error("dropped, and its row is there")
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := mustOpen(t, note("a", "word")).Search(ctx, index.Query{Text: "word", Limit: 1}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// A search sees one state: all of what a Put brought, or nothing.
func TestConcurrent(t *testing.T) {
	x := mustOpen(t, note("a", "generation0 word"), note("b", "generation0 word"))
	var group sync.WaitGroup
	for range 3 {
		group.Go(func() {
			for range 200 {
				r := mustSearch(t, x, index.Query{Text: "word", Limit: 5})
				if len(r.Hits) != 2 || r.Hits[0].Revision != r.Hits[1].Revision {
					t.Errorf("torn: %v", r.Hits)
				}
			}
		})
	}
	group.Go(func() {
		for i := range 200 {
			a, b := note("a", "word"), note("b", "word")
			a.Revision, b.Revision = fmt.Sprint(i), fmt.Sprint(i)
			mustPut(t, x, a, b)
		}
	})
	group.Wait()
}

func mustPut(t testing.TB, x *index.Index, docs ...index.Document) {
	t.Helper()
	if err := x.Put(docs...); err != nil {
		t.Error(err)
	}
}

func mustOpen(t testing.TB, docs ...index.Document) *index.Index {
	t.Helper()
	x := index.Open(t.TempDir())
	t.Cleanup(func() { x.Close() })
	must(t, x.Put(docs...))
	return x
}

func mustSearch(t testing.TB, x *index.Index, q index.Query) index.Result {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	r, err := x.Search(context.Background(), q)
	must(t, err)
	return r
}

func ids(hits []index.Hit) []string {
	got := []string{}
	for _, h := range hits {
		got = append(got, h.ID)
	}
	return got
}
