package index_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue/internal/index"
	"blue/fixtures"
)

// corpus makes notes of about 1.6 kB whose words follow Zipf's law, always the
// same for a seed.
type corpus struct {
	random *rand.Rand
	words  []string // the commonest first
	sums   []float64
}

func newCorpus(seed uint64) *corpus {
	c := &corpus{random: rand.New(rand.NewPCG(seed, 1))}
	const vocabulary = 30000
	seen := map[string]bool{}
	for sum := 0.0; len(c.words) < vocabulary; {
		var b strings.Builder
		for range 2 + c.random.IntN(3) {
			b.WriteByte("bcdfghklmnprstvz"[c.random.IntN(16)])
			b.WriteByte("aeiou"[c.random.IntN(5)])
		}
		if word := b.String(); !seen[word] {
			seen[word] = true
			sum += 1 / math.Pow(float64(len(c.words)+2), 1.05)
			c.words, c.sums = append(c.words, word), append(c.sums, sum)
		}
	}
	return c
}

func (c *corpus) word() string {
	i, _ := slices.BinarySearch(c.sums, c.random.Float64()*c.sums[len(c.sums)-1])
	return c.words[i]
}

func (c *corpus) text(words int) string {
	var b strings.Builder
	for i := range words {
		b.WriteString(c.word())
		switch {
		case i%97 == 96:
			fmt.Fprintf(&b, "_%s %s.%s() ", c.word(), c.word(), c.word())
		case i%13 == 12:
			b.WriteString(".\n")
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// query is words as they are asked for: not the commonest.
func (c *corpus) query(words int) string {
	var all []string
	for range words {
		all = append(all, c.words[50+c.random.IntN(2000)])
	}
	return strings.Join(all, " ")
}

// fewer is n, or a tenth of it by default and where everything takes ten times as long.
func fewer(n int) int {
	if fixtures.Race {
		return n / 10
	}
	return fixtures.Size(n/10, n/4, n)
}

func (c *corpus) notes(n int) []index.Document {
	docs := make([]index.Document, n)
	for i := range docs {
		id := fmt.Sprintf("%s-%s-%05d", c.word(), c.word(), i)
		docs[i] = index.Document{Body: c.text(260), Row: index.Row{Name: "notes/" + id + ".md", ID: id, Title: strings.TrimSpace(c.text(5)),
			Type: "note", Tags: []string{c.words[i%40]}, Time: time.Unix(int64(i)*1000, 0), Revision: "0123456789abcdef"}}
	}
	return docs
}

var sizes = []int{1000, 10000}

// BenchmarkSearch asks for any of three words.
func BenchmarkSearch(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := newCorpus(1)
			docs := c.notes(n)
			bodies := map[string]string{}
			for _, d := range docs {
				bodies[d.ID] = d.Body
			}
			x := mustOpen(b, docs...)
			var took []time.Duration
			for b.Loop() {
				q := index.Query{Text: c.query(3), Limit: 10, Passages: index.Passages{Body: func(row index.Row) (string, string) { return bodies[row.ID], "" }}}
				start := time.Now()
				mustSearch(b, x, q)
				took = append(took, time.Since(start))
			}
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-µs")
		})
	}
}

// BenchmarkAlike compares a draft of common words with notes of 60 words, as a write does.
func BenchmarkAlike(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			c := newCorpus(1)
			docs := make([]index.Document, n)
			bodies := map[string]string{}
			for i := range docs {
				id := fmt.Sprintf("%s-%06d", c.word(), i)
				docs[i] = index.Document{Body: c.text(60), Row: index.Row{Name: "notes/" + id + ".md", ID: id, Title: strings.TrimSpace(c.text(3)), Time: time.Unix(int64(i)*1000, 0)}}
				bodies[id] = docs[i].Body
			}
			x := mustOpen(b, docs...)
			read := func(row index.Row) (string, string) { return bodies[row.ID], "" }
			for i := 0; b.Loop(); i++ {
				word := func(n int) string { return c.words[(i*7+n*11)%100] }
				d := index.Draft{Title: word(0) + " " + word(1) + " " + word(2), MayReplace: func(index.Row) bool { return true }, MayTell: func(index.Row) bool { return true }, Read: read}
				for n := range 6 {
					d.Body += word(3+n) + " "
				}
				x.FindAlike(d)
			}
		})
	}
}

// BenchmarkBuild puts all notes at once and reports what they keep in memory.
func BenchmarkBuild(b *testing.B) {
	for _, n := range sizes {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			docs := newCorpus(1).notes(n)
			var before, after runtime.MemStats
			for b.Loop() {
				runtime.GC()
				runtime.ReadMemStats(&before)
				x := mustOpen(b, docs...)
				runtime.GC()
				runtime.ReadMemStats(&after)
				runtime.KeepAlive(x)
			}
			b.ReportMetric(float64(int64(after.HeapAlloc)-int64(before.HeapAlloc))/1e6, "kept-MB")
		})
	}
}
