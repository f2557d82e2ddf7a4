package index_test

import (
	"testing"

	"blue/blue/internal/index"
)

// A word that a query repeats counts more than once.
func TestRepeatedWords(t *testing.T) {
	x := mustOpen(t,
		index.Document{Row: index.Row{ID: "a", Name: "a", Title: "One"}, Body: "The retry of a call."},
		index.Document{Row: index.Row{ID: "b", Name: "b", Title: "Two"}, Body: "The order of a webhook."})
	for query, first := range map[string]string{"retry webhook retry": "a", "webhook retry webhook": "b", "does the retry retry a webhook": "a"} {
		if got := ids(mustSearch(t, x, index.Query{Text: query, Limit: 2}).Hits); len(got) != 2 || got[0] != first {
			t.Errorf("%s: %q", query, got)
		}
	}
}
