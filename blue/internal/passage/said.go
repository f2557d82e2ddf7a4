package passage

import (
	"cmp"
	"slices"
)

// bestIsSaid reports whether a hit before has shown the heaviest of the units.
func (f *Finder) bestIsSaid(body string, units []unit) bool {
	best := slices.MaxFunc(units, func(a, b unit) int { return cmp.Compare(f.unitWeight(a), f.unitWeight(b)) })
	return len(best.matches) > 0 && f.said[body[best.start:best.end]]
}

// withoutSaid leaves out the units that a hit before has shown, but for lines of code, which
// say nothing without those around them.
func withoutSaid(units []unit, isNew func(unit) bool) []unit {
	kept, gap := units[:0], false
	for _, u := range units {
		if !isNew(u) {
			gap = true
			continue
		}
		u.isBehindGap, gap = gap, false
		kept = append(kept, u)
	}
	return kept
}
