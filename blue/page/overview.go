package page

import (
	"cmp"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue"
	"blue/blue/result"
	"blue/marker"
)

// Limits of the activity: the events that are read, and the lines of a page. At least foldable equal
// rows in a sequence become one line, which lists at most listed of them when it is opened.
const (
	activityMost  = 100000
	activityLines = 200
	foldable      = 5
	listed        = 1000
)

// activityView shows changes of notes by day.
type activityView struct {
	Author string
	Days   []*activityDay
	Older  string // path of the next older page
}

// activityDay is a day with the count of notes per author.
type activityDay struct {
	Day     time.Time
	Authors []result.Facet
	Groups  []activityGroup
}

// activityGroup is a run of rows about which the same is said.
type activityGroup []*activityRow

// Folded reports whether the group is one line, which can be opened.
func (g activityGroup) Folded() bool { return len(g) >= foldable }

// Listed returns the rows that are listed when the group is opened.
func (g activityGroup) Listed() activityGroup { return g[:min(len(g), listed)] }

// Beyond returns the number of the other rows.
func (g activityGroup) Beyond() int { return len(g) - len(g.Listed()) }

// activityRow is what happened to one note on one day.
type activityRow struct {
	result.Event
	Local time.Time // time of the last event
	Times int
}

// Deed returns what was done and by whom.
func (r activityRow) Deed() string {
	who := r.Who()
	if rest, ok := strings.CutPrefix(who, "written by "); ok && r.Imported {
		author, _, _ := strings.Cut(rest, " via ")
		return "imported by " + author
	} else if ok {
		return "written by " + r.Author
	}
	return who
}

// activity shows who wrote what by day.
func (s *server) activity(r *http.Request, p *blue.Project) (screen, error) {
	v := activityView{Author: r.URL.Query().Get("author")}
	log, err := p.Log(r.Context(), "", blue.Filter{Selection: blue.Selection{About: blue.Facts{Author: v.Author}}, Paging: blue.Paging{Limit: activityMost, Whole: true}})
	if err != nil {
		return screen{}, err
	}
	v.addAll(log.Entries)
	skip, _ := strconv.Atoi(r.URL.Query().Get("skip"))
	v.cut(max(skip, 0))
	return screen{view: "activity", title: "Activity", main: v}, nil
}

// addAll adds the events, which are newest first, to their days. Repeated events of a note on a day
// are counted in one row.
func (v *activityView) addAll(events []result.Event) {
	type key struct{ id, who string }
	var rows map[key]*activityRow
	for _, e := range events {
		at, _ := time.Parse(time.RFC3339, e.Time)
		local := at.Local()
		year, month, date := local.Date()
		day := time.Date(year, month, date, 0, 0, 0, 0, time.Local)
		if len(v.Days) == 0 || !v.Days[len(v.Days)-1].Day.Equal(day) {
			v.Days, rows = append(v.Days, &activityDay{Day: day}), map[key]*activityRow{}
		}
		k := key{e.ID, e.Who()}
		if row := rows[k]; row != nil {
			row.Times++
			continue
		}
		rows[k] = &activityRow{e, local, 1}
		v.Days[len(v.Days)-1].add(rows[k])
	}
}

// add adds a row to the last group if that says the same.
func (d *activityDay) add(row *activityRow) {
	last := len(d.Groups) - 1
	if last >= 0 && d.Groups[last][0].Deed() == row.Deed() {
		d.Groups[last] = append(d.Groups[last], row)
	} else {
		d.Groups = append(d.Groups, activityGroup{row})
	}
	if row.What != "wrote" || row.Author == result.Unknown {
		return
	}
	at := slices.IndexFunc(d.Authors, func(f result.Facet) bool { return f.Word == row.Author })
	if at < 0 {
		at = len(d.Authors)
		d.Authors = append(d.Authors, result.Facet{Word: row.Author, Shown: row.Author})
	}
	d.Authors[at].Count++
}

// cut leaves the groups of one page, without the first skip ones.
func (v *activityView) cut(skip int) {
	days, lines, seen := v.Days, 0, 0
	v.Days = nil
	for _, d := range days {
		groups := d.Groups
		d.Groups = nil
		for _, g := range groups {
			if seen++; seen <= skip {
				continue
			}
			if lines >= activityLines {
				v.Older = "/activity?" + url.Values{"skip": {strconv.Itoa(seen - 1)}, "author": {v.Author}}.Encode()
				break
			}
			d.Groups = append(d.Groups, g)
			if lines++; !g.Folded() {
				lines += len(g) - 1
			}
		}
		if len(d.Groups) > 0 {
			v.Days = append(v.Days, d)
		}
		if v.Older != "" {
			return
		}
	}
}

// What the charts show at most.
const (
	chartDays   = 30
	chartMonths = 24
	chartTypes  = 7 // with a colour of their own
)

// statsView shows the notes by month and what agents were told, newest day first, with charts.
type statsView struct {
	result.Stats
	Chart    []result.DayUsage // each day up to today
	Most     int               // most prompts on one day
	MostTold int               // most notes told, or read, on one day

	Types     []string // most frequent first
	Bars      []monthBar
	MostNotes int // most notes in one month
}

// monthBar is the bar of a month, with a part for each type.
type monthBar struct {
	result.MonthNotes
	Parts []barPart
}

// barPart is a part of a bar, from From to From+Height.
type barPart struct {
	Type         string
	From, Height int
}

// addMonths adds the bars of the last months, also of those without a note.
func (v *statsView) addMonths(now time.Time) {
	total, months := map[string]int{}, map[string]result.MonthNotes{}
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
	v, days := statsView{Stats: found}, map[string]result.DayUsage{}
	for _, day := range found.Days {
		days[day.Day], v.Most, v.MostTold = day, max(v.Most, day.Prompts), max(v.MostTold, day.Told, day.Read)
	}
	for ago := chartDays; ago >= 0 && v.Most+v.MostTold > 0; ago-- {
		day := time.Now().AddDate(0, 0, -ago).Format(time.DateOnly)
		v.Chart = append(v.Chart, result.DayUsage{Day: day, Usage: days[day].Usage})
	}
	slices.Reverse(v.Days)
	v.addMonths(time.Now())
	return screen{view: "stats", title: "Statistics", main: v}, err
}

// whyView shows how the project was detected: the sources that named something.
type whyView struct {
	result.Where
	Tried []marker.Tried
}

// why shows how the project was detected, also if none was found.
func (s *server) why(w http.ResponseWriter, r *http.Request) error {
	found, err := s.o.Blue.Where(r.Context(), s.call())
	if err != nil {
		return err
	}
	v := whyView{Where: found}
	for _, t := range found.Trace {
		if t.Outcome != marker.Absent || t.Detail != "" {
			v.Tried = append(v.Tried, t)
		}
	}
	s.render(w, r, screen{view: "why", title: "Why this project", main: v}, found.About, s.stamp(r.Context()))
	return nil
}
