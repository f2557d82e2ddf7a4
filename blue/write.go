package blue

import (
	"context"
	"slices"

	"blue/blue/internal/catalog"
	"blue/blue/internal/draft"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/write"
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
		if err := p.refreshWhole(ctx); err != nil {
			return err
		}
		w, err = p.steps(held).Write(n, d)
		return err
	})
	if alike := alike(); w.Created && p.hosted != nil {
		isNew := func(id string) bool { return id == w.ID }
		w.Alike, w.Similar, w.Related.Related = alike, slices.DeleteFunc(alike.Similar, isNew), slices.DeleteFunc(alike.Related.Related, isNew)
	}
	if err == nil && !w.Created {
		p.describeExisting(&w)
	}
	p.showPath(&w.Path)
	if w.Created {
		p.recordCited(&n.Supersedes, &n.Body)
	}
	w.Warnings = append(w.Warnings, warnings...)
	if d.Private && w.Created {
		w.Warnings = append(w.Warnings, p.warnOfLoss(ctx)...)
	}
	return w, err
}

// findAlikeBesideDatabase is [Project.findAlikeBeside] for a hosted project, while the
// database writes. Of files, [write.Steps] knows better when to look.
func (p *Project) findAlikeBesideDatabase(ctx context.Context, n note.Text, private bool) (found write.Alike, err error) {
	if p.hosted == nil {
		return func() (none reply.Alike) { return none }, nil
	}
	if err := p.refreshWhole(ctx); err != nil {
		return nil, err
	}
	return p.findAlikeBeside(n, private), nil
}

// warnOfLoss says what git would delete with the linked worktree that the project lies in.
func (p *Project) warnOfLoss(ctx context.Context) []string {
	if p.hosted != nil {
		return nil
	}
	if loss := p.replica().WorktreeLoss(ctx); loss != "" {
		return []string{loss}
	}
	return nil
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

// steps are those of a write in this project.
func (p *Project) steps(held Writer) write.Steps {
	s := write.Steps{
		Notes: p.index, Store: p.store, Held: held, Project: p.found.ID, Writer: p.writer(), Now: p.b.o.Now, About: p.About,
		Find: p.findNote, File: p.findSuperseded, Word: p.trimPath, Cited: p.citedFiles, Followed: p.followedFiles,
		IsOwn: p.isOwn, Record: p.recordWritten, Index: func() { p.indexWritten(catalog.Document) },
		Prepare: func(name string, data []byte, own bool, before func()) {
			p.indexWhileWriting(held, name, data, own, before)
		},
	}
	if p.hosted == nil {
		s.Alike = p.findAlikeBeside
	} else {
		s.NewPrivate = p.hosted.Notes.NewPrivate
	}
	return s
}
