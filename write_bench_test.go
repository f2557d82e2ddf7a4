package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// BenchmarkPromise30 is a safe write of 2 kB over stdio, warm, and beside each one,
// in turn, the least that survives a power cut on the same disk. The promise is for
// 10,000 notes:
//
//	go test -run '^$' -bench Promise30 -benchtime 2000x -sizes 10000 .
func BenchmarkPromise30(b *testing.B) {
	atSizes(b, func(b *testing.B, p place) {
		halves := p.halves(b)
		body := func(i int) string { return halves[i%len(halves)] + "\n\n" + halves[(i*7+1)%len(halves)] }
		floor := filepath.Join(p.base, "floor")
		if err := os.Mkdir(floor, 0o755); err != nil {
			b.Fatal(err)
		}
		s := dial(b, p.shipped(b, "mcp"))
		defer hangUp(s)
		write := func(i int) time.Duration {
			began := time.Now()
			a, err := s.call("write", map[string]any{"title": fmt.Sprint("note ", i), "body": fmt.Sprint(body(max(i, -i)), i)})
			if took := time.Since(began); err == nil && a.Created {
				return took
			}
			b.Fatal(a, err)
			return 0
		}
		for i := range 10 {
			write(-1 - i) // warm
		}
		var blue, disk, above []time.Duration
		for b.Loop() {
			blue = append(blue, write(len(blue)))
			began := time.Now()
			if err := writeDurably(floor, fmt.Sprint(len(disk), ".md"), body(len(disk))); err != nil {
				b.Fatal(err)
			}
			disk = append(disk, time.Since(began))
			above = append(above, blue[len(blue)-1]-disk[len(disk)-1])
		}
		report(b, blue, "")
		for name, took := range map[string][]time.Duration{"floor": disk, "above": above} {
			slices.Sort(took)
			b.ReportMetric(float64(took[len(took)/2].Microseconds()), name+"-p50-µs")
			b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), name+"-p99-µs")
		}
	})
}

// halves are pieces of the notes that are there, of 1 kB: what is written is like
// them, as it is in life.
func (p place) halves(b *testing.B) (pieces []string) {
	b.Helper()
	for i, name := range p.notes(b) {
		if i%11 != 0 || len(pieces) == 499 {
			continue
		}
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		if pieces = append(pieces, strings.ToValidUTF8(string(text[len(text)/3:]), "")); len(pieces[len(pieces)-1]) > 1000 {
			pieces[len(pieces)-1] = strings.ToValidUTF8(pieces[len(pieces)-1][:1000], "")
		}
	}
	return pieces
}
