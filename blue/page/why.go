package page

import (
	"net/http"

	"blue/blue"
	"blue/marker"
)

// whyView is where the project was looked for: the sources that said something, and
// the names of the others.
type whyView struct {
	blue.Where
	Tried []marker.Tried
	Unset []marker.Source
}

// why shows where the project was looked for. That there is none is an answer too.
func (s *server) why(w http.ResponseWriter, r *http.Request) {
	found, err := s.o.Blue.Where(r.Context(), s.call())
	if err != nil {
		s.fail(w, r, 0, err)
		return
	}
	v := whyView{Where: found}
	for _, t := range found.Trace {
		if t.Outcome == marker.Absent && t.Detail == "" {
			v.Unset = append(v.Unset, t.Source)
		} else {
			v.Tried = append(v.Tried, t)
		}
	}
	s.render(w, r, screen{view: "why", title: "Why this project", main: v}, found.About, s.stamp(r.Context()))
}
