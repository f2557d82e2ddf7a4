// Package snippet chooses the passages of a body that a reply shows: whole sentences, list items,
// table rows and lines of code, in one or two stretches of limited size that hold most of the
// weight of the query's words.
//
// A [Finder] finds the words of the query in a body (finder.go), which is split into units
// (units.go). The best units are chosen (snippet.go) and written on one line (writer.go).
package snippet

import (
	"cmp"
	"math"
	"slices"
)

// Parameters of the passages of a hit. Passages consist of whole units, and there are one or two of
// them.
const (
	Bytes         = 240     // about three lines: the size where there is little room
	snippetScan   = 1 << 16 // bytes of a body that are searched
	lineBytes     = 120     // room of a hit whose best unit an earlier hit has shown
	passageLeast  = 80      // room that must be left to look for a second passage
	passageGain   = 0.1     // of the value of the first passage, which the second must exceed
	sentenceShare = 0.5     // of the weight of the best unit of a passage, counted in addition: words in one sentence belong together
	taskWorth     = 0.1     // factor for a word in a checklist item
	formWorth     = 0.25    // factor for showing another form of a stem, which is often next to the word itself
)

// passage is units[from:to] of a body, clipped to body[start:end].
type passage struct{ from, to, start, end int }

// Choose returns the passages of a body that hold most of the query's weight in about room bytes,
// and the start and end offsets of its words in them. Sentences that were chosen from earlier
// bodies are not chosen again.
func (f *Finder) Choose(body string, room int) (text string, marks [][2]int) {
	body = body[:runeBoundary(body, snippetScan)]
	f.findMatches(body)
	units := splitUnits(f.units, body, false)
	if f.assignMatches(units); len(f.matches) == 0 && len(f.found) > 0 { // the words are only in decoration or in the title
		units = splitUnits(units, body, true)
		if f.assignMatches(units); len(f.matches) == 0 {
			units = splitUnits(units, body, false)
		}
	}
	f.units = units
	clear(f.counts)
	if len(f.said) > 0 && len(units) > 0 {
		if f.bestIsSaid(body, units) {
			room = min(room, lineBytes)
		}
		isNew := func(u unit) bool { return u.isCode || !f.said[body[u.start:u.end]] }
		repeats := len(f.matches) > 0 && slices.ContainsFunc(units, isNew) && !slices.ContainsFunc(units, func(u unit) bool { return len(u.matches) > 0 && isNew(u) })
		if !repeats { // otherwise only units without a word of the query are new
			units = withoutSaid(units, isNew)
		}
	}
	if len(units) == 0 {
		return "", nil
	}
	passages := f.choosePassages(units, room)
	if first := passages[0]; len(passages) == 1 && first.to-first.from == 1 && units[first.from].size() > room+1 {
		clear(f.counts)
		passages[0] = f.cutStretch(body, units, first, room)
	}
	if room == Bytes {
		passages = f.cutPassages(body, units, passages, room)
	}
	w := writer{body: body}
	w.out.Grow(room + room/8)
	for _, p := range passages {
		w.writePassage(units, p)
		for _, u := range units[p.from:p.to] {
			f.said[body[u.start:u.end]] = true
		}
	}
	return w.out.String(), w.marks
}

// bestIsSaid reports whether an earlier hit has shown the heaviest of the units.
func (f *Finder) bestIsSaid(body string, units []unit) bool {
	best := slices.MaxFunc(units, func(a, b unit) int { return cmp.Compare(f.unitWeight(a), f.unitWeight(b)) })
	return len(best.matches) > 0 && f.said[body[best.start:best.end]]
}

// withoutSaid removes the units that earlier hits have shown, except for lines of code, which mean
// nothing without those around them.
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

// weigh returns the value of the words that passages show, each counted once.
func (f *Finder) weigh(units []unit, passages []passage) (worth float64) {
	seen := make([]bool, len(f.counts))
	for _, p := range passages {
		for _, u := range units[p.from:p.to] {
			for _, m := range u.matches {
				if isShown := m.start < u.start || m.start >= p.start && m.end <= p.end; isShown && !seen[m.number] {
					seen[m.number] = true
					worth += m.worth
				}
			}
		}
	}
	return worth
}

// assignMatches gives each unit the matches in it and in the heading directly above it.
func (f *Finder) assignMatches(units []unit) {
	rest := f.found
	f.matches = f.matches[:0]
	for i := range units {
		u, first := &units[i], len(f.matches)
		for ; len(rest) > 0 && rest[0].start < u.end; rest = rest[1:] {
			m := rest[0]
			if m.start < u.start && (m.start < u.above[0] || m.start >= u.above[1]) {
				continue
			}
			if u.isTask {
				m.worth *= taskWorth
			}
			m.isFirst = !slices.ContainsFunc(f.matches[first:], func(o match) bool { return o.number == m.number })
			f.matches = append(f.matches, m)
		}
		u.matches = f.matches[first:]
	}
}

// unitWeight returns the value of the words of a unit, each counted once.
func (f *Finder) unitWeight(u unit) (sum float64) {
	for _, m := range u.matches {
		if m.isFirst {
			sum += m.worth
		}
	}
	return sum
}

// choosePassages chooses one or two passages, in the order of the body, and extends them to the
// units around them if there is room.
func (f *Finder) choosePassages(units []unit, room int) (chosen []passage) {
	gain := 0.0
	for len(chosen) < 2 && (len(chosen) == 0 || room >= passageLeast) {
		p, value := f.bestPassage(units, room)
		gain = max(gain, passageGain*value)
		if len(chosen) == 1 && (value <= gain || p.size(units) > room || p.from < chosen[0].to && chosen[0].from < p.to) {
			break
		}
		f.countWords(units, p)
		room -= p.size(units)
		chosen = append(chosen, p)
	}
	if len(f.found) == 0 {
		room = min(room, Bytes)
	}
	slices.SortFunc(chosen, func(a, b passage) int { return cmp.Compare(a.from, b.from) })
	for i := range chosen {
		room = widen(units, chosen, i, room)
	}
	if len(chosen) == 2 && chosen[1].from <= chosen[0].to {
		chosen[0].to = max(chosen[0].to, chosen[1].to)
		chosen = chosen[:1]
	}
	return chosen
}

// widen extends one of the passages while there is room, and returns the room that is left. It
// first adds all preceding units of the same section if they fit, then the following units, then
// other preceding ones. Finally it drops units at the end that only introduce a unit that is not
// shown. A passage is not extended from prose into a checklist or the reverse.
func widen(units []unit, chosen []passage, i, room int) int {
	p, low, high := &chosen[i], 0, len(units)
	if i > 0 {
		low = chosen[i-1].to
	}
	if i+1 < len(chosen) {
		high = chosen[i+1].from
	}
	other := func(u unit) bool { return u.isTask != units[p.from].isTask }
	for i := low; i < p.from; i++ {
		if other(units[i]) {
			low = i + 1
		}
	}
	if i := slices.IndexFunc(units[p.to:max(high, p.to)], other); i >= 0 {
		high = p.to + i
	}
	before := max(low, sectionStart(units, p.from))
	if size := (passage{from: before, to: p.from}).span(units); size <= room {
		p.from, room = before, room-size
	}
	for p.to < high && units[p.to].size() <= room {
		room -= units[p.to].size()
		p.to++
	}
	for p.from > low && units[p.from-1].size() <= room {
		p.from--
		room -= units[p.from].size()
	}
	for p.to < high && p.to-p.from > 1 && units[p.to-1].leadsOn() {
		p.to--
		room += units[p.to].size()
	}
	return room
}

// sectionStart returns the first unit of the section of a unit.
func sectionStart(units []unit, at int) int {
	for at > 0 && units[at-1].heading == units[at].heading {
		at--
	}
	return at
}

// cutPassages returns one or two stretches that may start and end within units if they are worth
// more than the whole ones, and the whole ones otherwise.
func (f *Finder) cutPassages(body string, units []unit, whole []passage, room int) []passage {
	all := passage{to: len(units)}
	clear(f.counts)
	belowHeading := func(room int) passage { // leaves room for the heading
		cut := f.cutStretch(body, units, all, room)
		return f.cutStretch(body, units, all, max(room-len(units[cut.from].heading), room/2))
	}
	one, first := belowHeading(room), belowHeading(room/2)
	f.countWords(units, first)
	second := belowHeading(room / 2)
	best := whole
	most := f.weigh(units, whole)
	for _, cut := range [][]passage{{one}, {first, second}, {second, first}} {
		if len(cut) == 2 && cut[0].end >= cut[1].start {
			continue
		}
		if worth := f.weigh(units, cut); worth > most*(1+1e-9) {
			best, most = cut, worth
		}
	}
	return best
}

func (f *Finder) countWords(units []unit, p passage) {
	for _, u := range units[p.from:p.to] {
		for _, m := range u.matches {
			f.counts[m.number]++
		}
	}
}

// cutStretch returns the most valuable stretch of a passage that has at most room bytes and is cut
// between words. Each word counts once, and words of the chosen passages do not count.
func (f *Finder) cutStretch(body string, units []unit, p passage, room int) (cut passage) {
	in := make([]match, 0, len(f.matches))
	for _, u := range units[p.from:p.to] {
		for _, m := range u.matches {
			if m.start >= u.start-len(u.heading)-2 && f.counts[m.number] == 0 { // otherwise it is not shown, or shown already
				in = append(in, m)
			}
		}
	}
	bounds := units[p.from:p.to]
	low, high := bounds[0].start, bounds[len(bounds)-1].end
	from, to := low, low
	held, sum, most, first := make([]int, len(f.counts)), 0.0, 0.0, 0
	for _, m := range in {
		if held[m.number]++; held[m.number] == 1 {
			sum += m.worth
		}
		for m.end-in[first].start > room && in[first].start < m.start {
			if held[in[first].number]--; held[in[first].number] == 0 {
				sum -= in[first].worth
			}
			first++
		}
		if sum > most+1e-9 {
			most, from, to = sum, in[first].start, m.end
		}
	}
	start := max(from-max(room-(to-from), 0)/3, low)
	if start > low {
		start = nextWordStart(body, runeBoundary(body, start), max(from, start))
	}
	end := max(runeBoundary(body, min(start+room, high)), start) // in invalid UTF-8 the boundary may be before start
	if end < high {
		end = lastWordEnd(body, start, end)
	}
	cut = passage{p.from, p.to, start, end}
	for cut.from < cut.to-1 && units[cut.from].end <= start {
		cut.from++
	}
	for cut.to-1 > cut.from && units[cut.to-1].start >= end {
		cut.to--
	}
	return cut
}

// size returns the approximate size of a unit in bytes.
func (u unit) size() int { return u.end - u.start + 1 }

// leadsOn reports whether a unit has no words of the query and only introduces the next unit.
func (u unit) leadsOn() bool { return len(u.matches) == 0 && u.isLeading }

// size returns the approximate size of a passage in bytes, including its heading.
func (p passage) size(units []unit) int { return len(units[p.from].heading) + p.span(units) }

// span returns the approximate size of the units of a passage in bytes.
func (p passage) span(units []unit) (size int) {
	for _, u := range units[p.from:p.to] {
		size += u.size()
	}
	return size
}

// bestPassage returns the adjacent units that fit into room and whose words are worth most. Each
// word counts once, those of the best unit count more, and words of the chosen passages do not
// count.
func (f *Finder) bestPassage(units []unit, room int) (best passage, most float64) {
	whole := math.MaxInt
	best = passage{to: 1, end: whole}
	seen := make([]int, len(f.counts)) // by number of a term: 1 + the start of the last passage that holds it
	for from, u := range units {
		if len(u.matches) == 0 {
			continue
		}
		sum, densest, size := 0.0, 0.0, len(u.heading)
		for to := from; to < len(units); to++ {
			if size += units[to].size(); size > room && to > from {
				break
			}
			own := 0.0
			for _, m := range units[to].matches {
				if !m.isFirst || f.counts[m.number] > 0 {
					continue
				}
				own += m.worth
				if seen[m.number] <= from {
					seen[m.number] = from + 1
					sum += m.worth
				}
			}
			densest = max(densest, own)
			if value := sum + sentenceShare*densest; value > most*(1+1e-9) {
				best, most = passage{from, to + 1, 0, whole}, value
			}
		}
	}
	return best, most
}
