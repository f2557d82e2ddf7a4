package blue

import (
	"context"
	"slices"
	"strings"

	"blue/blue/internal/catalog"
	"blue/blue/internal/draft"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/storage"
	"blue/errors"
)

// Draft is a note to be written.
type Draft = draft.Draft

// Written is the answer to a write.
type Written = reply.Written

// Write adds a note. The same draft, by its key or by type, title and body, makes
// one note however often it is sent.
func (p *Project) Write(ctx context.Context, d Draft) (w Written, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return w, err
	}
	n, warnings, err := p.prepareNote(d)
	if err != nil {
		return w, err
	}
	err = p.write(ctx, "write", func(held Writer) (err error) {
		w, err = p.writeHeld(ctx, held, n, d)
		return err
	})
	w.Warnings = append(w.Warnings, warnings...)
	if d.Private && w.Created {
		w.Warnings = append(w.Warnings, p.warnOfLoss(ctx)...)
	}
	return w, err
}

// warnOfLoss says what git would delete with the linked worktree that the project lies in.
func (p *Project) warnOfLoss(ctx context.Context) []string {
	if p.hosted != nil {
		return nil
	}
	if loss := p.carried().Loss(ctx); loss != "" {
		return []string{loss}
	}
	return nil
}

// writeHeld does the work under the lock.
func (p *Project) writeHeld(ctx context.Context, held Writer, n note.Text, d Draft) (w Written, err error) {
	if err := p.refresh(ctx); err != nil {
		return w, err
	}
	older, err := p.findSuperseded(n.Supersedes, note.FileOf("", d.Private))
	if err != nil {
		return w, err
	}
	for i, row := range older {
		n.Supersedes[i] = row.ID // whole
	}
	if err := n.RenderFront(); err != nil {
		return w, err
	}
	w, err = p.createNote(held, n, d)
	if err != nil {
		return w, err
	}
	supersedes := n.Supersedes
	if !w.Created { // a note that was there already supersedes what it says
		row, _ := p.index.Row(strings.TrimPrefix(w.Path, ".blue/"))
		supersedes = catalog.ExtraOf(row).Supersedes
	}
	durable, err := p.markSuperseded(held, supersedes)
	w.Durable = w.Durable && durable
	return w, err
}

// prepareNote makes the note of a draft; nothing is touched.
func (p *Project) prepareNote(d Draft) (n note.Text, warnings []string, err error) {
	if n, err = d.Note(p.b.o.Now(), p.writer()); err != nil {
		return n, nil, err
	}
	if n.Type == note.TypeCheckpoint {
		n.Branch = p.Branch()
	}
	n.Files, warnings, err = p.citedFiles().Cite(d.Files)
	return n, warnings, err
}

// createNote finds the note if it is there, else makes it.
func (p *Project) createNote(held Writer, n note.Text, d Draft) (Written, error) {
	w := Written{About: p.About(), Durable: true, Similar: []string{}}
	rows := p.index.OfText(note.ScopeOf(note.FileOf("", d.Private)), n)
	if d.Key != "" {
		rows = p.index.OfRequest(n.Request)
	}
	if len(rows) > 0 {
		w.Durable = held.Confirm(rows[0].Name, "")
		return w.PlacedAt(rows[0].Name, rows[0].Revision), nil
	}
	var similar []string
	var related reply.Related
	compared := index.Beside(func() {
		similar, related = p.findAlike(index.Row{Name: note.FileOf("", d.Private), Title: n.Title}, n.Body)
	})
	defer compared()
	if p.hosted != nil { // nothing of a write in a database runs beside it
		compared()
	}
	for suffix := range note.IDSuffixes(p.found.ID, d.Key) {
		name := note.FileOf(note.MakeSlug(n.Title)+"-"+suffix, d.Private)
		if d.Key != "" {
			if revision, trashed, ok := storage.WasMadeOf(p.store, name, n); ok {
				w = w.PlacedAt(name, revision)
				w.Trashed, w.Durable = trashed != "", held.Confirm(name, trashed)
				return w, nil
			}
		}
		data := n.Bytes()
		p.indexWhileWriting(held, name, data, compared) // which finds more while the note is not there
		saved, err := held.Create(name, data)
		if errors.Is(err, errors.Exists) {
			continue
		}
		if err != nil {
			return w, err
		}
		w = w.PlacedAt(name, saved.Revision)
		w.Created, w.Durable = true, saved.Durable
		compared()
		w.Similar = similar
		w.Related.Related = slices.DeleteFunc(related.Related, func(id string) bool { return slices.Contains(n.Supersedes, id) })
		return w, nil
	}
	return w, errors.E(errors.Exists, "every id of %q is taken", n.Title).Hint("", "", "choose another title")
}
