package index_test

import (
	"bufio"
	"encoding/json"
	"flag"
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
			plain := func(text string) []string {
				fields := strings.Fields(strings.ReplaceAll(text, `"`, " "))
				for i := range fields {
					fields[i] = strings.TrimLeft(fields[i], "(-")
				}
				return blue(strings.Join(fields, " "))
			}
			ours, theirs := s.measure(blue, whole), s.measure(count, whole)
			t.Logf("%d notes, %d queries", len(s.docs), len(s.queries))
			t.Logf("blue              %s", ours)
			t.Logf("blue, all plain   %s", s.measure(plain, whole))
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
