package page

import (
	"log/slog"
	"net/http"
	"sync/atomic"

	"blue/blue"
)

// Options are what a page is made with.
type Options struct {
	Blue     *blue.Blue
	Log      *slog.Logger
	Call     blue.Call        // what is known of the project; used for every request
	Port     int              // 0 is any free one
	ReadOnly bool             // nothing can be changed
	Served   bool             // by a server, to many
	Ready    func(url string) // called once, with the link that opens the page
}

// server is a page that is open.
type server struct {
	o      Options
	port   string
	token  string // of the link
	used   atomic.Bool
	cookie http.Cookie
	views  spare
	routes http.Handler
	chosen atomic.Pointer[blue.Call] // the project that the person has changed to, nil for that of the start

	find     func(r *http.Request) (*blue.Project, error) // the project of a request
	surround func(r *http.Request, f *frame)              // says what else surrounds a view
}

func (s *server) openingLink() string { return "http://127.0.0.1:" + s.port + "/?token=" + s.token }

// switchPath is where a person changes to another project. No note changes by it, so that a
// page that only shows has it too.
const switchPath = "/switch"

// call is what is known of the project: of the one that the person has changed to, or of that
// of the start.
func (s *server) call() blue.Call {
	if c := s.chosen.Load(); c != nil {
		return *c
	}
	return s.o.Call
}
