package page

import (
	"net/http"
	"slices"
	"time"

	"blue/blue"
)

// chartDays is how many days the chart of the prompts shows.
const chartDays = 30

// statsView is what agents were told, with a chart.
type statsView struct {
	blue.Stats
	Bars []bar
	Most int // prompts of the day that has the most
}

// bar is one day of the chart, whose heights are in hundredths of it.
type bar struct {
	blue.DayUsage
	Most int
}

// Height is that of all prompts, and Top where it begins.
func (b bar) Height() int { return 100 * b.Prompts / b.Most }

// Top is where [bar.Height] begins.
func (b bar) Top() int { return 100 - b.Height() }

// ToldHeight is that of the prompts that got a note.
func (b bar) ToldHeight() int { return 100 * b.Answered / b.Most }

// ToldTop is where [bar.ToldHeight] begins.
func (b bar) ToldTop() int { return 100 - b.ToldHeight() }

// stats shows what agents were told, and what became of it.
func (s *server) stats(r *http.Request, p *blue.Project) (screen, error) {
	found, err := p.Stats(r.Context(), "")
	v, days := statsView{Stats: found}, map[string]blue.DayUsage{}
	for _, day := range found.Days {
		days[day.Day], v.Most = day, max(v.Most, day.Prompts)
	}
	for ago := chartDays; ago >= 0 && v.Most > 0; ago-- {
		day := time.Now().AddDate(0, 0, -ago).Format(time.DateOnly)
		v.Bars = append(v.Bars, bar{blue.DayUsage{Day: day, Usage: days[day].Usage}, v.Most})
	}
	slices.Reverse(v.Days) // the newest first
	return screen{view: "stats", title: "What agents were told", main: v}, err
}
