package blue

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"blue/blue/internal/deliveries"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/errors"
	"blue/marker"
)

// Delivery is what an agent was told at one moment, or has done with notes.
type Delivery = deliveries.Event

// What happened.
type What = deliveries.What

// What is recorded by a hook.
const (
	ToldAtStart    = deliveries.Start
	ToldSubagent   = deliveries.Subagent
	ToldAtPrompt   = deliveries.Prompt
	ToldOfFile     = deliveries.File
	ToldOfFailure  = deliveries.Failure
	ToldContext    = deliveries.Context
	ToldAtStop     = deliveries.Stop
	CalledBlue     = deliveries.Called
	ChangedItsFile = deliveries.Changed
)

// Stats is the answer to stats.
type Stats = reply.Stats

// DayUsage is what was told on one day.
type DayUsage = reply.DayUsage

// deliveries is the ledger of what was told of the project at its place.
func (p *Project) deliveries() deliveries.Ledger {
	return deliveries.Open(p.b.Directory("state"), rootKey(p.found.ID, marker.Home(p.found.Root)))
}

// Record enters a delivery in the ledger of the project, if that is trusted. It cannot fail what
// it records.
func (p *Project) Record(d Delivery) {
	if p.hosted != nil || !p.trusted {
		return
	}
	d.Time = p.b.o.Now()
	if d.Client = p.client; d.Client == "" {
		d.Client = map[bool]string{true: deliveries.Terminal, false: "mcp"}[p.call.Door.Terminal]
	}
	if err := p.deliveries().Add(d); err != nil {
		p.b.o.Log.Debug("delivery not recorded", "project", p.found.Root, "err", err)
	}
}

// recordUseOf records that somebody has found, read or cited notes.
func (p *Project) recordUseOf(what deliveries.What, ids []string) {
	if len(ids) > 0 {
		p.Record(Delivery{What: what, Notes: ids})
	}
}

// recordCited records which notes a write links to, or says that it supersedes.
func (p *Project) recordCited(supersedes *[]string, texts ...*string) {
	var words, ids []string
	if supersedes != nil {
		words = *supersedes
	}
	for _, text := range texts {
		if text != nil {
			for _, link := range note.FindLinks(*text) {
				words = append(words, link.ID)
			}
		}
	}
	for _, row := range p.index.NamedRows(words) {
		ids = append(ids, row.ID)
	}
	p.recordUseOf(deliveries.Cited, ids)
}

// Citing are the ids of the notes that cite one of some files.
func (p *Project) Citing(ctx context.Context, files []string) (ids []string, err error) {
	if err := p.refresh(ctx); err != nil {
		return nil, err
	}
	for _, file := range p.treeNames(files) {
		for _, row := range p.index.Citing(file) {
			ids = append(ids, row.ID)
		}
	}
	return ids, nil
}

// statsFor is how far stats look back unless they are asked for another time.
const statsFor = "30d"

// usefulMost is how many notes stats name.
const usefulMost = 5

// Stats says what agents were told of the notes since a time, and what became of it.
func (p *Project) Stats(ctx context.Context, since string) (s Stats, err error) {
	defer p.NameProject(&err)
	from, err := reply.ParseSince(cmp.Or(since, statsFor), p.b.o.Now())
	if err != nil {
		return s, err
	}
	if err := p.refresh(ctx); err != nil {
		return s, err
	}
	l := p.deliveries()
	r, err := l.Read("")
	if err != nil {
		return s, errors.E(errors.Disk, "reading %q: %w", l.Path, err).Hint("", "", "mend or remove that file")
	}
	if from.Before(r.Whole) {
		from = r.Whole
	}
	s, notes := r.Count(from)
	s.About, s.Since, s.Useful = p.About(), from.Local().Format(time.RFC3339), []reply.NoteUse{}
	if !r.Begun.IsZero() {
		s.Begun = r.Begun.Local().Format(time.RFC3339)
	}
	switch {
	case !p.trusted:
		s.Nothing = "Nothing is recorded in a project that is not trusted: see blue trust."
	case len(r.Events) == 0:
		s.Nothing = "Nothing was recorded yet: no session of a client with hooks has begun here\n(blue setup CLIENT writes them), and no note was searched for, read or cited."
	case len(s.Days) == 0:
		s.Nothing = "Nothing happened since " + s.Since + "; recording began " + s.Begun + "."
	}
	for _, row := range p.index.All(false) {
		s.Notes++
		use := notes[row.ID]
		if use == nil || use.Told == 0 {
			s.Never++
		} else {
			s.ToldNotes++
		}
		if use == nil {
			continue
		}
		if use.Read > 0 {
			s.ReadNotes++
		}
		if use.Told == 0 && use.Named > 0 {
			s.Named++
		}
		if use.Title = note.ShowTitle(row.Title); use.Used+use.Read+use.Cited > 0 {
			s.Useful = append(s.Useful, use.NoteUse)
		}
	}
	slices.SortStableFunc(s.Useful, func(a, b reply.NoteUse) int {
		return cmp.Or(b.Used-a.Used, b.Read+b.Cited-a.Read-a.Cited, a.Told-b.Told)
	})
	s.Useful = s.Useful[:min(len(s.Useful), usefulMost)]
	return s, nil
}

// uses is what has become of each note since recording began, by id.
func (p *Project) uses() (begun time.Time, notes map[string]*deliveries.Use) {
	if p.hosted != nil || !p.trusted {
		return begun, nil
	}
	r, err := p.deliveries().Read("")
	if err != nil {
		p.b.o.Log.Debug("deliveries not read", "project", p.found.Root, "err", err)
	}
	_, notes = r.Count(time.Time{})
	return r.Begun, notes
}

// mostRead are the notes that were read most often, that one first.
func (p *Project) mostRead(most int) []index.Row {
	if p.hosted != nil || !p.trusted {
		return nil
	}
	r, _ := p.deliveries().Read(deliveries.Read) // without it they are not named
	times := map[string]int{}
	for _, e := range r.Events {
		for _, id := range e.Notes {
			times[id]++
		}
	}
	ids := slices.SortedFunc(maps.Keys(times), func(a, b string) int { return cmp.Or(times[b]-times[a], cmp.Compare(a, b)) })
	return p.index.NamedRows(ids[:min(len(ids), most)])
}
