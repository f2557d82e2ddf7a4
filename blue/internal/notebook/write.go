package notebook

import (
	"context"
	"slices"
	"strings"

	"blue/blue/internal/note"
	"blue/blue/internal/result"
	"blue/errors"
)

// Write adds a note. The same draft, by its key or by type, title and body, makes
// one note however often it is sent.
func (nb *Notebook) Write(ctx context.Context, d Draft) (w result.Written, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return w, err
	}
	n, warnings, err := nb.prepareNote(d)
	if err != nil {
		return w, err
	}
	var alike func() result.Alike
	err = nb.Update(ctx, "write", func(tx *Tx) (err error) {
		w, err = tx.write(n, d)
		alike = tx.alike
		return err
	})
	if alike != nil {
		found := alike()
		if w.Created {
			isNew := func(id string) bool { return id == w.ID }
			found.Similar = slices.DeleteFunc(found.Similar, isNew)
			found.Related.Related = slices.DeleteFunc(found.Related.Related, isNew)
			w.Alike = found
		}
	}
	if err == nil && !w.Created {
		nb.describeExisting(&w)
	}
	nb.showPath(&w.Path)
	if w.Created {
		nb.recordCited(&n.Supersedes, &n.Body)
	}
	w.Warnings = append(w.Warnings, warnings...)
	if d.Private && w.Created {
		w.Warnings = append(w.Warnings, nb.Loss(ctx)...)
	}
	return w, err
}

// prepareNote makes the note of a draft; nothing is touched.
func (nb *Notebook) prepareNote(d Draft) (n note.Text, warnings []string, err error) {
	if n, err = d.Note(nb.o.Now(), nb.store.author()); err != nil {
		return n, nil, err
	}
	if n.Type == note.TypeCheckpoint {
		n.Branch = nb.Branch()
	}
	n.Files, warnings, err = nb.citedFiles().Cite(d.Files)
	return n, warnings, err
}

// write makes a note of a draft.
func (tx *Tx) write(n note.Text, d Draft) (w result.Written, err error) {
	if n.Supersedes, err = tx.findSuperseded(n.Supersedes, note.FileOf("", d.Private)); err != nil {
		return w, err
	}
	if err := n.RenderFront(); err != nil {
		return w, err
	}
	w, err = tx.findOrCreate(n, d)
	if err != nil {
		return w, err
	}
	supersedes := n.Supersedes
	if !w.Created { // a note that was there already supersedes what it says
		row, _ := tx.index.Row(strings.TrimPrefix(w.Path, ".blue/"))
		supersedes = ExtraOf(row).Supersedes
	}
	durable, err := tx.markSuperseded(supersedes)
	w.Durable = w.Durable && durable
	return w, err
}

// findOrCreate finds the note if it is there, else makes it.
func (tx *Tx) findOrCreate(n note.Text, d Draft) (result.Written, error) {
	w := result.Written{About: tx.About(), Durable: true, Alike: result.Alike{Similar: []string{}}}
	rows := tx.index.OfText(note.ScopeOf(note.FileOf("", d.Private)), n)
	if d.Key != "" {
		rows = tx.index.OfRequest(n.Request)
	}
	if len(rows) > 0 {
		w.Durable = tx.held.Confirm(rows[0].Name, "")
		return w.PlacedAt(rows[0].Name, rows[0].Revision), nil
	}
	if name, revision, err := tx.findNewPrivate(n, d); err != nil || name != "" {
		return w.PlacedAt(name, revision), err
	}
	tx.alike = tx.findAlikeBeside(n, d.Private)
	for suffix := range note.IDSuffixes(tx.Found.ID, d.Key) {
		name := note.FileOf(note.MakeSlug(n.Title)+"-"+suffix, d.Private)
		if d.Key != "" {
			if revision, trashed, ok := wasMadeOf(tx.store, name, n); ok {
				w = w.PlacedAt(name, revision)
				w.Trashed, w.Durable = trashed != "", tx.held.Confirm(name, trashed)
				return w, nil
			}
		}
		saved, err := tx.held.Create(name, n.Bytes())
		if errors.Is(err, errors.Exists) {
			continue
		}
		if err != nil {
			return w, err
		}
		if !tx.store.late() {
			tx.alike() // finds more while the index does not have the note
		}
		tx.enter(name, saved, true)
		w = w.PlacedAt(name, saved.Revision)
		w.Created, w.Durable = true, saved.Durable
		return w, nil
	}
	return w, errors.E(errors.Exists, "every id of %q is taken", n.Title).Hint("", "", "choose another title")
}

// findNewPrivate finds the same text among the first private notes that the
// index of the call does not have yet.
func (tx *Tx) findNewPrivate(n note.Text, d Draft) (name, revision string, err error) {
	if !d.Private || d.Key != "" { // a key is known by the name that it makes
		return "", "", nil
	}
	names, err := tx.store.NewPrivate()
	for _, name := range names {
		data, revision, err := tx.store.Read(name)
		if err != nil {
			return "", "", err
		}
		if there := note.ParseText(name, data); there.Type == n.Type && there.Title == n.Title && strings.TrimSpace(there.Body) == strings.TrimSpace(n.Body) {
			return name, revision, nil
		}
	}
	return "", "", err
}
