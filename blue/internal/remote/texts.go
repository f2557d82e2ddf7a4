package remote

import (
	"context"
	"slices"

	"blue/blue/internal/store"
	"blue/errors"
)

// ReadTexts calls each with the texts of these revisions, once per revision, as the answers
// come that have them. One that neither side knows is left out.
func (s *Server) ReadTexts(ctx context.Context, ids []string, each func(id string, text []byte) error) error {
	var wanted []Entry
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if text, known := s.texts[id]; known {
			if err := each(id, text); err != nil {
				return err
			}
		} else if s.read.Has(id) {
			text, err := s.read.Get(id)
			if err == nil {
				err = each(id, text)
			}
			if err != nil {
				return err
			}
		} else if name := s.names[id]; name != "" { // else of a tombstone that the server has forgotten
			wanted = append(wanted, Entry{Name: name, Revision: id})
		}
	}
	for some := range slices.Chunk(wanted, MostEntries) {
		if err := s.readSome(ctx, some, each); err != nil {
			return err
		}
	}
	return nil
}

// readSome asks until all of these texts have come.
func (s *Server) readSome(ctx context.Context, wanted []Entry, each func(id string, text []byte) error) error {
	missing := map[string]bool{}
	for _, e := range wanted {
		missing[e.Revision] = true
	}
	for len(wanted) > 0 {
		a, err := s.client.ask(ctx, Request{Ask: Texts, Notes: wanted})
		if err != nil {
			return err
		}
		var later []Entry
		for _, e := range a.Notes {
			switch {
			case store.Revision(e.Text) == e.Revision && len(e.Text) <= store.Limit:
				if !missing[e.Revision] {
					continue
				}
				delete(missing, e.Revision)
				if err := each(e.Revision, e.Text); err != nil {
					return err
				}
			case len(e.Text) == 0 && s.names[e.Revision] != "":
				later = append(later, Entry{Name: e.Name, Revision: e.Revision})
			default:
				return errors.ServerOdd(s.o.At.URL, "a text is not that of its revision")
			}
		}
		if len(later) >= len(wanted) {
			return errors.ServerOdd(s.o.At.URL, "it lists texts that it does not send")
		}
		wanted = later
	}
	if len(missing) > 0 {
		return errors.ServerOdd(s.o.At.URL, "it lists texts that it does not have")
	}
	return nil
}

// former reports which notes have had these texts on the server, now or before.
func (s *Server) former(ctx context.Context, ids map[string]string) (map[string]bool, error) {
	var asked []Entry
	for name, id := range ids {
		asked = append(asked, Entry{Name: name, Revision: id})
	}
	former := map[string]bool{}
	for some := range slices.Chunk(asked, MostEntries) {
		a, err := s.client.ask(ctx, Request{Ask: Past, Notes: some})
		if err != nil {
			return nil, err
		}
		for _, e := range a.Notes {
			if e.Revision == ids[e.Name] {
				former[e.Name] = true
			}
		}
	}
	return former, nil
}
