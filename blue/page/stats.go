package page

import (
	"net/http"
	"slices"
	"time"

	"blue/blue"
)

// chartDays is how many days the chart of the prompts shows.
const chartDays = 30

// statsView shows what agents were told, newest day first, with a chart.
type statsView struct {
	blue.Stats
	Chart []blue.DayUsage // each day up to today
	Most  int             // most prompts on one day
}

// stats shows what agents were told and its effect.
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
