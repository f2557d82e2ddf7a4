package remote

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"blue/blue/internal/ref"
	"blue/errors"
)

// Push sends what the commit has otherwise than the server, some notes at a time. Each of
// them goes only in the place of the text that the server had; [ref.ErrMoved] says that it
// has another one by now. What is sent twice, because an answer was lost, changes nothing.
func (s *Server) Push(ctx context.Context, commit, _ string) error {
	if commit != s.next.Commit {
		return errors.ServerOdd(s.o.At.URL, "it was to get what nobody has made")
	}
	alone, last, stand := true, seqOf(s.there.Stand), s.there.Stand
	for _, some := range chunk(s.changes()) {
		a, err := s.client.ask(ctx, Request{Ask: Write, Notes: some})
		if errors.Is(err, errors.Conflict) {
			return ref.ErrMoved
		}
		if err == nil {
			err = s.verify(ctx, some, seqOf(a.Stand))
		}
		if err != nil {
			return err
		}
		alone = alone && seqOf(a.Stand) == last+1
		last, stand = seqOf(a.Stand), a.Stand
	}
	s.base = s.next
	if alone { // else others have changed notes meanwhile, which the next sync takes
		s.base.Stand = stand
	}
	return s.save()
}

// changes are the notes that the commit has otherwise than the server, by name.
func (s *Server) changes() (all []Entry) {
	for name, revision := range s.next.Notes {
		if before := s.there.Notes[name]; before != revision {
			all = append(all, Entry{Name: name, Revision: revision, Before: before, Text: s.texts[revision]})
		}
	}
	for name, before := range s.there.Notes {
		if s.next.Notes[name] == "" {
			all = append(all, Entry{Name: name, Before: before})
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// chunk cuts changes into requests.
func chunk(all []Entry) (chunks [][]Entry) {
	size, from := 0, 0
	for i, e := range all {
		if i > from && (size+len(e.Text) > MostText || i-from == writtenOnce) {
			chunks, size, from = append(chunks, all[from:i]), 0, i
		}
		size += len(e.Text)
	}
	if from < len(all) {
		chunks = append(chunks, all[from:])
	}
	return chunks
}

// verify reads again what was sent: the server has it, or somebody has changed it since.
func (s *Server) verify(ctx context.Context, sent []Entry, seq int64) error {
	a, err := s.client.ask(ctx, Request{Ask: List, Notes: namesOf(sent)})
	if err != nil {
		return err
	}
	there := map[string]Entry{}
	for _, e := range a.Notes {
		if e.Removed == 0 || there[e.Name].Name == "" {
			there[e.Name] = e
		}
	}
	for _, e := range sent {
		is := there[e.Name]
		if is.Removed > 0 {
			is.Revision = ""
		}
		if is.Revision != e.Revision && is.Seq <= seq {
			return errors.NotTaken(s.o.At.URL, e.Name)
		}
	}
	return nil
}

func namesOf(entries []Entry) (names []Entry) {
	for _, e := range entries {
		names = append(names, Entry{Name: e.Name})
	}
	return names
}

// seqOf is the number at the beginning of a stand.
func seqOf(stand string) (seq int64) {
	_, _ = fmt.Sscanf(stand, "%d.", &seq) // 0 for what has none, which fits nothing
	return seq
}
