package index_test

import (
	"math"
	"os"
	"testing"

	"blue/blue/internal/index"
)

// BenchmarkShown measures what hits show: of the weight of a query's words that a right note
// among the hits holds, the share that its title and passages do.
func BenchmarkShown(b *testing.B) {
	dir := os.Getenv("BLUE_EVAL")
	if dir == "" {
		b.Skip("no judged sets: set BLUE_EVAL, as for BenchmarkEval")
	}
	for _, s := range judgedSets(b, dir) {
		b.Run(s.name, func(b *testing.B) {
			bodies := map[string]string{}
			for _, d := range s.docs {
				bodies[d.ID] = d.Body
			}
			x := mustOpen(b, s.docs...)
			for b.Loop() {
				share, hits, bytes := 0.0, 0, 0
				for i, query := range s.queries {
					r := mustSearch(b, x, index.Query{Text: query, Limit: 10, Passages: index.Passages{Body: func(row index.Row) (string, string) { return bodies[row.ID], row.Revision }}})
					for _, h := range r.Hits {
						bytes += len(h.Snippet)
						if s.answers[i][h.ID] == 0 {
							continue
						}
						held, shown := s.weigh(query, h.Title+" "+bodies[h.ID]), s.weigh(query, h.Title+" "+h.Snippet)
						if held > 0 {
							share, hits = share+shown/held, hits+1
						}
					}
				}
				b.ReportMetric(share/float64(hits), "shown")
				b.ReportMetric(float64(bytes)/float64(len(s.queries)), "B/query")
			}
		})
	}
}

// weigh is the weight of the words of a query that a text holds.
func (s *set) weigh(query, text string) (sum float64) {
	held := wordsOf(text)
	for word := range wordsOf(query) {
		if _, ok := held[word]; ok {
			sum += math.Log(float64(len(s.docs)+1) / (float64(s.holding[word]) + 0.5))
		}
	}
	return sum
}
