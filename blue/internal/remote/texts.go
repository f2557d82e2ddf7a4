package remote

import (
	"context"
	"maps"
	"slices"

	"blue/blue/internal/store"
	"blue/errors"
)

// ReadTexts reads texts by their revisions, each once.
func (s *Server) ReadTexts(ctx context.Context, ids []string) (map[string][]byte, error) {
	var wanted []Entry
	read := map[string][]byte{}
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		if text, known := s.texts[id]; known {
			read[id] = text
		} else if name := s.names[id]; name != "" { // else of a tombstone that the server has forgotten
			wanted = append(wanted, Entry{Name: name, Revision: id})
		}
	}
	for some := range slices.Chunk(wanted, MostEntries) {
		found, err := s.readSome(ctx, some)
		if err != nil {
			return nil, err
		}
		if len(found) < len(some) {
			return nil, errors.ServerOdd(s.o.At.URL, "it lists texts that it does not have")
		}
		maps.Copy(read, found)
	}
	return read, nil
}

// readSome asks until all texts that the server has are here.
func (s *Server) readSome(ctx context.Context, wanted []Entry) (map[string][]byte, error) {
	read := map[string][]byte{}
	for len(wanted) > 0 {
		a, err := s.client.ask(ctx, Request{Ask: Texts, Notes: wanted})
		if err != nil {
			return nil, err
		}
		var later []Entry
		for _, e := range a.Notes {
			switch {
			case store.Revision(e.Text) == e.Revision && len(e.Text) <= store.Limit:
				read[e.Revision] = e.Text
			case len(e.Text) == 0 && s.names[e.Revision] != "":
				later = append(later, Entry{Name: e.Name, Revision: e.Revision})
			default:
				return nil, errors.ServerOdd(s.o.At.URL, "a text is not that of its revision")
			}
		}
		if len(later) >= len(wanted) {
			return nil, errors.ServerOdd(s.o.At.URL, "it lists texts that it does not send")
		}
		wanted = later
	}
	return read, nil
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
	texts, err := s.o.Code.ReadTexts(ctx, slices.Concat(slices.Collect(maps.Values(blobs))...))
	if err != nil {
		return nil, err
	}
	for _, list := range blobs {
		for i, blob := range list {
			list[i] = s.ID(texts[blob])
			s.texts[list[i]] = texts[blob]
		}
	}
	return blobs, nil
}
