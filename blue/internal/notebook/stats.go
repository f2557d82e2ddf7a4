package notebook

import (
	"cmp"
	"context"
	"slices"
	"time"

	"blue/blue/internal/deliveries"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
)

// deliveries returns the ledger of what agents were told. It is empty on a server and for a
// project that is not trusted.
func (nb *Notebook) deliveries() deliveries.Ledger {
	if !nb.trusted {
		return deliveries.Ledger{}
	}
	return nb.Handles.told
}

// Record adds what an agent was told or has done to the ledger. It only logs failures.
func (nb *Notebook) Record(e deliveries.Delivery) {
	e.Time = nb.o.Now()
	if e.Client = cmp.Or(nb.Call.Client, "mcp"); nb.Call.Client == "" && nb.Call.Door.Terminal {
		e.Client = deliveries.Terminal
	}
	if err := nb.deliveries().Add(e); err != nil {
		nb.o.Log.Debug("not recorded", "project", nb.Found.Root, "err", err)
	}
}

// RecordContext records that an agent or a person has asked for a context.
func (nb *Notebook) RecordContext(c result.Context) {
	if text := c.Text(); text != "" {
		nb.Record(deliveries.Delivery{What: deliveries.Context, Bytes: len(text), Notes: c.Named()})
	}
}

// recordUse records that notes were found, read or cited.
func (nb *Notebook) recordUse(what deliveries.What, ids []string) {
	if len(ids) > 0 {
		nb.Record(deliveries.Delivery{What: what, Notes: ids})
	}
}

// recordCited records the notes that a write links to or supersedes.
func (nb *Notebook) recordCited(supersedes *[]string, texts ...*string) {
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
		if to := nb.index.Linked(word); len(to) == 1 && !slices.Contains(ids, to[0].ID) {
			ids = append(ids, to[0].ID)
		}
	}
	nb.recordUse(deliveries.Cited, ids)
}

const (
	statsFor   = "30d" // how far stats look back by default
	usefulMost = 5     // notes that they name
)

// Stats returns what agents were told of the notes since a time, and what became of it.
func (nb *Notebook) Stats(ctx context.Context, since string) (s result.Stats, err error) {
	defer nb.NameProject(&err)
	from, err := result.ParseSince(cmp.Or(since, statsFor), nb.o.Now())
	if err != nil {
		return s, err
	}
	if err := nb.refresh(ctx); err != nil {
		return s, err
	}
	l := nb.deliveries()
	r, err := l.Read("")
	if err != nil {
		return s, errors.E(errors.Disk, "reading %s: %w", errors.Quote(l.Path), err).Hint("", "", "mend or remove that file")
	}
	if from.Before(r.Whole) {
		from = r.Whole
	}
	s, notes := r.Count(from)
	s.About, s.Since, s.Useful = nb.About(), from.Local().Format(time.RFC3339), []result.NoteUse{}
	switch {
	case !nb.trusted:
		s.Nothing = "Nothing is recorded in a project that is not trusted: see blue trust."
	case len(r.Events) == 0 && l.Writable() != nil:
		s.Nothing = "Nothing can be recorded: " + l.Writable().Error()
	case len(r.Events) == 0:
		s.Nothing = "Nothing was recorded yet: no session of a client with hooks has begun here\n(blue setup CLIENT writes them), and no note was searched for, read or cited."
	case len(s.Days) == 0:
		s.Nothing = "Nothing happened since " + s.Since + "; recording began " + r.Begun.Local().Format(time.RFC3339) + "."
	}
	_, ever := r.Count(time.Time{})
	rows := nb.index.All(false)
	addNotes(&s, rows, notes, ever)
	s.Never = s.Notes - s.ToldNotes
	s.Months = countMonths(rows)
	slices.SortStableFunc(s.Useful, func(a, b result.NoteUse) int {
		return cmp.Or(b.Used-a.Used, b.Read+b.Cited-a.Read-a.Cited, a.Told-b.Told)
	})
	s.Useful = s.Useful[:min(len(s.Useful), usefulMost)]
	return s, nil
}

// addNotes adds the uses of the notes, given newest first: those in the time that is counted, and
// those ever.
func addNotes(s *result.Stats, rows []index.Row, notes, ever map[string]*deliveries.Use) {
	for _, row := range rows {
		s.Notes++
		if use := ever[row.ID]; !row.Superseded && (use == nil || use.Told+use.Read+use.Cited == 0) {
			s.Idle++
			s.Unused = append(s.Unused, result.NoteUse{ID: row.ID, Title: note.ShowTitle(row.Title)})
		}
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
	slices.Reverse(s.Unused)
	s.Unused = s.Unused[:min(len(s.Unused), usefulMost)]
}

// countMonths counts the notes by month and type. Rows are newest first.
func countMonths(rows []index.Row) (months []result.MonthNotes) {
	for _, row := range slices.Backward(rows) {
		month := row.Time.Local().Format("2006-01")
		if len(months) == 0 || months[len(months)-1].Month != month {
			months = append(months, result.MonthNotes{Month: month, Types: map[string]int{}})
		}
		m := &months[len(months)-1]
		m.Count++
		m.Types[note.ShowWord(row.Type)]++
	}
	return months
}

// UseOf counts the uses of a note by agents, as far back as they are recorded.
func (nb *Notebook) UseOf(id string) result.NoteUse {
	r, _ := nb.deliveries().Read("") // on failure nothing is counted
	_, notes := r.OfAgents().Count(time.Time{})
	if use := notes[id]; use != nil {
		return use.NoteUse
	}
	return result.NoteUse{ID: id}
}

// mostRead returns the notes that were read most often, the most read one first.
func (nb *Notebook) mostRead(most int) []index.Row {
	r, _ := nb.deliveries().Read(deliveries.Read) // on failure no notes are named
	times := map[string]int{}
	for _, e := range r.Events {
		for _, id := range e.Notes {
			times[id]++
		}
	}
	var ids []string
	for _, read := range byCount(times)[:min(len(times), most)] {
		ids = append(ids, read.Word)
	}
	return nb.index.NamedRows(ids)
}
