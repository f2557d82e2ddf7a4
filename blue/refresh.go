package blue

import (
	"bytes"
	"context"
	"path/filepath"

	"blue/blue/internal/catalog"
	"blue/blue/internal/follow"
	"blue/blue/internal/index"
	"blue/blue/internal/trust"
	"blue/blue/internal/typed"
	"blue/marker"
)

// refresh brings the index in line with the files, so that every change made before
// the call, by whatever program, is seen by the call.
func (p *Project) refresh(ctx context.Context) error {
	return p.refreshIndex(ctx, false, catalog.Document)
}

// refreshIndex is [Project.refresh] with the documents that entry makes. With now, files
// are looked at even where docs/search.md lets a listing be put off.
func (p *Project) refreshIndex(ctx context.Context, now bool, entry catalog.MakeDocument) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hosted != nil {
		return p.followDatabase()
	}
	p.index.Mend(func() { _ = p.refreshIndex(context.Background(), true, catalog.Document) })
	own := typed.Notes{Root: p.found.Root, Ledger: p.ledger, Travels: func() bool { return p.carried().Known() != nil }, Log: p.b.o.Log}
	notes := p.follow(own.Entry(entry))
	err := follow.UntilIntact(func() error {
		touched, all := p.index.Changes(now, filepath.Join(p.found.Root, marker.Name), "notes", "private")
		switch {
		case all:
			return notes.CompareAll(ctx)
		case len(touched) > 0:
			return notes.ReadTouched(touched)
		}
		return nil
	})
	own.Record()
	return err
}

// follow are the files and the index, which has the documents that entry makes.
func (p *Project) follow(entry catalog.MakeDocument) follow.Notes {
	return follow.Notes{Store: p.opened.store, Index: p.index.Index, Now: p.b.o.Now, Entry: entry, LeaveOut: p.left.LeaveOut}
}

// indexWhileWriting makes what follows from a note that is about to be written run beside
// the disk's work: its entry of the index is made while the file is flushed, and put in,
// like the line of the ledger, while the directory is. What is to come before that, before
// does; it may be nil.
func (p *Project) indexWhileWriting(held Writer, name string, data []byte, before func()) {
	if p.hosted != nil { // what is not committed stays out of the index
		return
	}
	ready := p.index.Prepare(func() (index.Document, error) { return catalog.Document(name, data) })
	held.WhenNamed(func(revision string) {
		p.recordWritten(name, revision)
		if before != nil {
			before()
		}
		p.indexWritten(func(read string, now []byte) (index.Document, error) {
			if read == name && bytes.Equal(now, data) {
				return ready()
			}
			return catalog.Document(read, now)
		})
	})
}

// indexWritten brings what this process has just written into the index.
func (p *Project) indexWritten(entry catalog.MakeDocument) {
	if p.hosted != nil {
		return
	}
	if err := p.refreshIndex(context.Background(), true, entry); err != nil {
		p.b.o.Log.Warn("index not brought in line", "project", p.found.Root, "err", err)
	}
}

// recordWritten enters in the ledger what this user's Blue has just written. It cannot
// fail the write: without the line the note is labelled as not reviewed.
func (p *Project) recordWritten(name, revision string) {
	if err := p.ledger.Record(name, revision); err != nil {
		p.b.o.Log.Warn("ledger not written", "project", p.found.Root, "err", err)
	}
}

// isLocal reports whether a revision of a note is one that this user's Blue wrote or that the
// user approved.
func (p *Project) isLocal(name, revision string) bool {
	return p.ledger.Origin(name, revision) == trust.Local
}
