package page

import (
	"net/http"
	"net/url"
	"slices"
	"time"

	"blue/blue"
)

// activityRows is how much of what has happened one page shows.
const activityRows = 200

// activityView is what has happened to the notes, by day.
type activityView struct {
	Author string
	Days   []activityDay
	Older  string // path of the page of what was before
}

// activityDay is one day, with how many notes each author wrote.
type activityDay struct {
	Day     time.Time
	Authors []blue.Facet
	Acts    []activityRow
}

// activityRow is what has happened to one note on a day, the last of it first.
type activityRow struct {
	blue.Act
	Times int
}

// activity shows who wrote what, day by day.
func (s *server) activity(r *http.Request, p *blue.Project) (screen, error) {
	q := r.URL.Query()
	before, _ := time.Parse(time.RFC3339Nano, q.Get("before")) // none: all
	v := activityView{Author: q.Get("author")}
	found, err := p.Activity(r.Context(), before, v.Author, activityRows)
	for _, act := range found.Acts {
		v.add(act)
	}
	if found.More {
		last := found.Acts[len(found.Acts)-1].Time
		v.Older = "/activity?" + url.Values{"before": {last.Format(time.RFC3339Nano)}, "author": {v.Author}}.Encode()
	}
	return screen{view: "activity", title: "Activity", main: v}, err
}

// add puts something that has happened under its day; a note that was changed several times
// stands there once.
func (v *activityView) add(act blue.Act) {
	act.Time = act.Time.Local()
	year, month, date := act.Time.Date()
	day := time.Date(year, month, date, 0, 0, 0, 0, time.Local)
	if len(v.Days) == 0 || !v.Days[len(v.Days)-1].Day.Equal(day) {
		v.Days = append(v.Days, activityDay{Day: day})
	}
	d := &v.Days[len(v.Days)-1]
	same := func(row activityRow) bool {
		return row.ID == act.ID && row.Private == act.Private && row.Did == act.Did
	}
	if at := slices.IndexFunc(d.Acts, same); at >= 0 {
		d.Acts[at].Times++
		return
	}
	d.Acts = append(d.Acts, activityRow{act, 1})
	if act.Did != "wrote" || act.Author == "" {
		return
	}
	at := slices.IndexFunc(d.Authors, func(f blue.Facet) bool { return f.Word == act.Author })
	if at < 0 {
		at = len(d.Authors)
		d.Authors = append(d.Authors, blue.Facet{Word: act.Author, Shown: act.Author})
	}
	d.Authors[at].Count++
}

// board shows the open work.
func (s *server) board(r *http.Request, p *blue.Project) (screen, error) {
	b, err := p.Board(r.Context())
	return screen{view: "board", title: "Board", main: boardView{b, r.URL.Query().Get("trashed")}}, err
}

// boardView is the open work, and the note that was just moved to the trash.
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

// Columns are those of the board.
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
