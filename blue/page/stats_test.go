package page_test

import (
	"strings"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/internal/deliveries"
)

// The page shows what agents were told, with a chart and the same figures in tables.
func TestStatsView(t *testing.T) {
	s := in(t)
	has(t, s.get("/stats"), "Nothing was recorded yet")
	hasNot(t, s.get("/stats"), "Notes by month", "Never used")
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

// The page counts notes by type and month, and names the notes that are used most and never.
func TestStatistics(t *testing.T) {
	s := in(t)
	month := func(ago int) string {
		return time.Now().UTC().AddDate(0, -ago, 15-time.Now().UTC().Day()).Format(time.RFC3339)
	}
	put(t, s.dir, "notes/a.md", "---\ntype: decision\ntitle: Alpha\ncreated: "+month(2)+"\n---\nOne.\n")
	put(t, s.dir, "notes/b.md", "---\ntype: zebra <b>\ntitle: Beta <i>\ncreated: "+month(2)+"\n---\nTwo.\n")
	put(t, s.dir, "notes/c.md", "---\ntype: decision\ntitle: Gamma\nstatus: superseded\ncreated: "+month(0)+"\n---\nThree.\n")
	put(t, s.dir, "notes/d.md", "---\ntype: decision\ntitle: Delta\ncreated: "+month(2)+"\n---\nFour.\n")
	p := s.project()
	p.Record(deliveries.Delivery{What: deliveries.Prompt, Session: "s", Bytes: 1234, Notes: []string{"a"}})
	_, err := p.Read(t.Context(), blue.Reading{ID: "a"})
	must(t, err)
	view := s.get("/stats")
	has(t, view, `viewBox="0 0 3 3"`, `<rect class="type" data-type="decision" data-hue="`, `y="0" height="2"/>`, `y="2" height="1"/>`, month(1)[:7]+": 0 notes", `zebra &lt;b&gt;</a>`,
		"<td>2</td><td>1</td><td>3</td>", "1 told, 1 read<", "Most used", "2 notes in force were never told", ">Beta &lt;i&gt;</a>", ">Delta</a>")
	_, unused, _ := strings.Cut(view, "Never used")
	hasNot(t, unused, "Alpha", "Gamma")
}
