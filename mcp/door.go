package mcp

import (
	"context"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"blue/blue"
	"blue/marker"
	"blue/mcp/internal/transport"
)

// Options configure a server.
type Options struct {
	Version string              // of Blue
	Project *string             // --project, nil when not given
	Dir     string              // the working directory of the process, empty when it is gone
	Blue    *blue.Blue          // the core
	Env     func(string) string // the environment of the process
	Log     *slog.Logger        // standard error and the debug file

	Structured    bool  // also send structured content to clients that did not ask for it
	Host          Host  // the projects of a database, nil for the projects of this machine
	Pages         Pages // the web pages of a hosted server, nil for none
	CountProjects bool  // label the metrics of a hosted server with project names
}

// Host serves the projects of a database to many callers.
type Host interface {
	Verify(ctx context.Context, token, named string) (caller any, user string, err error)
	Permit(ctx context.Context, a blue.Asked, verb string) error
	Open(ctx context.Context, a blue.Asked) (*blue.Project, error)
	Sync(ctx context.Context, a blue.Asked, body []byte) (answer any, err error)
	Ready(ctx context.Context) error
	Pool() (open, busy, most int)
	Cache() (bytes int64, open int)
	Builds() (waiting, running int64) // of search indexes
	LimitFiles(files int)             // limits the open files of search indexes; 0 for any number
	Observe(database, build func(took time.Duration))
}

// door is one server.
type door struct {
	o        Options
	sessions sync.Map      // *mcp.ServerSession → *session
	memory   marker.Memory // the projects that calls without a session led to
	turns    transport.Turns
	calls    *semaphore
	web      *transport.Server // nil on stdio: over HTTP the server's own directory is not a client's
	allowed  []string
	restart  string // the flags that started a server over HTTP, without its directories
	page     int    // how many resources one page of the list has
	crashes  crashes
	counts   *counts       // nil unless the server is hosted
	syncs    chan struct{} // a slot for each request to /sync; nil unless the server is hosted
}

// Pages shows the projects of a host to people with browsers.
type Pages interface {
	http.Handler
	Serves(path string) bool
	User(r *http.Request) string // the name of the logged-in user, empty if there is none
}
