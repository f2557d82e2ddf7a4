package blue

import (
	"bytes"
	"context"
	"math"
	"path/filepath"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/store"
	"blue/blue/internal/trust"
	"blue/errors"
	"blue/marker"
)

// This file is the one place that knows both the files and the index.

// tick is how long a file's times may stand still while its content changes. A
// file that was touched within it of being read is read again the next time.
const tick = 50 * time.Millisecond

// refresh brings the index in line with the files, so that every change made before
// the call, by whatever program, is seen by the call.
func (p *Project) refresh(ctx context.Context) error { return p.refreshIndex(ctx, false, makeDocument) }

// refreshIndex is [Project.refresh] with the documents that entry makes. With now, files
// are looked at even where docs/search.md lets a listing be put off.
func (p *Project) refreshIndex(ctx context.Context, now bool, entry entryFunc) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.index.Mend(func() { _ = p.refreshIndex(context.Background(), true, makeDocument) })
	for {
		touched, all := p.index.Changes(now, filepath.Join(p.found.Root, marker.Name), "notes", "private")
		err := error(nil)
		switch {
		case all:
			err = p.compareFiles(ctx, entry, func() {})
		case len(touched) > 0:
			err = p.updateTouched(touched, entry)
		}
		if !errors.Is(err, index.ErrDamaged) {
			return err
		}
	}
}

// compareFiles looks at every file. A file that cannot be read keeps no other from being
// seen. The function is called for each that is read.
func (p *Project) compareFiles(ctx context.Context, entry entryFunc, tell func()) error {
	texts := p.store.Texts()
	defer texts.Close()
	u := p.index.Update(true)
	defer u.Cancel()
	l := loader{p, u, texts, entry}
	for file, err := range p.store.Files(ctx) {
		if err != nil {
			if !p.leaveOut(file.Name, err) {
				return err
			}
			u.Doubt()
			continue
		}
		stamp := stampFile(file)
		if file.Problem != "" || u.Same(file.Name, stamp) {
			continue
		}
		u.Load(file.Name, file.Size, func() (index.Document, bool, error) {
			defer tell()
			return l.readDocument(file.Name, stamp)
		})
	}
	return u.Commit()
}

// updateTouched looks at the files that were touched.
func (p *Project) updateTouched(touched []index.Touched, entry entryFunc) error {
	texts := p.store.Texts()
	defer texts.Close()
	u := p.index.Update(false)
	defer u.Cancel()
	l := loader{p, u, texts, entry}
	for _, t := range touched {
		if t.Gone {
			u.Drop(t.Name)
			continue
		}
		u.Load(t.Name, t.Stamp.Size, func() (index.Document, bool, error) { return l.readDocument(t.Name, t.Stamp) })
	}
	return u.Commit()
}

// loader reads files for an update of the index.
type loader struct {
	p     *Project
	u     *index.Update
	texts *store.Texts
	entry entryFunc
}

// readDocument reads a file for the index; false when it went away meanwhile, is no note
// any more, or cannot be read: the next listing says why.
func (l loader) readDocument(name string, stamp index.Stamp) (index.Document, bool, error) {
	began := l.p.b.o.Now()
	data, err := l.texts.Read(name, stamp.Inode)
	if errors.Is(err, errors.NotFound) || errors.Is(err, errors.Invalid) || errors.Is(err, errors.TooLarge) {
		return index.Document{}, false, nil
	}
	if err != nil && l.p.leaveOut(name, err) {
		l.u.Doubt()
		return index.Document{}, false, nil
	}
	if err != nil {
		return index.Document{}, false, err
	}
	if latest := max(stamp.ModTime, stamp.ChangeTime); began.UnixNano()-latest < int64(tick) {
		stamp.Racy = true
	}
	d, err := l.entry(name, data)
	d.Stamp = stamp
	if d.Time.IsZero() {
		d.Time = time.Unix(0, stamp.ModTime).UTC()
	}
	return d, err == nil, err
}

// indexWhileWriting makes what follows from a note that is about to be written run beside
// the disk's work: its entry of the index is made while the file is flushed, and put in,
// like the line of the ledger, while the directory is.
func (p *Project) indexWhileWriting(held *store.Held, name string, data []byte) {
	ready := p.index.Prepare(func() (index.Document, error) { return makeDocument(name, data) })
	held.Named = func(revision string) {
		p.recordWritten(name, revision)
		p.indexWritten(func(read string, now []byte) (index.Document, error) {
			if read == name && bytes.Equal(now, data) {
				return ready()
			}
			return makeDocument(read, now)
		})
	}
}

func stampFile(f store.File) index.Stamp {
	return index.Stamp{Size: f.Size, ModTime: f.ModTime.UnixNano(), ChangeTime: f.ChangeTime.UnixNano(), Inode: f.Inode}
}

// indexWritten brings what this process has just written into the index.
func (p *Project) indexWritten(entry entryFunc) {
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

// allRows are all notes, by title or newest first.
func (p *Project) allRows(byTitle bool) []index.Row {
	rows, _ := p.index.List(index.Filter{}, byTitle, 0, math.MaxInt)
	return rows
}

// isLocal reports whether a note is one that this user's Blue wrote or that the user
// approved: others are shown when they are asked for alone.
func isLocal(origin string) bool { return origin == trust.Local }

// localNotes returns what tells notes of that origin from others.
func (p *Project) localNotes() func(index.Row) bool {
	origin := p.ledger.Origins()
	return func(row index.Row) bool { return isLocal(origin(row.Name, row.Revision)) }
}
