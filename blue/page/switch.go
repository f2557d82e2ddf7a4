package page

import (
	"net/http"
	"slices"

	"blue/blue"
	"blue/errors"
	"blue/marker"
)

// switchProject switches to another project that this user has opened.
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

// findHere finds the project of a request on this machine.
func (s *server) findHere(r *http.Request) (*blue.Project, error) {
	return s.o.Blue.Open(r.Context(), s.call())
}

// surroundHere adds the projects that the person can switch to.
func (s *server) surroundHere(_ *http.Request, f *frame) {
	if f.Project != nil {
		f.Others = slices.DeleteFunc(s.o.Blue.KnownProjects(), func(k blue.Known) bool { return k.Root == f.Project.Root })
	}
}
