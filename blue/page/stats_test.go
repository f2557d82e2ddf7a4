package page_test

import (
	"testing"

	"blue/blue"
	"blue/blue/internal/deliveries"
)

// G017: the page shows what agents were told, with a chart and the same figures in tables.
func TestG017StatsView(t *testing.T) {
	s := in(t)
	has(t, s.get("/stats"), "Nothing was recorded yet")
	id := s.note(blue.Draft{Title: "Refund <limits>", Body: "Two people."})
	p := s.project()
	p.Record(deliveries.Delivery{What: deliveries.Prompt, Session: "s", Bytes: 1234, Notes: []string{id}})
	p.Record(deliveries.Delivery{What: deliveries.Prompt, Session: "s"})
	_, err := p.Read(t.Context(), blue.Reading{ID: id})
	must(t, err)
	view := s.get("/stats")
	has(t, view, "1 session, 2 prompts; of 1 note 1 told, 1 read, 0 never told", `role="img" aria-label="Prompts of each day`, `matrix(1 0 0 -1 30.1 2)`, `class="all" width="0.8" height="2"`, `class="told" width="0.8" height="1"`,
		`aria-label="By day"`, "<td>1234</td>", `<a href="/notes/`+id+`.html">Refund &lt;limits&gt;</a>`, `href="/stats"`)
}
