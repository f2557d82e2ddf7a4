package blue

import (
	"context"
	"slices"
	"strings"

	"blue/blue/internal/catalog"
	"blue/blue/internal/draft"
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
	alike, err := p.findAlikeBesideDatabase(ctx, n, d.Private)
	if err != nil {
		return w, err
	}
	err = p.write(ctx, "write", func(held Writer) (err error) {
		w, err = p.writeHeld(ctx, held, n, d)
		return err
	})
	if similar, related := alike(); w.Created && p.hosted != nil {
		isNew := func(id string) bool { return id == w.ID }
		w.Similar, w.Related.Related = slices.DeleteFunc(similar, isNew), slices.DeleteFunc(related.Related, isNew)
	}
	w.Warnings = append(w.Warnings, warnings...)
	if d.Private && w.Created {
		w.Warnings = append(w.Warnings, p.warnOfLoss(ctx)...)
	}
	return w, err
}

// findAlikeBesideDatabase is [Project.findAlikeBeside] for a hosted project, while the
// database writes. Of files, [Project.createNote] knows better when to look.
func (p *Project) findAlikeBesideDatabase(ctx context.Context, n note.Text, private bool) (found func() ([]string, reply.Related), err error) {
	if p.hosted == nil {
		return func() (similar []string, related reply.Related) { return nil, reply.Related{} }, nil
	}
	if err := p.refresh(ctx); err != nil {
		return nil, err
	}
	return p.findAlikeBeside(n, private), nil
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
	if name, revision, err := p.findNewPrivate(n, d); err != nil || name != "" {
		return w.PlacedAt(name, revision), err
	}
	alike := func() ([]string, reply.Related) { return []string{}, reply.Related{} }
	if p.hosted == nil {
		alike = p.findAlikeBeside(n, d.Private)
	}
	defer alike()
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
		p.indexWhileWriting(held, name, data, func() { alike() }) // which finds more while the note is not there
		saved, err := held.Create(name, data)
		if errors.Is(err, errors.Exists) {
			continue
		}
		if err != nil {
			return w, err
		}
		w = w.PlacedAt(name, saved.Revision)
		w.Created, w.Durable = true, saved.Durable
		w.Similar, w.Related = alike()
		return w, nil
	}
	return w, errors.E(errors.Exists, "every id of %q is taken", n.Title).Hint("", "", "choose another title")
}

// findNewPrivate finds the same text among the first private notes of a subject in a hosted
// project, when they were made since the call began: the index of the call has none.
func (p *Project) findNewPrivate(n note.Text, d Draft) (name, revision string, err error) {
	if p.hosted == nil || !d.Private || d.Key != "" { // a key is known by the name that it makes
		return "", "", nil
	}
	names, err := p.hosted.Notes.NewPrivate()
	for _, name := range names {
		data, revision, err := p.store.Read(name)
		if err != nil {
			return "", "", err
		}
		if there := note.ParseText(name, data); there.Type == n.Type && there.Title == n.Title && strings.TrimSpace(there.Body) == strings.TrimSpace(n.Body) {
			return name, revision, nil
		}
	}
	return "", "", err
}
