package index_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/blue/internal/index"
)

// BenchmarkEval compares the ranking of Blue with SQLite FTS5 and with a count of
// words on the judged sets below the directory that BLUE_EVAL names, and times a
// search of Blue.
func BenchmarkEval(b *testing.B) {
	dir := os.Getenv("BLUE_EVAL")
	if dir == "" {
		b.Skip("no judged sets: set BLUE_EVAL to a directory of folders or .tgz with notes/*.md, queries.jsonl and qrels.tsv")
	}
	sets := judgedSets(b, dir)
	if len(sets) == 0 {
		b.Fatalf("no judged set in %s", dir)
	}
	for _, s := range sets {
		x := mustOpen(b, s.docs...)
		blue := func(text string) []string { return ids(mustSearch(b, x, index.Query{Text: text, Limit: 10}).Hits) }
		s.compare(b, blue)
		b.Run(s.name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				blue(s.queries[i%len(s.queries)])
			}
		})
	}
}

// BenchmarkGate counts, for each judged set, of 100 own prompts those that get a right note
// among the notes that pass the gate, in all and of those that get anything; those that get
// anything where the right notes are absent; and of 100 foreign prompts those that get anything:
// the lines of everyday.txt, chatter.txt and subjects.txt below BLUE_EVAL, as far as they
// are there. A set of few notes is also asked among 200 notes of each large set.
func BenchmarkGate(b *testing.B) {
	dir := os.Getenv("BLUE_EVAL")
	if dir == "" {
		b.Skip("no judged sets: set BLUE_EVAL, as for BenchmarkEval")
	}
	sets := judgedSets(b, dir)
	for _, s := range sets {
		s.benchmarkGate(b, dir, s.docs, s.name)
		for _, other := range sets {
			if len(s.docs) < 100 && len(other.docs) > 200 {
				s.benchmarkGate(b, dir, slices.Concat(s.docs, other.docs[:200]), s.name+"+200-"+other.name)
			}
		}
	}
}

func (s *set) benchmarkGate(b *testing.B, dir string, docs []index.Document, name string) {
	b.Run(name, func(b *testing.B) {
		bodies := map[string]string{}
		for _, d := range docs {
			bodies[d.ID] = d.Body
		}
		x := mustOpen(b, docs...)
		told := func(prompt string, without map[string]float64) (ids []string) {
			r := mustSearch(b, x, index.Query{Text: prompt, Limit: 4 + len(without), Judge: true, Flat: true, Passages: index.Passages{Body: func(row index.Row) (string, string) { return bodies[row.ID], row.Revision }}})
			hits := slices.DeleteFunc(r.Hits, func(h index.Hit) bool { return without[h.ID] > 0 })
			for _, h := range hits[:min(len(hits), 4)] {
				if h.Verdict.Passes() && len(ids) < 3 {
					ids = append(ids, h.ID)
				}
			}
			return ids
		}
		for b.Loop() {
			right, asked := map[string]int{}, map[string]int{}
			rights, shown, absent := 0, 0, 0
			for i, query := range s.queries {
				asked[s.kinds[i]]++
				ids := told(query, nil)
				shown += count(len(ids) > 0)
				absent += count(len(told(query, s.answers[i])) > 0)
				if slices.ContainsFunc(ids, func(id string) bool { return s.answers[i][id] > 0 }) {
					right[s.kinds[i]]++
					rights++
				}
			}
			b.ReportMetric(100*float64(rights)/float64(shown), "%right-of-shown")
			b.ReportMetric(100*float64(absent)/float64(len(s.queries)), "%answer-absent")
			for kind := range asked {
				b.ReportMetric(100*float64(right[kind])/float64(asked[kind]), "%own-"+kind)
			}
			for _, file := range []string{"everyday", "chatter", "subjects"} {
				any, all := 0, 0
				if _, err := os.Stat(filepath.Join(dir, file+".txt")); err != nil {
					continue
				}
				for prompt := range lines(b, filepath.Join(dir, file+".txt")) {
					all++
					if len(told(prompt, nil)) > 0 {
						any++
					}
				}
				b.ReportMetric(100*float64(any)/float64(all), "%"+file)
			}
		}
	})
}

// search answers a query with the ids of the best notes.
type search func(query string) []string

// forms are the ways in which each query is asked.
var forms = []struct {
	name string
	of   func(s *set, query string) string
}{
	{"whole queries", func(_ *set, query string) string { return query }},
	{"the 3 rarest words of each", (*set).rarest},
	{"one typo in each", (*set).typo},
}

// compare prints a table: a benchmark's log would be cut short.
func (s *set) compare(b *testing.B, blue search) {
	ways := []struct {
		name string
		search
	}{{"Blue", blue}, {"SQLite FTS5, porter, OR", s.sqlite(b)}, {"grep-like count", s.grep()}}
	fmt.Printf("%s: %d notes, %d queries\n", s.name, len(s.docs), len(s.queries))
	for _, form := range forms {
		fmt.Printf("%-28s%-16s%-16s%-16s%s\n", form.name, "nDCG@10", "recall@5", "recall@10", "MRR@10")
		for _, way := range ways {
			line := "not measured"
			if way.search != nil {
				line = s.measure(way.search, form.of).String()
			}
			fmt.Printf("  %-26s%s\n", way.name, line)
		}
	}
}

// sqlite asks the program in fixtures/bench/sqlite, which is a module of its own so that
// ours does not carry SQLite; nil when it cannot be built here.
func (s *set) sqlite(b *testing.B) search {
	var in bytes.Buffer
	out := json.NewEncoder(&in)
	for _, d := range s.docs {
		_ = out.Encode(map[string]string{"id": d.ID, "title": d.Title, "body": d.Body})
	}
	var asked []string
	for _, form := range forms {
		for _, query := range s.queries {
			asked = append(asked, form.of(s, query))
			_ = out.Encode(map[string]string{"query": asked[len(asked)-1]})
		}
	}
	cmd := exec.Command("go", "run", ".")
	cmd.Dir, cmd.Stdin, cmd.Stderr = filepath.Join("..", "..", "..", "fixtures", "bench", "sqlite"), &in, os.Stderr
	cmd.Env = append(os.Environ(), "GOWORK=off")
	replies, err := cmd.Output()
	if err != nil {
		fmt.Printf("SQLITE IS NOT MEASURED: go run . in fixtures/bench/sqlite: %v\n", err)
		return nil
	}
	found := map[string][]string{}
	for i, reply := range strings.Split(strings.TrimSpace(string(replies)), "\n") {
		var ids []string
		must(b, json.Unmarshal([]byte(reply), &ids))
		found[asked[i]] = ids
	}
	return func(query string) []string { return found[query] }
}

func TestJudge(t *testing.T) {
	second := 1 / math.Log2(3)
	tests := []struct {
		got  string
		want map[string]float64
		row  [4]float64
	}{
		{"a b", map[string]float64{"a": 1}, [4]float64{1, 1, 1, 1}},
		{"b a", map[string]float64{"a": 1}, [4]float64{second, 1, 1, 0.5}},
		{"a", map[string]float64{"a": 1, "b": 1}, [4]float64{1 / (1 + second), 0.5, 0.5, 1}},
		{"b a", map[string]float64{"a": 2, "b": 1}, [4]float64{(1 + 2*second) / (2 + second), 1, 1, 1}},
		{"1 2 3 4 5 a", map[string]float64{"a": 1}, [4]float64{1 / math.Log2(7), 0, 1, 1.0 / 6}},
		{"1 2 3 4 5 6 7 8 9 10 a", map[string]float64{"a": 1}, [4]float64{}},
		{"", map[string]float64{"a": 1}, [4]float64{}},
	}
	for _, tt := range tests {
		for i, got := range judge(strings.Fields(tt.got), tt.want) {
			if math.Abs(got-tt.row[i]) > 1e-9 {
				t.Errorf("%q for %v: figure %d is %g, want %g", tt.got, tt.want, i, got, tt.row[i])
			}
		}
	}
}

func count(yes bool) int { return map[bool]int{true: 1}[yes] }
