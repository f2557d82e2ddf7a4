package page

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"time"

	"blue/blue"
	"blue/marker"
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
	log, err := p.Log(r.Context(), "", blue.Filter{Selection: blue.Selection{About: blue.Facts{Author: v.Author}}, Paging: blue.Paging{Limit: activityRows, MaxTokens: allTokens, Cursor: r.URL.Query().Get("cursor")}})
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

// board shows the notes by status.
func (s *server) board(r *http.Request, p *blue.Project) (screen, error) {
	b, err := p.Board(r.Context())
	return screen{view: "board", title: "Board", main: b}, err
}

// What the charts show at most.
const (
	chartDays   = 30
	chartMonths = 24
	chartTypes  = 7 // with a colour of their own
)

// statsView shows the notes by month and what agents were told, newest day first, with charts.
type statsView struct {
	blue.Stats
	Chart    []blue.DayUsage // each day up to today
	Most     int             // most prompts on one day
	MostTold int             // most notes told, or read, on one day

	Types     []string // most frequent first
	Bars      []monthBar
	MostNotes int // most notes in one month
}

// monthBar is the bar of a month, with a part for each type.
type monthBar struct {
	blue.MonthNotes
	Parts []barPart
}

// barPart is a part of a bar, from From to From+Height.
type barPart struct {
	Type         string
	From, Height int
}

// addMonths adds the bars of the last months, also of those without a note.
func (v *statsView) addMonths(now time.Time) {
	total, months := map[string]int{}, map[string]blue.MonthNotes{}
	for _, m := range v.Months {
		months[m.Month] = m
		for name, count := range m.Types {
			total[name] += count
		}
	}
	v.Types = slices.SortedFunc(maps.Keys(total), func(a, b string) int { return cmp.Or(total[b]-total[a], cmp.Compare(a, b)) })
	for ago := chartMonths - 1; ago >= 0 && len(v.Months) > 0; ago-- {
		month := time.Date(now.Year(), now.Month(), 1, 0, 0, 0, 0, now.Location()).AddDate(0, -ago, 0).Format("2006-01")
		if len(v.Bars) == 0 && month < v.Months[0].Month {
			continue
		}
		bar := monthBar{MonthNotes: months[month]}
		bar.Month = month
		from := 0
		for i, name := range v.Types {
			if height := bar.Types[name]; height > 0 {
				bar.Parts = append(bar.Parts, barPart{choose(i < chartTypes, name, ""), from, height})
				from += height
			}
		}
		v.Bars, v.MostNotes = append(v.Bars, bar), max(v.MostNotes, bar.Count)
	}
}

// stats shows how many notes there are, what agents were told, and its effect.
func (s *server) stats(r *http.Request, p *blue.Project) (screen, error) {
	found, err := p.Stats(r.Context(), "")
	v, days := statsView{Stats: found}, map[string]blue.DayUsage{}
	for _, day := range found.Days {
		days[day.Day], v.Most, v.MostTold = day, max(v.Most, day.Prompts), max(v.MostTold, day.Told, day.Read)
	}
	for ago := chartDays; ago >= 0 && v.Most+v.MostTold > 0; ago-- {
		day := time.Now().AddDate(0, 0, -ago).Format(time.DateOnly)
		v.Chart = append(v.Chart, blue.DayUsage{Day: day, Usage: days[day].Usage})
	}
	slices.Reverse(v.Days)
	v.addMonths(time.Now())
	return screen{view: "stats", title: "Statistics", main: v}, err
}

// whyView shows how the project was detected: the sources that named something, and the names of
// the others.
type whyView struct {
	blue.Where
	Tried []marker.Tried
	Unset []marker.Source
}

// why shows how the project was detected, also if none was found.
func (s *server) why(w http.ResponseWriter, r *http.Request) error {
	found, err := s.o.Blue.Where(r.Context(), s.call())
	if err != nil {
		return err
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
	return nil
}
