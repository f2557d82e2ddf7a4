package index_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode"
)

func whole(query string) string { return query }

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
	for i, name := range []string{"nDCG@10", "recall@5", "recall@10", "MRR@10"} {
		fmt.Fprintf(&b, "%s %.3f ± %.3f  ", name, f.mean[i], f.half[i])
	}
	return b.String()
}

func (s *set) measure(search func(string) []string, form func(string) string) figures {
	rows := make([][4]float64, len(s.queries))
	for i, q := range s.queries {
		rows[i] = judge(search(form(q)), s.answers[i])
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

func judge(got []string, want map[string]bool) (row [4]float64) {
	ideal := 0.0
	for i := range min(len(want), 10) {
		ideal += 1 / math.Log2(float64(i)+2)
	}
	for i, id := range got[:min(10, len(got))] {
		if !want[id] {
			continue
		}
		row[0] += 1 / math.Log2(float64(i)+2) / ideal
		if i < 5 {
			row[1] += 1 / float64(len(want))
		}
		row[2] += 1 / float64(len(want))
		row[3] = max(row[3], 1/float64(i+1))
	}
	return row
}
