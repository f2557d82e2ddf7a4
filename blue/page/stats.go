package page

import (
	"net/http"
	"slices"
	"time"

	"blue/blue"
)

// chartDays is how many days the chart of the prompts shows.
const chartDays = 30

// statsView is what agents were told, the newest day first, with a chart.
type statsView struct {
	blue.Stats
	Chart []blue.DayUsage // each day up to today
	Most  int             // prompts of the day that has the most
}

// stats shows what agents were told, and what became of it.
func (s *server) stats(r *http.Request, p *blue.Project) (screen, error) {
	found, err := p.Stats(r.Context(), "")
	v, days := statsView{Stats: found}, map[string]blue.DayUsage{}
	for _, day := range found.Days {
		days[day.Day], v.Most = day, max(v.Most, day.Prompts)
	}
	for ago := chartDays; ago >= 0 && v.Most > 0; ago-- {
		day := time.Now().AddDate(0, 0, -ago).Format(time.DateOnly)
		v.Chart = append(v.Chart, blue.DayUsage{Day: day, Usage: days[day].Usage})
	}
	slices.Reverse(v.Days)
	return screen{view: "stats", title: "What agents were told", main: v}, err
}
