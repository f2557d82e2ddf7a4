package page

import (
	"net/http"

	"blue/blue"
	"blue/marker"
)

// whyView shows how the project was detected: the sources that named something, and the names of
// the others.
type whyView struct {
	blue.Where
	Tried []marker.Tried
	Unset []marker.Source
}

// why shows how the project was detected, also if none was found.
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
