package segment

import (
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blue/fixtures"
)

// To merge segments takes little memory, however often a word stands in their texts, and
// loses no position, also where their documents alternate.
func TestMergeOfFrequentWords(t *testing.T) {
	const docs, times = 16, 20_000
	var sources []*Live
	var b Builder
	for part := range 2 {
		for i := part; i < docs; i += 2 {
			name := fmt.Sprintf("n%02d", i)
			l, err := b.Build([]Document{{Row: Row{Name: name, ID: name}, Body: strings.Repeat("same ", times+i)}})
			must(t, err)
			sources = append(sources, l)
		}
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	must(t, mergeTo(io.Discard, sources, nil))
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > docs*times {
		t.Errorf("to merge %d positions took %d bytes", docs*times, used)
	}
	l, err := Merge(sources)
	must(t, err)
	merged := NewCursor(l.FindTerm(WordTerm + "same"))
	for i := range docs {
		source := NewCursor(sources[i/2+i%2*docs/2].FindTerm(WordTerm + "same"))
		if !source.Next() || !merged.Next() || merged.Doc() != uint32(i) || merged.Frequency() != uint32(times+i) || !slices.Equal(merged.Positions(), source.Positions()) {
			t.Fatalf("document %d has other positions than before the merge", i)
		}
	}
}

var must = fixtures.Must
