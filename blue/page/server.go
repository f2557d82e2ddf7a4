package page

import (
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"

	"blue/blue"
)

// Options configures [Serve].
type Options struct {
	Blue     *blue.Blue
	Log      *slog.Logger
	Call     blue.Call        // names the project, for every request
	Port     int              // 0 picks a free port
	ReadOnly bool             // disables changes
	Served   bool             // pages of `blue server`
	Ready    func(url string) // called once with the link that opens the page
}

// server serves one page.
type server struct {
	o      Options
	port   string
	token  string // in the opening link
	used   atomic.Bool
	cookie http.Cookie
	views  *sync.Pool // of *views
	routes http.Handler
	chosen atomic.Pointer[blue.Call] // the project that the person has switched to, nil for the initial one

	find     func(r *http.Request) (*blue.Project, error) // finds the project of a request
	surround func(r *http.Request, f *frame)              // fills in the frame of a view
}

// switchPath switches to another project. It changes no notes, so read-only pages have it too.
const switchPath = "/switch"

// call names the current project: the one the person has switched to, or the initial one.
func (s *server) call() blue.Call {
	if c := s.chosen.Load(); c != nil {
		return *c
	}
	return s.o.Call
}
