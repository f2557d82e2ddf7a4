package page

import (
	"net/http"

	"blue/blue"
)

// review shows what deserves a look, with the command for each thing.
func (s *server) review(r *http.Request, p *blue.Project) (screen, error) {
	found, err := p.Review(r.Context(), blue.Filter{Limit: listRows, MaxTokens: allTokens, Cursor: r.URL.Query().Get("cursor")})
	return screen{view: "review", title: "Review", main: found}, err
}
