package mcp

import (
	"fmt"
	"net/http"
	"runtime"
	"runtime/debug"
	"strconv"
	"time"

	"github.com/VictoriaMetrics/metrics"
)

// latencyBounds are the upper bounds of histograms, in seconds.
var latencyBounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// counts are the metrics of a server. They hold no text of notes, and project names only if the
// operators want them.
type counts struct {
	*metrics.Set
	refused *metrics.Counter // calls rejected because too many ran at once
}

// newCounts returns the metrics of a door whose host is open.
func newCounts(d *door) *counts {
	metrics.ExposeMetadata(true)
	n := &counts{Set: metrics.NewSet()}
	n.refused = n.NewCounter("blue_calls_refused_total")
	d.o.Host.Observe(n.histogram("blue_database_seconds"), n.histogram("blue_index_build_seconds"))
	for name, value := range map[string]func() int64{
		"blue_pool_connections":     func() int64 { open, _, _ := d.o.Host.Pool(); return int64(open) },
		"blue_pool_busy":            func() int64 { _, busy, _ := d.o.Host.Pool(); return int64(busy) },
		"blue_pool_limit":           func() int64 { _, _, most := d.o.Host.Pool(); return int64(most) },
		"blue_cache_bytes":          func() int64 { bytes, _ := d.o.Host.Cache(); return bytes },
		"blue_cache_indexes":        func() int64 { _, indexes := d.o.Host.Cache(); return int64(indexes) },
		"blue_index_builds_waiting": func() int64 { waiting, _ := d.o.Host.Builds(); return waiting },
		"blue_index_builds_running": func() int64 { _, running := d.o.Host.Builds(); return running },
		"blue_calls_waiting":        func() int64 { return int64(len(d.calls.queued) - len(d.calls.running)) },
		"blue_sessions":             func() int64 { return int64(d.web.Load().Sessions) },
		"blue_messages":             func() int64 { return int64(d.web.Load().Messages) },
		fmt.Sprintf("blue_build_info{version=%q,revision=%q,goversion=%q}", d.o.Version, revision(), runtime.Version()): func() int64 { return 1 },
	} {
		n.NewGauge(name, func() float64 { return float64(value()) })
	}
	return n
}

// histogram returns the function that adds a duration to the histogram of that name.
func (n *counts) histogram(name string) func(time.Duration) {
	h := n.GetOrCreatePrometheusHistogramExt(name, latencyBounds)
	return func(took time.Duration) { h.Update(took.Seconds()) }
}

// serveMetrics answers a scrape by Prometheus.
func (d *door) serveMetrics(w http.ResponseWriter, _ *http.Request) {
	for status, n := range d.web.Statuses {
		d.counts.GetOrCreateCounter(`blue_http_responses_total{code="` + strconv.Itoa(status) + `"}`).Set(uint64(n))
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4")
	d.counts.WritePrometheus(w)
	metrics.WriteGoMetrics(w)
	metrics.WriteProcMetrics(w)
	metrics.WriteFDMetrics(w)
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

// countCall counts a call; without a project its name is left out. Verbs come from the table of
// tools, which bounds the number of labels.
func (n *counts) countCall(project, verb, outcome string, took time.Duration) {
	labels := fmt.Sprintf("verb=%q,outcome=%q", verb, outcome)
	if project != "" {
		labels = fmt.Sprintf("project=%q,", project) + labels
	}
	n.GetOrCreateCounter("blue_calls_total{" + labels + "}").Inc()
	n.histogram(fmt.Sprintf("blue_call_seconds{verb=%q}", verb))(took)
}
