package mcp

import (
	"context"
	"log/slog"
	"net/http"
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

// Pages shows the projects of a host to people with browsers.
type Pages interface {
	http.Handler
	Serves(path string) bool
	User(r *http.Request) string // who has logged in, empty for nobody known
}
