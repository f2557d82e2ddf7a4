package page

import (
	"encoding/json"
	"net/http"
	"strings"

	"blue/blue"
	"blue/blue/transfer"
)

// offered is the maximum number of suggested link targets.
const offered = 8

// preview renders a text as the page of a note would show it.
func (s *server) preview(w http.ResponseWriter, r *http.Request) {
	p, err := s.open(r)
	if err != nil {
		s.fail(w, r, 0, err)
		return
	}
	prose, err := transfer.HTML(p, blue.Note{Title: r.PostForm.Get("title"), Body: unixLines(r.PostForm.Get("body"))})
	if err != nil {
		s.fail(w, r, 0, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write([]byte(prose)) // the client may be gone
}

// titles serves notes as suggestions for links.
func (s *server) titles(w http.ResponseWriter, r *http.Request) {
	p, err := s.open(r)
	if err != nil {
		s.fail(w, r, 0, err)
		return
	}
	type title struct {
		ID    string `json:"id"`
		Title string `json:"title"`
		Type  string `json:"type"`
	}
	found := []title{}
	if words := r.URL.Query().Get("q"); strings.TrimSpace(words) == "" {
		var newest blue.Rows
		newest, err = p.List(r.Context(), blue.Filter{Limit: offered})
		for _, n := range newest.Notes {
			found = append(found, title{n.ID, n.Title, n.Type})
		}
	} else {
		var hits blue.Hits
		hits, err = p.Search(r.Context(), blue.Query{Text: words, In: []string{"notes"}, Prefix: true, Brief: true, Limit: offered})
		for _, n := range hits.Hits {
			found = append(found, title{n.ID, n.Title, n.Type})
		}
	}
	if err != nil {
		s.fail(w, r, 0, err)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(found) // the client may be gone
}
