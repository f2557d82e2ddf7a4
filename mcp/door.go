package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"blue/blue"
	"blue/mcp/internal/transport"
)

// Options are what a server is made of.
type Options struct {
	Version string              // of Blue
	Project *string             // --project, nil when not given
	Dir     string              // the working directory of the process, empty when it is gone
	Blue    *blue.Blue          // the core
	Env     func(string) string // the environment of the process
	Log     *slog.Logger        // standard error and the debug file

	Structured    bool  // results have structured content beside the text, whether asked for or not
	Host          Host  // of a server whose notes lie in a database, nil for the projects of this machine
	Pages         Pages // of such a server, nil for none
	CountProjects bool  // the metrics of such a server name projects
}

// Host is the projects of a database, for many callers.
type Host interface {
	Verify(ctx context.Context, token, named string, mayAsk func() bool) (caller any, user string, err error)
	Permit(ctx context.Context, a blue.Asked, verb string) error
	Open(ctx context.Context, a blue.Asked) (*blue.Project, error)
	Sync(ctx context.Context, a blue.Asked, body []byte) (answer any, err error)
	Ready(ctx context.Context) error
	Pool() (open, busy, most int)
	Cache() (bytes int64, open int)
	Builds() (waiting, running int64) // of search indexes
	LimitFiles(files int)             // that search indexes may have open; 0 for any number
	Observe(database, build func(took time.Duration))
}

// door is one server.
type door struct {
	o        Options
	sessions sync.Map    // *mcp.ServerSession → *session
	surveyed atomic.Bool // whether a call without a session was the first
	turns    transport.Turns
	calls    *semaphore
	web      *transport.Server // nil on stdio: over HTTP the server's own directory is not a client's
	allowed  []string
	restart  string // the flags by which a server over HTTP was started, without its directories
	page     int    // resources of one list
	crashes  crashes
	counts   *counts       // of a server of hosted projects, nil elsewhere
	syncs    chan struct{} // places of the requests of checkouts there
}

// latencyBounds are the upper bounds of histograms, in seconds.
var latencyBounds = []float64{0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30}

// counts is what a server has done, without any text of notes, and without the name of a
// project unless its operators want it.
type counts struct {
	since time.Time // when the server started

	mu    sync.Mutex
	calls map[counted]int64     // how many there were of each
	took  map[string]*histogram // by verb

	refused  atomic.Int64 // calls that were too many at once
	database histogram    // of transactions
	builds   histogram    // of search indexes
}

type counted struct{ project, verb, outcome string }

// labels are those of Prometheus; no project has none.
func (k counted) labels() string {
	labels := fmt.Sprintf("verb=%q,outcome=%q", k.verb, k.outcome)
	if k.project != "" {
		labels = fmt.Sprintf("project=%q,", k.project) + labels
	}
	return labels
}

// countCall counts a call. A verb comes from the table of tools, so that there are few.
func (n *counts) countCall(k counted, took time.Duration) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.calls[k]++
	if n.took[k.verb] == nil {
		n.took[k.verb] = &histogram{}
	}
	n.took[k.verb].observe(took)
}

// histogram is how long something took, each time.
type histogram struct {
	mu    sync.Mutex
	below []int64 // in each bound, and the rest
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
