package mcp

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"
)

// latencyBounds are the upper bounds of the histogram of calls, in seconds.
var latencyBounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// counts is what a server has done, without any text of notes and any name of a project.
type counts struct {
	mu    sync.Mutex
	calls map[[2]string]int64   // by verb and outcome
	took  map[string]*histogram // by verb
}

// histogram is how long the calls of one verb have taken.
type histogram struct {
	below []int64 // calls in each bound, and the rest
	sum   float64
	count int64
}

func newCounts() *counts {
	return &counts{calls: map[[2]string]int64{}, took: map[string]*histogram{}}
}

// countCall counts a call. A verb comes from the table of tools, so that there are few.
func (n *counts) countCall(verb, outcome string, took time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls[[2]string{verb, outcome}]++
	h := n.took[verb]
	if h == nil {
		h = &histogram{below: make([]int64, len(latencyBounds)+1)}
		n.took[verb] = h
	}
	at, _ := slices.BinarySearch(latencyBounds, took.Seconds())
	h.below[at]++
	h.sum += took.Seconds()
	h.count++
}

// text writes the counts as Prometheus reads them.
func (n *counts) text(b *strings.Builder) {
	n.mu.Lock()
	defer n.mu.Unlock()
	b.WriteString("# HELP blue_calls_total Calls by verb and outcome.\n# TYPE blue_calls_total counter\n")
	keys := slices.SortedFunc(maps.Keys(n.calls), func(a, c [2]string) int { return slices.Compare(a[:], c[:]) })
	for _, key := range keys {
		fmt.Fprintf(b, "blue_calls_total{verb=%q,outcome=%q} %d\n", key[0], key[1], n.calls[key])
	}
	b.WriteString("# HELP blue_call_seconds How long calls took.\n# TYPE blue_call_seconds histogram\n")
	for _, verb := range slices.Sorted(maps.Keys(n.took)) {
		h, sum := n.took[verb], int64(0)
		for i, bound := range latencyBounds {
			sum += h.below[i]
			fmt.Fprintf(b, "blue_call_seconds_bucket{verb=%q,le=\"%g\"} %d\n", verb, bound, sum)
		}
		fmt.Fprintf(b, "blue_call_seconds_bucket{verb=%q,le=\"+Inf\"} %d\nblue_call_seconds_sum{verb=%q} %g\nblue_call_seconds_count{verb=%q} %d\n", verb, h.count, verb, h.sum, verb, h.count)
	}
}
