package page

import (
	"net/http"
	"slices"

	"blue/blue"
	"blue/errors"
	"blue/marker"
)

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

// otherProjects are those that the person can change to from the one with the root.
func (s *server) otherProjects(root string) []blue.Known {
	return slices.DeleteFunc(s.o.Blue.KnownProjects(), func(k blue.Known) bool { return k.Root == root })
}

// switchProject changes to another project, one of those that this user has opened.
func (s *server) switchProject(w http.ResponseWriter, r *http.Request) {
	root := r.PostFormValue("root")
	if !slices.ContainsFunc(s.o.Blue.KnownProjects(), func(k blue.Known) bool { return k.Root == root }) {
		s.fail(w, r, 0, errors.NoView(root))
		return
	}
	c := s.o.Call
	c.Cwd, c.From = root, slices.Values([]marker.Candidate{{Source: marker.Known, Value: root}})
	if _, err := s.o.Blue.Open(r.Context(), c); err != nil {
		s.fail(w, r, 0, err)
		return
	}
	s.chosen.Store(&c)
	http.Redirect(w, r, "/", http.StatusSeeOther)
}
