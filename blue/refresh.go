package blue

import (
	"bytes"
	"context"
	"time"

	"blue/blue/internal/catalog"
	"blue/blue/internal/follow"
	"blue/blue/internal/index"
	"blue/blue/internal/reply"
	"blue/errors"
)

// How long a call that a client waits for waits for notes that are being read: most clients
// give a call 30 s.
const (
	readPatience  = 5 * time.Second
	writePatience = 20 * time.Second // of one that needs all of them
)

// refresh brings the index in line with the files, so that every change made before
// the call, by whatever program, is seen by the call. Where that takes long a call that a
// client waits for goes on with what has been read, and its reply says so.
func (p *Project) refresh(ctx context.Context) error {
	err := p.refreshFor(ctx, readPatience)
	if p.behind = ""; err == follow.ErrGoesOn && p.isServed() && ctx.Err() == nil {
		p.behind = p.describeReading()
		return nil
	}
	return p.explainWait(ctx, err)
}

// refreshWhole is [Project.refresh] for a call that needs all notes. It fails when they are
// not all read in time.
func (p *Project) refreshWhole(ctx context.Context) error {
	return p.explainWait(ctx, p.refreshFor(ctx, writePatience))
}

func (p *Project) refreshFor(ctx context.Context, patience time.Duration) error {
	if p.isServed() {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, patience)
		defer cancel()
	}
	return p.refreshIndex(ctx, false, catalog.Document)
}

func (p *Project) describeReading() string {
	return reply.DescribeReading("notes", p.reading.Done.Load(), p.reading.Total.Load())
}

// explainWait is the failure of a call that has stopped waiting for the notes.
func (p *Project) explainWait(ctx context.Context, err error) error {
	switch {
	case err != follow.ErrGoesOn:
		return err
	case ctx.Err() != nil:
		return ctx.Err()
	}
	return errors.StillReading(p.describeReading())
}

// isServed reports whether the process lives on when the call has been answered.
func (p *Project) isServed() bool { return p.client != "" || p.call.Serving }

// refreshIndex brings the index in line, with the documents that entry makes. With now, files
// are looked at even where docs/search.md lets a listing be put off.
func (p *Project) refreshIndex(ctx context.Context, now bool, entry catalog.MakeDocument) error {
	if p.hosted != nil {
		p.mu.Lock()
		defer p.mu.Unlock()
		return p.followDatabase()
	}
	p.index.Mend(func() {
		ctx, cancel := context.WithTimeout(context.Background(), writePatience)
		defer cancel()
		_ = p.refreshIndex(ctx, true, catalog.Document)
	})
	return p.reading.Run(ctx, func(ctx context.Context) error { return p.followFiles(ctx, now, entry) })
}

// followFiles is the work of [Project.refreshIndex], which may outlive the call.
func (p *Project) followFiles(ctx context.Context, now bool, entry catalog.MakeDocument) error {
	var unknown unknownNotes
	notes := p.follow(p.collectUnknown(&unknown, entry))
	err := follow.UntilIntact(func() error {
		touched, all := p.index.Changes(now, p.found.Notes.Dir(), "notes", "private")
		switch {
		case all:
			return notes.CompareAll(ctx, &p.reading)
		case len(touched) > 0:
			return notes.ReadTouched(touched)
		}
		return nil
	})
	p.recordTyped(&unknown)
	return err
}

// follow are the files and the index, which has the documents that entry makes.
func (p *Project) follow(entry catalog.MakeDocument) follow.Notes {
	return follow.Notes{Store: p.opened.store, Index: p.index.Index, Now: p.b.o.Now, Entry: entry, LeaveOut: p.left.LeaveOut}
}

// indexWhileWriting makes what follows from a note that is about to be written run beside
// the disk's work: its entry of the index is made while the file is flushed, and put in,
// like the line of the ledger, while the directory is. What is to come before that, before
// does; it may be nil. The note is this user's own when all of its text is.
func (p *Project) indexWhileWriting(held Writer, name string, data []byte, own bool, before func()) {
	if p.hosted != nil { // what is not committed stays out of the index
		return
	}
	ready := p.index.Prepare(func() (index.Document, error) { return catalog.Document(name, data) })
	held.WhenNamed(func(revision string) {
		p.recordWritten(name, revision, own)
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
	ctx, cancel := context.WithTimeout(context.Background(), readPatience)
	defer cancel()
	if err := p.refreshIndex(ctx, true, entry); err != nil {
		p.b.o.Log.Warn("index not brought in line", "project", p.found.Root, "err", err)
	}
}
