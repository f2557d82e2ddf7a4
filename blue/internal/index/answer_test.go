package index_test

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue/internal/index"
)

func TestFilter(t *testing.T) {
	day := func(n int) time.Time { return time.Date(2020, 1, n, 0, 0, 0, 0, time.UTC) }
	var docs []index.Document
	for i, kind := range []string{"note", "decision", "decision", "note"} {
		d := note(string(rune('a'+i)), "word")
		d.Type, d.Time, d.Tags = kind, day(i+1), [][]string{nil, {"go"}, {"go", "db"}, {"db", "go", "x"}}[i]
		docs = append(docs, d)
	}
	x := mustOpen(t, docs...)
	tests := []struct {
		filter index.Filter
		want   string
	}{
		{index.Filter{}, "d c b a"},
		{index.Filter{Type: "decision"}, "c b"},
		{index.Filter{Tags: []string{"go"}}, "d c b"},
		{index.Filter{Tags: []string{"go", "db"}}, "d c"},
		{index.Filter{Tags: []string{"g"}}, ""},
		{index.Filter{Since: day(3)}, "d c"},
		{index.Filter{Type: "decision", Tags: []string{"db"}, Since: day(2)}, "c"},
		{index.Filter{Type: "note", Tags: []string{"db"}, Since: day(5)}, ""},
	}
	for _, tt := range tests {
		r := mustSearch(t, x, index.Query{Text: "word", Filter: tt.filter})
		if got := strings.Join(ids(r.Hits), " "); got != tt.want || r.Total != len(r.Hits) || r.Searched != r.Total {
			t.Errorf("%+v: got %q, want %q, total %d, searched %d", tt.filter, got, tt.want, r.Total, r.Searched)
		}
		rows, total := x.List(tt.filter, false, 0, 10)
		if got := len(rows); got != r.Total || total != got {
			t.Errorf("list %+v: %d of %d rows", tt.filter, got, total)
		}
	}
}

// TestListPages: the pages of a list are the whole list, newest first and by title.
func TestListPages(t *testing.T) {
	var docs []index.Document
	for i := range 700 {
		d := titled(fmt.Sprintf("n%03d", i), fmt.Sprint("Title ", i*311%700), "text")
		d.Type, d.Time = []string{"note", "decision", "decision"}[i%3], time.Unix(int64(i*389%700), 0)
		docs = append(docs, d)
	}
	x := mustOpen(t, docs...)
	for _, byTitle := range []bool{false, true} {
		all, total := x.List(index.Filter{}, byTitle, 0, math.MaxInt)
		if len(all) != 700 || total != 700 || !byTitle && !slices.IsSortedFunc(all, func(a, b index.Row) int { return b.Time.Compare(a.Time) }) {
			t.Fatalf("%d rows of %d", len(all), total)
		}
		var paged []index.Row
		for offset := 0; offset < 800; offset += 30 {
			rows, total := x.List(index.Filter{}, byTitle, offset, 30)
			if paged = append(paged, rows...); total != 700 {
				t.Errorf("from %d on: %d rows in all", offset, total)
			}
		}
		if !reflect.DeepEqual(paged, all) {
			t.Error("pages have gaps or doubles, or another order")
		}
	}
	if rows, total := x.List(index.Filter{Type: "decision"}, false, -3, 0); len(rows) != 0 || total != 466 {
		t.Errorf("%d rows, %d in all", len(rows), total)
	}
	if counts := x.Types(); len(counts) != 2 || counts["decision"] != 466 || counts["note"] != 234 {
		t.Errorf("%v", counts)
	}
}

func TestNamed(t *testing.T) {
	c := newCorpus(11)
	docs := c.notes(fewer(10_000))
	same := strings.Repeat("rotate the signing keys how to ", 30)
	docs = append(docs, titled("rotate-keys-a2b3", "How to rotate: the signing keys!", "short"), note("decoy-1", same), note("decoy-2", same),
		titled("race-in-ci-c4d5", `Use -race and "quotes" in CI`, "x"), titled("to-be-e6f7", "To be", "x"))
	past := titled("old-way-g7h2", "The old way", "x")
	past.Superseded = true
	x := mustOpen(t, append(docs, past)...)
	tests := map[string]string{
		"How to rotate: the signing keys!": "rotate-keys-a2b3",
		"how to rotate the signing KEYS":   "rotate-keys-a2b3",
		"rotate-keys-a2b3":                 "rotate-keys-a2b3",
		"rotate-keys-a2b3.md":              "rotate-keys-a2b3",
		"notes/rotate-keys-a2b3.md":        "rotate-keys-a2b3",
		".blue/notes/rotate-keys-a2b3.md":  "rotate-keys-a2b3",
		"rotate-ke":                        "rotate-keys-a2b3",
		`Use -race and "quotes" in CI`:     "race-in-ci-c4d5",
		"to be":                            "to-be-e6f7",
		"the old way":                      "old-way-g7h2",
		docs[432].ID:                       docs[432].ID,
	}
	for query, want := range tests {
		r := mustSearch(t, x, index.Query{Text: query})
		if len(r.Hits) == 0 || r.Hits[0].ID != want {
			t.Errorf("%q: got %v", query, ids(r.Hits))
		}
	}
	if r := mustSearch(t, x, index.Query{Text: "rotate-keys-a2b3", Filter: index.Filter{Type: "decision"}}); len(r.Hits) > 0 {
		t.Errorf("a name overrides the filter: %v", ids(r.Hits))
	}
}

func TestSharesAddUp(t *testing.T) {
	c := newCorpus(13)
	x := mustOpen(t, append(c.notes(500), titled("w", "Webhook retries", "the webhook retried"))...)
	queries := []string{"webook retries", "webhook retries", c.words[30] + "s " + c.words[31] + " webook"}
	for range 50 {
		queries = append(queries, c.query(4))
	}
	for _, query := range queries {
		for _, h := range mustSearch(t, x, index.Query{Text: query, Explain: true}).Hits {
			s := h.Shares
			if sum := s.Word + s.Stem + s.Pair + s.Near + s.Title + s.Repair; math.Abs(sum-h.Score) > 1e-9 {
				t.Errorf("%q, %s: %+v is %g, the score %g", query, h.ID, *s, sum, h.Score)
			}
		}
	}
	s := mustSearch(t, x, index.Query{Text: "webook retries", Explain: true}).Hits[0].Shares
	if s.Repair == 0 || s.Word == 0 || s.Stem == 0 || s.Title == 0 {
		t.Errorf("a share is missing: %+v", *s)
	}
	if s = mustSearch(t, x, index.Query{Text: "the webhook retried now", Explain: true}).Hits[0].Shares; s.Pair == 0 {
		t.Errorf("no pair: %+v", *s)
	}
}

func TestSnippet(t *testing.T) {
	filler := strings.Repeat("Nothing of interest here, and it goes on. ", 60)
	bodies := map[string]string{
		"long":  filler + "The webhook\n\n\tretries é" + filler,
		"short": "# Webhook\n\nretries", "empty": "", "blob": strings.Repeat("é", 5000), "late": filler + filler + filler + "webhook",
	}
	docs := []index.Document{}
	for id, body := range bodies {
		docs = append(docs, titled(id, "webhook", body))
	}
	x := mustOpen(t, docs...)
	r := mustSearch(t, x, index.Query{Text: "webhook retry", Passages: index.Passages{Body: func(row index.Row) (string, string) { return bodies[row.ID], "" }}})
	if len(r.Hits) != len(bodies) {
		t.Fatalf("%d hits", len(r.Hits))
	}
	marked := map[string]string{}
	for _, h := range r.Hits {
		if len(h.Snippet) > 260 || strings.ContainsAny(h.Snippet, "\n\t\ufffd") {
			t.Errorf("%s: %q", h.ID, h.Snippet)
		}
		for _, m := range h.Marks {
			marked[h.ID] += h.Snippet[m[0]:m[1]] + " "
		}
	}
	want := map[string]string{"long": "webhook retries ", "short": "retries ", "late": "webhook "}
	if !reflect.DeepEqual(marked, want) {
		t.Errorf("marked %q, want %q", marked, want)
	}
}

// A quoted sentence that nothing holds is read as its words, and the reply says so;
// one that something holds, and every short phrase, must occur.
func TestQuotedSentence(t *testing.T) {
	x := mustOpen(t, note("held", "we rotate all signing keys every quarter"), note("near", "keys: we rotate signing ones, all of them"))
	tests := []struct {
		query   string
		want    []string
		asWords bool
	}{
		{`"rotate all signing keys every quarter"`, []string{"held"}, false},
		{`"rotate every key we have"`, []string{"held", "near"}, true},
		{`"keys we signing"`, []string{}, false},
	}
	for _, tt := range tests {
		r := mustSearch(t, x, index.Query{Text: tt.query})
		got := ids(r.Hits)
		slices.Sort(got)
		if !slices.Equal(got, tt.want) || tt.asWords != slices.Contains(r.Unmatched, tt.query) {
			t.Errorf("%s: got %v, unmatched %q", tt.query, got, r.Unmatched)
		}
	}
}

// Words that stand in a note as they stand in the query come first, whether stop words
// are between them or one of them is mistyped.
func TestPairs(t *testing.T) {
	x := mustOpen(t, note("b", "we limit access to objects on nodes"), note("a", "objects limit nodes we access to on"))
	for _, query := range []string{"limit access nodes", "access to objects", "acess to objects", "objects on the nodes, access to objects"} {
		r := mustSearch(t, x, index.Query{Text: query, Explain: true})
		if got := ids(r.Hits); !slices.Equal(got, []string{"b", "a"}) || r.Hits[0].Shares.Pair == 0 || r.Hits[1].Shares.Pair != 0 {
			t.Errorf("%q: got %v, %+v", query, got, *r.Hits[0].Shares)
		}
	}
}

func TestPrefix(t *testing.T) {
	x := mustOpen(t, note("exact", "how we depl it"), note("longer", "a deployment"), note("other", "words"))
	if got := ids(mustSearch(t, x, index.Query{Text: "depl", Prefix: true}).Hits); !slices.Equal(got, []string{"exact", "longer"}) {
		t.Errorf("got %v", got)
	}
	if got := placedPosting(t, x, "depl"); !slices.Equal(got, []string{"exact"}) {
		t.Errorf("without prefix: got %v", got)
	}
}

func TestSimilar(t *testing.T) {
	const body1 = "Webhooks of the billing provider arrive twice when our worker restarts; we store the delivery id and drop doubles."
	x := mustOpen(t, append(newCorpus(15).notes(300), titled("same", "Billing webhooks arrive twice", body1))...)
	alike := func(x *index.Index, title, body string) []string {
		read := func(row index.Row) (string, string) { return map[string]string{"same": body1}[row.ID], row.Revision }
		similar, _ := x.FindAlike(index.Draft{Title: title, Body: body, MayReplace: func(index.Row) bool { return true }, Read: read})
		got := []string{}
		for _, row := range similar {
			got = append(got, row.ID)
		}
		return got
	}
	if got := alike(x, "Doubled webhooks", "When the worker restarts, webhooks of the billing provider arrive twice: drop doubles by delivery id."); !slices.Equal(got, []string{"same"}) {
		t.Errorf("a rewritten note: got %v", got)
	}
	if got := alike(x, "billing webhooks arrive TWICE", "entirely different"); !slices.Equal(got, []string{"same"}) {
		t.Errorf("an equal title: got %v", got)
	}
	if got := alike(x, "Colours of the dashboard", "The dashboard uses the palette of the brand, and the worker restarts."); len(got) > 0 {
		t.Errorf("a stranger: got %v", got)
	}
	if got := alike(mustOpen(t), "", ""); len(got) > 0 {
		t.Errorf("nothing: got %v", got)
	}
}

// Words of the query close to one another come before words far apart, in
// either order and in whatever form.
func TestNearness(t *testing.T) {
	filler := strings.Repeat("other matter stands here ", 10)
	tests := []struct{ query, near, far string }{
		{"webhook timeout", "a timeout of any webhook " + filler, "a timeout of any " + filler + "webhook"},
		{"webhook timeout", filler + "timeout one two webhook", "timeout " + filler + "one two webhook"},
		{"retrying deployments", "they retry a deployment " + filler, "they retry " + filler + "a deployment"},
		{"retrying deployments", filler + "a deployment they retry", "a deployment " + filler + "they retry"},
	}
	for _, tt := range tests {
		x := mustOpen(t, append(newCorpus(17).notes(100), note("b", tt.near), note("a", tt.far))...)
		r := mustSearch(t, x, index.Query{Text: tt.query, Explain: true})
		if got := ids(r.Hits); len(got) < 2 || !slices.Equal(got[:2], []string{"b", "a"}) || r.Hits[0].Shares.Near <= r.Hits[1].Shares.Near {
			t.Errorf("%q: got %v", tt.query, got)
		}
	}
}
