package remote

import (
	"cmp"
	"context"
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
	alone, stand := true, s.there.Stand
	for left := s.changes(); len(left) > 0; {
		some, err := s.withTexts(left)
		if err != nil {
			return err
		}
		left = left[len(some):]
		a, err := s.client.ask(ctx, Request{Ask: Write, Stand: stand, Notes: some})
		if errors.Is(err, errors.Conflict) {
			return ref.ErrMoved
		}
		if err == nil {
			err = s.verify(ctx, some, a.Stand)
		}
		if err != nil {
			return err
		}
		alone, stand = alone && a.Same, a.Stand
	}
	if alone { // else others have changed notes meanwhile, which the next sync takes
		s.next.Stand = stand
	}
	return nil
}

// changes are the notes that the commit has otherwise than the server, by name, without
// their texts.
func (s *Server) changes() (all []Entry) {
	next, there := revisions(s.next), revisions(s.there)
	for name, revision := range next {
		if before := there[name]; before != revision {
			all = append(all, Entry{Name: name, Revision: revision, Before: before})
		}
	}
	for name, before := range there {
		if next[name] == "" {
			all = append(all, Entry{Name: name, Before: before})
		}
	}
	slices.SortFunc(all, func(a, b Entry) int { return cmp.Compare(a.Name, b.Name) })
	return all
}

// revisions are those of the notes of a snapshot, by name.
func revisions(s ref.Snapshot) map[string]string {
	all := map[string]string{}
	for _, n := range s.Notes {
		all[n[0]] = n[1]
	}
	return all
}

// withTexts returns as many of the first changes as a request may have, with their texts.
func (s *Server) withTexts(changes []Entry) (some []Entry, err error) {
	size := 0
	for _, e := range changes[:min(len(changes), writtenOnce)] {
		if e.Text = s.texts[e.Revision]; e.Text == nil && s.fresh[e.Revision] {
			if e.Text, err = s.own(e.Revision); err != nil {
				return nil, err
			}
		}
		if size += len(e.Text); len(some) > 0 && size > MostText {
			break
		}
		some = append(some, e)
	}
	return some, nil
}

// verify reads again what was sent, which has led to a stand: the server has it, or has had it
// before another change.
func (s *Server) verify(ctx context.Context, sent []Entry, stand string) error {
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
	changed := map[string]string{}
	for _, e := range sent {
		is := there[e.Name]
		if is.Removed > 0 {
			is.Revision = ""
		}
		if is.Revision != e.Revision {
			changed[e.Name] = e.Revision
		}
	}
	former, err := s.former(ctx, changed)
	for name, revision := range changed {
		if err == nil && (a.Stand == stand || revision != "" && !former[name]) {
			err = errors.NotTaken(s.o.At.URL, name)
		}
	}
	return err
}

func namesOf(entries []Entry) (names []Entry) {
	for _, e := range entries {
		names = append(names, Entry{Name: e.Name})
	}
	return names
}
