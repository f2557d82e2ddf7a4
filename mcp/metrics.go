package mcp

import (
	"fmt"
	"maps"
	"net/http"
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"blue/mcp/internal/transport"
)

// exposition is a text in the Prometheus exposition format.
type exposition struct{ strings.Builder }

// family begins a metric family.
func (e *exposition) family(name, kind, help string) {
	fmt.Fprintf(e, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, kind)
}

// number writes a family with one sample.
func (e *exposition) number(name, kind, help string, value float64) {
	e.family(name, kind, help)
	fmt.Fprintf(e, "%s %s\n", name, strconv.FormatFloat(value, 'f', -1, 64))
}

// histogram writes the samples of one histogram. The label has the form `name="value"` or is
// empty.
func (e *exposition) histogram(name, label string, h *histogram) {
	h.mu.Lock()
	defer h.mu.Unlock()
	before, within := "", ""
	if label != "" {
		before, within = label+",", "{"+label+"}"
	}
	count := int64(0)
	for i, bound := range append(slices.Clone(latencyBounds), 0) {
		if h.below != nil {
			count += h.below[i]
		}
		le := "+Inf"
		if bound > 0 {
			le = fmt.Sprint(bound)
		}
		fmt.Fprintf(e, "%s_bucket{%sle=%q} %d\n", name, before, le, count)
	}
	fmt.Fprintf(e, "%s_sum%s %g\n%s_count%s %d\n", name, within, h.sum, name, within, count)
}

func (n *counts) write(e *exposition) {
	n.mu.Lock()
	defer n.mu.Unlock()
	e.family("blue_calls_total", "counter", "Calls by verb and outcome.")
	for _, k := range slices.SortedFunc(maps.Keys(n.calls), func(a, c counted) int { return strings.Compare(a.labels(), c.labels()) }) {
		fmt.Fprintf(e, "blue_calls_total{%s} %d\n", k.labels(), n.calls[k])
	}
	e.number("blue_calls_refused_total", "counter", "Calls that were too many at once.", float64(n.refused.Load()))
	e.family("blue_call_seconds", "histogram", "How long calls took.")
	for _, verb := range slices.Sorted(maps.Keys(n.took)) {
		e.histogram("blue_call_seconds", fmt.Sprintf("verb=%q", verb), n.took[verb])
	}
	e.family("blue_database_seconds", "histogram", "How long transactions took, without the wait for a connection.")
	e.histogram("blue_database_seconds", "", &n.database)
	e.family("blue_index_build_seconds", "histogram", "How long builds of search indexes took.")
	e.histogram("blue_index_build_seconds", "", &n.builds)
}

// serveMetrics answers a scrape by Prometheus.
func (d *door) serveMetrics(w http.ResponseWriter, _ *http.Request) {
	e := &exposition{}
	d.counts.write(e)
	e.family("blue_http_responses_total", "counter", "Answers by status.")
	for status, n := range d.web.Statuses {
		fmt.Fprintf(e, "blue_http_responses_total{code=\"%d\"} %d\n", status, n)
	}
	open, busy, most := d.o.Host.Pool()
	bytes, indexes := d.o.Host.Cache()
	waiting, running := d.o.Host.Builds()
	load := d.web.Load()
	for _, gauge := range []struct {
		name, help string
		value      int64
	}{
		{"blue_pool_connections", "Connections to the database.", int64(open)},
		{"blue_pool_busy", "Connections that work.", int64(busy)},
		{"blue_pool_limit", "Connections that there may be.", int64(most)},
		{"blue_cache_bytes", "Bytes that the open search indexes cost.", bytes},
		{"blue_cache_indexes", "Search indexes that are open.", int64(indexes)},
		{"blue_index_builds_waiting", "Builds of search indexes in the queue.", waiting},
		{"blue_index_builds_running", "Builds of search indexes that are under way.", running},
		{"blue_calls_waiting", "Calls that wait for their turn or an index.", int64(len(d.calls.queued) - len(d.calls.running))},
		{"blue_sessions", "Sessions of older protocol versions.", int64(load.Sessions)},
		{"blue_messages", "Messages that are being answered.", int64(load.Messages)},
	} {
		e.number(gauge.name, "gauge", gauge.help, float64(gauge.value))
	}
	e.family("blue_build_info", "gauge", "The program.")
	fmt.Fprintf(e, "blue_build_info{version=%q,revision=%q,goversion=%q} 1\n", d.o.Version, revision(), runtime.Version())
	e.number("process_start_time_seconds", "gauge", "When the process started, since 1970.", float64(d.counts.since.Unix()))
	e.process()
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	_, _ = w.Write([]byte(e.String())) // a client that has disconnected needs no error
}

// revision returns the commit that the program was built from, empty if unknown.
func revision() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				return s.Value
			}
		}
	}
	return ""
}

// process writes a few metrics of the Go runtime, and those of the process if the system has
// /proc, under the names that the Prometheus client library uses.
func (e *exposition) process() {
	sample := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}, {Name: "/gc/heap/allocs:bytes"}}
	metrics.Read(sample)
	e.number("go_goroutines", "gauge", "Goroutines that there are.", float64(runtime.NumGoroutine()))
	e.number("go_memstats_heap_alloc_bytes", "gauge", "Bytes of the heap in use.", float64(sample[0].Value.Uint64()))
	e.number("go_memstats_alloc_bytes_total", "counter", "Bytes that were allocated.", float64(sample[1].Value.Uint64()))
	e.family("go_info", "gauge", "The version of Go.")
	fmt.Fprintf(e, "go_info{version=%q} 1\n", runtime.Version())
	stat, _ := os.ReadFile("/proc/self/stat") // fields[0] is field 3 of proc(5)
	fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
	at := func(i int) float64 { n, _ := strconv.ParseFloat(fields[i-3], 64); return n }
	if len(fields) > 24-3 {
		const ticks = 100 // a second, on every Linux that Go runs on
		e.number("process_cpu_seconds_total", "counter", "Processor time.", (at(14)+at(15))/ticks)
		e.number("process_resident_memory_bytes", "gauge", "Resident memory.", at(24)*float64(os.Getpagesize()))
	}
	if files, err := os.ReadDir("/proc/self/fd"); err == nil {
		e.number("process_open_fds", "gauge", "Open file descriptors.", float64(len(files)))
		e.number("process_max_fds", "gauge", "File descriptors that there may be.", float64(transport.OpenFiles()))
	}
}

// latencyBounds are the upper bounds of histograms, in seconds.
var latencyBounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// counts are the counters of a server. They hold no text of notes, and project names only if
// the operators want them.
type counts struct {
	since time.Time // when the server started

	mu    sync.Mutex
	calls map[counted]int64     // calls by label
	took  map[string]*histogram // by verb

	refused  atomic.Int64 // calls rejected because too many ran at once
	database histogram    // durations of transactions
	builds   histogram    // durations of builds of search indexes
}

type counted struct{ project, verb, outcome string }

// labels formats k as Prometheus labels; the project is omitted if empty.
func (k counted) labels() string {
	labels := fmt.Sprintf("verb=%q,outcome=%q", k.verb, k.outcome)
	if k.project != "" {
		labels = fmt.Sprintf("project=%q,", k.project) + labels
	}
	return labels
}

// countCall counts a call. Verbs come from the table of tools, which bounds the number of
// labels.
func (n *counts) countCall(k counted, took time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls[k]++
	if n.took[k.verb] == nil {
		n.took[k.verb] = &histogram{}
	}
	n.took[k.verb].observe(took)
}

// histogram counts durations by bucket.
type histogram struct {
	mu    sync.Mutex
	below []int64 // one count per bound, and one for the rest
	sum   float64
}

func (h *histogram) observe(took time.Duration) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.below == nil {
		h.below = make([]int64, len(latencyBounds)+1)
	}
	at, _ := slices.BinarySearch(latencyBounds, took.Seconds())
	h.below[at]++
	h.sum += took.Seconds()
}
