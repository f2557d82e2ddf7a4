package notesync

import (
	"cmp"
	"context"
	"slices"

	"blue/errors"
)

// Push sends the notes in which t differs from the server, in batches. Each replaces the revision
// that the server had; Push returns [errMoved] if the server has another one now. Sending a note
// twice, because an answer was lost, changes nothing.
func (s *serverBackend) Push(ctx context.Context, _ heads, t tree, texts textSource, _ string) (commit string, err error) {
	alone, stand := true, s.remote.Stand
	for left := s.changes(t); len(left) > 0; {
		batch, err := s.withTexts(left, texts)
		if err != nil {
			return "", err
		}
		left = left[len(batch):]
		a, err := s.client.ask(ctx, Request{Ask: AskWrite, Stand: stand, Notes: batch})
		if errors.Is(err, errors.Conflict) {
			return "", errMoved
		}
		if err == nil {
			err = s.verify(ctx, batch, a.Stand)
		}
		if err != nil {
			return "", err
		}
		alone, stand = alone && a.Same, a.Stand
	}
	if s.pushed = stand; !alone { // the next sync takes what others have written
		s.pushed = ""
	}
	return digest(t), nil
}

// changes returns the notes in which t differs from the server, by name, without texts.
func (s *serverBackend) changes(t tree) (all []Entry) {
	next, there := blobs(t), blobs(s.remote.tree)
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

// blobs returns the blobs of the notes of t by name.
func blobs(t tree) map[string]string {
	all := map[string]string{}
	for _, n := range t.Notes {
		all[n.name] = n.blob
	}
	return all
}

// withTexts returns the first changes, as many as fit into a request, with their texts.
func (s *serverBackend) withTexts(changes []Entry, texts textSource) (batch []Entry, err error) {
	size := 0
	for _, e := range changes[:min(len(changes), batchEntries)] {
		if e.Text = s.marks[e.Revision]; e.Text == nil && texts.fresh[e.Revision] {
			if e.Text, err = texts.read(e.Revision); err != nil {
				return nil, err
			}
		}
		if size += len(e.Text); len(batch) > 0 && size > MostText {
			break
		}
		batch = append(batch, e)
	}
	return batch, nil
}

// verify asks for the notes that were sent, after which the server was at stand. It returns an error
// unless the server has them, or had them before another change.
func (s *serverBackend) verify(ctx context.Context, sent []Entry, stand string) error {
	var names []Entry
	for _, e := range sent {
		names = append(names, Entry{Name: e.Name})
	}
	a, err := s.client.ask(ctx, Request{Ask: AskList, Notes: names})
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
			err = errors.NotTaken(s.client.at.url, name)
		}
	}
	return err
}
