package remote

import (
	"context"
	"maps"
	"slices"

	"blue/blue/internal/store"
	"blue/errors"
)

// ReadTexts calls each with the texts of these revisions, once per revision, as the answers
// come that have them. One that neither side knows is left out.
func (s *Server) ReadTexts(ctx context.Context, ids []string, each func(id string, text []byte) error) error {
	var wanted []Entry
	var blobs []string
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if text, known := s.texts[id]; known {
			if err := each(id, text); err != nil {
				return err
			}
		} else if blob := s.inCode[id]; blob != "" {
			blobs = append(blobs, blob)
		} else if name := s.names[id]; name != "" { // else of a tombstone that the server has forgotten
			wanted = append(wanted, Entry{Name: name, Revision: id})
		}
	}
	if len(blobs) > 0 {
		if err := s.o.Code.ReadTexts(ctx, blobs, func(_ string, text []byte) error { return each(s.ID(text), text) }); err != nil {
			return err
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

// Former reports which notes have had these texts on the server, now or before.
func (s *Server) Former(ctx context.Context, _ string, ids map[string]string) (map[string]bool, error) {
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

// InCode returns the revisions that notes have had in the commits of the code, by name, the
// latest first.
func (s *Server) InCode(ctx context.Context, names map[string]bool) (map[string][]string, error) {
	if s.o.Code == nil {
		return nil, nil
	}
	blobs, err := s.o.Code.InCode(ctx, names)
	if err != nil {
		return nil, err
	}
	revisions := map[string]string{} // by blob
	err = s.o.Code.ReadTexts(ctx, slices.Concat(slices.Collect(maps.Values(blobs))...), func(blob string, text []byte) error {
		revisions[blob] = s.ID(text)
		s.inCode[revisions[blob]] = blob
		return nil
	})
	if err != nil {
		return nil, err
	}
	for _, list := range blobs {
		for i, blob := range list {
			list[i] = revisions[blob]
		}
	}
	return blobs, nil
}
