package index_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

// rarest is the short form of a query: its three rarest words.
func (s *set) rarest(query string) string {
	fields := strings.Fields(query)
	rarity := func(field string) int {
		least := math.MaxInt
		for word := range wordsOf(field) {
			if n := s.holding[word]; n > 0 {
				least = min(least, n)
			}
		}
		return least
	}
	order := slices.Clone(fields)
	slices.SortStableFunc(order, func(a, b string) int { return rarity(a) - rarity(b) })
	order = order[:min(3, len(order))]
	return strings.Join(slices.DeleteFunc(fields, func(f string) bool { return !slices.Contains(order, f) }), " ")
}

// typo replaces one letter of one word of five letters or more, always the same.
func (s *set) typo(query string) string {
	if query == "" {
		return query
	}
	random := rand.New(rand.NewPCG(uint64(len(query)), uint64(query[0])))
	fields := strings.Fields(query)
	for _, i := range random.Perm(len(fields)) {
		word := []byte(fields[i])
		if len(word) < 5 || strings.ContainsFunc(fields[i], func(r rune) bool { return r > 127 || !unicode.IsLetter(r) }) {
			continue
		}
		at := 1 + random.IntN(len(word)-1)
		word[at] = 'a' + (word[at]|32-'a'+1+byte(random.IntN(25)))%26
		fields[i] = string(word)
		break
	}
	return strings.Join(fields, " ")
}

// figures are nDCG@10, recall@5, recall@10 and MRR@10, with half of the 95 %
// interval.
type figures struct{ mean, half [4]float64 }

func (f figures) String() string {
	var b strings.Builder
	for i := range f.mean {
		fmt.Fprintf(&b, "%.3f ± %.3f   ", f.mean[i], f.half[i])
	}
	return strings.TrimSpace(b.String())
}

// measure asks each query in a form; the interval is a bootstrap over queries.
func (s *set) measure(search search, form func(*set, string) string) figures {
	rows := make([][4]float64, len(s.queries))
	for i, q := range s.queries {
		rows[i] = judge(search(form(s, q)), s.answers[i])
	}
	var f figures
	random := rand.New(rand.NewPCG(1, 2))
	for m := range f.mean {
		var means []float64
		for range 1000 {
			sum := 0.0
			for range rows {
				sum += rows[random.IntN(len(rows))][m]
			}
			means = append(means, sum/float64(len(rows)))
		}
		slices.Sort(means)
		f.half[m] = (means[975] - means[25]) / 2
		for _, row := range rows {
			f.mean[m] += row[m] / float64(len(rows))
		}
	}
	return f
}

// judge returns the figures of one answer. What a note is worth counts for nDCG
// alone; for the others a note above 0 is right.
func judge(got []string, want map[string]float64) (row [4]float64) {
	ideal := 0.0
	best := slices.Sorted(maps.Values(want))
	for i := range min(len(best), 10) {
		ideal += best[len(best)-1-i] / math.Log2(float64(i)+2)
	}
	for i, id := range got[:min(10, len(got))] {
		if want[id] == 0 {
			continue
		}
		row[0] += want[id] / math.Log2(float64(i)+2) / ideal
		if i < 5 {
			row[1] += 1 / float64(len(want))
		}
		row[2] += 1 / float64(len(want))
		row[3] = max(row[3], 1/float64(i+1))
	}
	return row
}
