package page

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"blue/blue"
)

// activityRows is the number of events per page.
const activityRows = 200

// activityView shows changes of notes by day.
type activityView struct {
	Author string
	Days   []activityDay
	Older  string // path of the next older page
}

// activityDay is a day with the count of notes per author.
type activityDay struct {
	Day     time.Time
	Authors []blue.Facet
	Rows    []activityRow
}

// activityRow is what happened to one note on one day.
type activityRow struct {
	blue.Event
	Local time.Time // time of the last event
	Times int
}

// activity shows who wrote what by day.
func (s *server) activity(r *http.Request, p *blue.Project) (screen, error) {
	v := activityView{Author: r.URL.Query().Get("author")}
	log, err := p.Log(r.Context(), "", blue.Filter{About: blue.Facts{Author: v.Author}, Limit: activityRows, MaxTokens: allTokens, Cursor: r.URL.Query().Get("cursor")})
	for _, e := range log.Entries {
		at, _ := time.Parse(time.RFC3339, e.Time)
		v.add(activityRow{e, at.Local(), 1})
	}
	if log.Cursor != "" {
		v.Older = "/activity?" + url.Values{"cursor": {log.Cursor}, "author": {v.Author}}.Encode()
	}
	return screen{view: "activity", title: "Activity", main: v}, err
}

// add adds an event to its day. Repeated events of a note are counted in one row.
func (v *activityView) add(row activityRow) {
	year, month, date := row.Local.Date()
	day := time.Date(year, month, date, 0, 0, 0, 0, time.Local)
	if len(v.Days) == 0 || !v.Days[len(v.Days)-1].Day.Equal(day) {
		v.Days = append(v.Days, activityDay{Day: day})
	}
	d := &v.Days[len(v.Days)-1]
	if at := slices.IndexFunc(d.Rows, func(o activityRow) bool { return o.ID == row.ID && o.Who() == row.Who() }); at >= 0 {
		d.Rows[at].Times++
		return
	}
	d.Rows = append(d.Rows, row)
	if row.What != "wrote" || row.Author == blue.Unknown {
		return
	}
	at := slices.IndexFunc(d.Authors, func(f blue.Facet) bool { return f.Word == row.Author })
	if at < 0 {
		at = len(d.Authors)
		d.Authors = append(d.Authors, blue.Facet{Word: row.Author, Shown: row.Author})
	}
	d.Authors[at].Count++
}

// board shows open work by status.
func (s *server) board(r *http.Request, p *blue.Project) (screen, error) {
	b, err := p.Board(r.Context())
	return screen{view: "board", title: "Board", main: boardView{b, r.URL.Query().Get("trashed")}}, err
}

// boardView shows open work and the note just moved to the trash.
type boardView struct {
	blue.Board
	Trashed string
}

// boardColumn is one column of the board.
type boardColumn struct {
	Title, Means string
	Cards        []blue.Card
	Proposed     bool
}

// Columns returns the columns of the board.
func (v boardView) Columns() []boardColumn {
	here := "In progress"
	if v.Branch != "" {
		here += " on " + v.Branch
	}
	return []boardColumn{
		{"Proposed", "A note with the status proposed waits here for a decision.", v.Proposed, true},
		{here, "A checkpoint of unfinished work stands here, with its next step.", v.Unfinished, false},
		{"On other branches", "Nothing is unfinished on another branch.", v.Elsewhere, false},
	}
}
