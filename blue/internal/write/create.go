package write

import (
	"strings"

	"blue/blue/internal/catalog"
	"blue/blue/internal/draft"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/storage"
	"blue/errors"
)

// Write makes a note of a draft.
func (s Steps) Write(n note.Text, d draft.Draft) (w reply.Written, err error) {
	if n.Supersedes, err = s.findSuperseded(n.Supersedes, note.FileOf("", d.Private)); err != nil {
		return w, err
	}
	if err := n.RenderFront(); err != nil {
		return w, err
	}
	w, err = s.create(n, d)
	if err != nil {
		return w, err
	}
	supersedes := n.Supersedes
	if !w.Created { // a note that was there already supersedes what it says
		row, _ := s.Notes.Row(strings.TrimPrefix(w.Path, ".blue/"))
		supersedes = catalog.ExtraOf(row).Supersedes
	}
	durable, err := s.MarkSuperseded(supersedes)
	w.Durable = w.Durable && durable
	return w, err
}

// create finds the note if it is there, else makes it.
func (s Steps) create(n note.Text, d draft.Draft) (reply.Written, error) {
	w := reply.Written{About: s.About(), Durable: true, Alike: reply.Alike{Similar: []string{}}}
	rows := s.Notes.OfText(note.ScopeOf(note.FileOf("", d.Private)), n)
	if d.Key != "" {
		rows = s.Notes.OfRequest(n.Request)
	}
	if len(rows) > 0 {
		w.Durable = s.Held.Confirm(rows[0].Name, "")
		return w.PlacedAt(rows[0].Name, rows[0].Revision), nil
	}
	if name, revision, err := s.findNewPrivate(n, d); err != nil || name != "" {
		return w.PlacedAt(name, revision), err
	}
	alike := func() reply.Alike { return w.Alike }
	if s.Alike != nil {
		alike = s.Alike(n, d.Private)
	}
	defer alike()
	for suffix := range note.IDSuffixes(s.Project, d.Key) {
		name := note.FileOf(note.MakeSlug(n.Title)+"-"+suffix, d.Private)
		if d.Key != "" {
			if revision, trashed, ok := storage.WasMadeOf(s.Store, name, n); ok {
				w = w.PlacedAt(name, revision)
				w.Trashed, w.Durable = trashed != "", s.Held.Confirm(name, trashed)
				return w, nil
			}
		}
		data := n.Bytes()
		s.Prepare(name, data, true, func() { alike() }) // which finds more while the note is not there
		saved, err := s.Held.Create(name, data)
		if errors.Is(err, errors.Exists) {
			continue
		}
		if err != nil {
			return w, err
		}
		w = w.PlacedAt(name, saved.Revision)
		w.Created, w.Durable = true, saved.Durable
		w.Alike = alike()
		return w, nil
	}
	return w, errors.E(errors.Exists, "every id of %q is taken", n.Title).Hint("", "", "choose another title")
}

// findNewPrivate finds the same text among the first private notes that the
// index of the call does not have yet.
func (s Steps) findNewPrivate(n note.Text, d draft.Draft) (name, revision string, err error) {
	if s.NewPrivate == nil || !d.Private || d.Key != "" { // a key is known by the name that it makes
		return "", "", nil
	}
	names, err := s.NewPrivate()
	for _, name := range names {
		data, revision, err := s.Store.Read(name)
		if err != nil {
			return "", "", err
		}
		if there := note.ParseText(name, data); there.Type == n.Type && there.Title == n.Title && strings.TrimSpace(there.Body) == strings.TrimSpace(n.Body) {
			return name, revision, nil
		}
	}
	return "", "", err
}
