package page

import (
	"net/http"

	"blue/blue"
)

// review lists notes that need attention, each with a command.
func (s *server) review(r *http.Request, p *blue.Project) (screen, error) {
	found, err := p.Review(r.Context(), blue.Filter{Limit: listRows, MaxTokens: allTokens, Cursor: r.URL.Query().Get("cursor")})
	return screen{view: "review", title: "Review", main: found}, err
}
