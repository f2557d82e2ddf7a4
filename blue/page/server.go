package page

import (
	"html/template"
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
	Ready    func(url string) // called once, with the link that opens the page
}

// server is a page that is open.
type server struct {
	o      Options
	port   string
	token  string // of the link
	used   atomic.Bool
	cookie http.Cookie
	views  map[string]*template.Template
	routes http.Handler
	chosen atomic.Pointer[blue.Call] // the project that the person has changed to, nil for that of the start
}

func (s *server) openingLink() string { return "http://127.0.0.1:" + s.port + "/?token=" + s.token }
