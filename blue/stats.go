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

// Stats is the answer to stats.
type Stats = reply.Stats

// DayUsage is what was told on one day.
type DayUsage = reply.DayUsage

// deliveries is the ledger of what was told of the project at its place; of one that is not
// trusted, and on a server, there is none.
func (p *Project) deliveries() deliveries.Ledger {
	if p.hosted != nil || !p.trusted {
		return deliveries.Ledger{}
	}
	return deliveries.Open(p.b.Directory("state"), rootKey(p.found.ID, marker.Home(p.found.Root)))
}

// Record enters in the ledger what an agent was told, or has done with notes. It cannot fail what
// it records.
func (p *Project) Record(e deliveries.Event) {
	e.Time = p.b.o.Now()
	if e.Client = cmp.Or(p.client, "mcp"); p.client == "" && p.call.Door.Terminal {
		e.Client = deliveries.Terminal
	}
	if err := p.deliveries().Add(e); err != nil {
		p.b.o.Log.Debug("not recorded", "project", p.found.Root, "err", err)
	}
}

// RecordContext records that an agent, or a person, has asked what an agent should know.
func (p *Project) RecordContext(c Context) {
	if text := c.Text(); text != "" {
		p.Record(deliveries.Event{What: deliveries.Context, Bytes: len(text), Notes: c.Named()})
	}
}

// recordUse records that somebody has found, read or cited notes.
func (p *Project) recordUse(what deliveries.What, ids []string) {
	if len(ids) > 0 {
		p.Record(deliveries.Event{What: what, Notes: ids})
	}
}

// recordCited records which notes a write links to, or says that it supersedes.
func (p *Project) recordCited(supersedes *[]string, texts ...*string) {
	var words, ids []string
	if supersedes != nil {
		words = slices.Clone(*supersedes)
	}
	for _, text := range texts {
		if text != nil {
			for _, link := range note.FindLinks(*text) {
				words = append(words, link.ID)
			}
		}
	}
	for _, word := range words {
		if to := p.index.Linked(word); len(to) == 1 && !slices.Contains(ids, to[0].ID) {
			ids = append(ids, to[0].ID)
		}
	}
	p.recordUse(deliveries.Cited, ids)
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

const (
	statsFor   = "30d" // how far stats look back unless they are asked for another time
	usefulMost = 5     // notes that they name
)

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
	switch {
	case !p.trusted:
		s.Nothing = "Nothing is recorded in a project that is not trusted: see blue trust."
	case len(r.Events) == 0 && l.Writable() != nil:
		s.Nothing = "Nothing can be recorded: " + l.Writable().Error()
	case len(r.Events) == 0:
		s.Nothing = "Nothing was recorded yet: no session of a client with hooks has begun here\n(blue setup CLIENT writes them), and no note was searched for, read or cited."
	case len(s.Days) == 0:
		s.Nothing = "Nothing happened since " + s.Since + "; recording began " + r.Begun.Local().Format(time.RFC3339) + "."
	}
	for _, row := range p.index.All(false) {
		s.Notes++
		use := notes[row.ID]
		switch {
		case use == nil:
			continue
		case use.Told > 0:
			s.ToldNotes++
		case use.Named > 0:
			s.Named++
		}
		if use.Read > 0 {
			s.ReadNotes++
		}
		if use.Title = note.ShowTitle(row.Title); use.Used+use.Read+use.Cited > 0 {
			s.Useful = append(s.Useful, use.NoteUse)
		}
	}
	s.Never = s.Notes - s.ToldNotes
	slices.SortStableFunc(s.Useful, func(a, b reply.NoteUse) int {
		return cmp.Or(b.Used-a.Used, b.Read+b.Cited-a.Read-a.Cited, a.Told-b.Told)
	})
	s.Useful = s.Useful[:min(len(s.Useful), usefulMost)]
	return s, nil
}

// mostRead are the notes that were read most often, that one first.
func (p *Project) mostRead(most int) []index.Row {
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
