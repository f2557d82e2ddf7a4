package index_test

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"

	"blue/blue/internal/index"
)

var judged = flag.String("judged", "", "directory of judged sets: folders with notes/*.md, queries.jsonl and qrels.tsv")

// TestJudged measures ranking on sets that lie outside of the project and
// compares it with a grep-like count of words. It asserts that Blue is better.
func TestJudged(t *testing.T) {
	if *judged == "" {
		t.Skip("no judged sets: pass -judged DIR")
	}
	folders, err := filepath.Glob(filepath.Join(*judged, "*", "queries.jsonl"))
	if err != nil || len(folders) == 0 {
		t.Fatalf("no judged set in %s: %v", *judged, err)
	}
	for _, folder := range folders {
		s := readSet(t, filepath.Dir(folder))
		t.Run(filepath.Base(s.dir), func(t *testing.T) {
			x := mustOpen(t, s.docs...)
			blue := func(text string) []string { return ids(mustSearch(t, x, index.Query{Text: text, Limit: 10}).Hits) }
			count := s.grep()
			ours, theirs := s.measure(blue, whole), s.measure(count, whole)
			t.Logf("%d notes, %d queries", len(s.docs), len(s.queries))
			t.Logf("blue              %s", ours)
			t.Logf("grep-like count   %s", theirs)
			t.Logf("blue, 3 rarest    %s", s.measure(blue, s.rarest))
			t.Logf("blue, one typo    %s", s.measure(blue, s.typo))
			if ours.mean[0] <= theirs.mean[0] {
				t.Errorf("blue ranks no better than a count of words: %v, %v", ours, theirs)
			}
		})
	}
}

type set struct {
	dir     string
	docs    []index.Document
	queries []string
	answers []map[string]bool
	holding map[string]int
}

func readSet(t *testing.T, dir string) *set {
	t.Helper()
	s := &set{dir: dir, holding: map[string]int{}}
	notes, err := filepath.Glob(filepath.Join(dir, "notes", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, note := range notes {
		data, err := os.ReadFile(note)
		if err != nil {
			t.Fatal(err)
		}
		id := strings.TrimSuffix(filepath.Base(note), ".md")
		front, body, _ := strings.Cut(strings.TrimPrefix(string(data), "---\n"), "\n---\n")
		title := ""
		for line := range strings.Lines(front) {
			if rest, ok := strings.CutPrefix(line, "title: "); ok && json.Unmarshal([]byte(strings.TrimSpace(rest)), &title) != nil {
				title = strings.TrimSpace(rest)
			}
		}
		s.docs = append(s.docs, index.Document{Row: index.Row{Name: "notes/" + id + ".md", ID: id, Title: title}, Body: body})
		for word := range wordsOf(string(data)) {
			s.holding[word]++
		}
	}
	s.readQueries(t)
	return s
}

func (s *set) readQueries(t *testing.T) {
	t.Helper()
	answers := map[string]map[string]bool{}
	for line := range lines(t, filepath.Join(s.dir, "qrels.tsv")) {
		if f := strings.Split(line, "\t"); len(f) == 3 && f[2] == "1" {
			if answers[f[0]] == nil {
				answers[f[0]] = map[string]bool{}
			}
			answers[f[0]][f[1]] = true
		}
	}
	for line := range lines(t, filepath.Join(s.dir, "queries.jsonl")) {
		var q struct {
			ID   string `json:"_id"`
			Text string `json:"text"`
		}
		if err := json.Unmarshal([]byte(line), &q); err != nil {
			t.Fatal(err)
		}
		if len(answers[q.ID]) > 0 {
			s.queries, s.answers = append(s.queries, q.Text), append(s.answers, answers[q.ID])
		}
	}
}

func lines(t *testing.T, name string) func(yield func(string) bool) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(string) bool) {
		defer file.Close()
		scanner := bufio.NewScanner(file)
		scanner.Buffer(nil, 1<<20)
		for scanner.Scan() && yield(scanner.Text()) {
		}
	}
}

func wordsOf(text string) map[string]int {
	words := map[string]int{}
	for _, w := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) {
		words[w]++
	}
	return words
}

// grep ranks by the number of query words that a note holds, then by how often.
func (s *set) grep() func(string) []string {
	texts := make([]map[string]int, len(s.docs))
	for i, d := range s.docs {
		texts[i] = wordsOf(d.Title + "\n" + d.Body)
	}
	return func(query string) []string {
		type note struct{ i, words, times int }
		var found []note
		for i, text := range texts {
			n := note{i: i}
			for word := range wordsOf(query) {
				if times := text[word]; times > 0 {
					n.words, n.times = n.words+1, n.times+times
				}
			}
			found = append(found, n)
		}
		slices.SortStableFunc(found, func(a, b note) int { return (b.words-a.words)*1000000 + b.times - a.times })
		var all []string
		for _, n := range found[:min(10, len(found))] {
			all = append(all, s.docs[n.i].ID)
		}
		return all
	}
}

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

func mustOpen(t testing.TB, docs ...index.Document) *index.Index {
	t.Helper()
	x, err := index.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { x.Close() })
	if err := x.Put(docs...); err != nil {
		t.Fatal(err)
	}
	return x
}

func mustSearch(t testing.TB, x *index.Index, q index.Query) index.Result {
	t.Helper()
	if q.Limit == 0 {
		q.Limit = 10
	}
	r, err := x.Search(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func ids(hits []index.Hit) []string {
	got := []string{}
	for _, h := range hits {
		got = append(got, h.ID)
	}
	return got
}
