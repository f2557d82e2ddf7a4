package blue

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue/internal/catalog"
	"blue/blue/internal/notesync"
	"blue/blue/internal/reply"
	"blue/blue/token"
	"blue/errors"
	"blue/marker"
)

// Synced is the answer to a sync.
type Synced = reply.Synced

// SyncStatus says how the notes here stand to those of others.
type SyncStatus = reply.SyncStatus

// Syncing are the options of a sync.
type Syncing = notesync.Options

// Sync merges the notes of others into the notebook, and pushes the result.
func (p *Project) Sync(ctx context.Context, o Syncing) (s Synced, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return s, err
	}
	if o.Branch != "" {
		if p.found.Sync.Ref = "refs/heads/" + o.Branch; !marker.IsSyncRef(p.found.Sync.Ref) {
			return s, errors.BadRef(o.Branch)
		}
		defer func() {
			if err == nil {
				err = marker.SetSyncKey(p.found.Root, "ref", p.found.Sync.Ref)
			}
		}()
	}
	if p.found.Notebook { // finish what an interrupted writer has left
		if err := p.write(ctx, "sync", func(Writer) error { return nil }); err != nil {
			return s, err
		}
	}
	r := p.replica()
	s, err = r.Sync(ctx, o)
	p.found = r.Found
	if err == nil {
		made := s.Conflicts // the index lacks those of notes that are too large for the mark
		s.Conflicts = append([]Clash{}, p.index.Conflicts("")...)
		for _, c := range made {
			if !slices.Contains(s.Conflicts, c) {
				s.Conflicts = append(s.Conflicts, c)
			}
		}
		s.Leftovers, s.Differing, _ = r.Leftovers(ctx)
	}
	s.About = p.About()
	return s, err
}

// replica returns the notebook of the project for a sync.
func (p *Project) replica() *notesync.Replica {
	return notesync.New(notesync.Config{
		Found: p.found, Store: p.opened.store, Notes: p.index, StateFile: p.b.syncFile(p.found), User: p.b.o.User, Env: p.b.o.Env, Now: p.b.o.Now, Log: p.b.o.Log,
		Lock: p.lockNotes, Received: p.arrived, Refresh: p.Stamp, Written: func() { p.indexWritten(catalog.Document) }, Token: p.b.serverToken,
	})
}

// recoverNotebook returns where a project is found once its notebook is complete.
func (b *Blue) recoverNotebook(found marker.Found) (now marker.Found, restored bool, err error) {
	return notesync.Recover(context.Background(), found, b.backupDir(marker.NotebookOf(found)))
}

// backupDir is the directory for copies of the notes in a notebook that were not pushed yet.
func (b *Blue) backupDir(at marker.Place) string {
	return filepath.Join(b.Directory("state"), "notebook", rootKey("", at.Dir()))
}

// SyncStatus asks the remote, and counts what a sync would transfer.
func (p *Project) SyncStatus(ctx context.Context) (s SyncStatus, err error) {
	defer p.NameProject(&err)
	s, err = p.replica().Status(ctx)
	s.About = p.About()
	return s, err
}

// SetSync moves the notes of the project into a notebook that [Project.Sync] syncs, or back to the
// code, and returns what a person has to do in git. With on it syncs the notebook.
func (p *Project) SetSync(ctx context.Context, on bool, o Syncing) (s SyncStatus, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return s, err
	}
	if on != p.found.Notebook || on && p.found.Sync.Mode != marker.Notebook {
		if err := p.write(ctx, "sync", func(Writer) error { return nil }); err != nil { // finish what an interrupted writer has left
			return s, err
		}
		if err := notesync.Switch(ctx, p.found, p.b.backupDir(marker.NotebookOf(p.found)), on); err != nil {
			return s, err
		}
		again, err := p.b.openProject(marker.Again(p.found), p.call)
		if err != nil {
			return s, err
		}
		p = again
	}
	s = SyncStatus{Mode: "code", Next: notesync.NextSteps(ctx, p.found.Root, on)}
	if on {
		if _, err = p.Sync(ctx, o); err == nil {
			next := s.Next
			s = *p.replica().LocalStatus()
			s.Next = next
		}
	}
	s.About = p.About()
	return s, err
}

// Adopt adds the notes of older commits, which a checkout has put in the place of notes that travel
// with the code, to the notebook.
func (p *Project) Adopt(ctx context.Context) (a Adopted, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return a, err
	}
	a.About = p.About()
	a.Adopted, err = p.replica().Adopt(ctx)
	p.indexWritten(catalog.Document)
	return a, err
}

// Adopted is the answer to an adoption.
type Adopted = reply.Adopted

// SyncsSessions reports whether the hooks of clients sync the notes.
func (p *Project) SyncsSessions() bool { return p.found.Sync.Session }

// syncFile is the file of the state of the last sync of a notebook.
func (b *Blue) syncFile(found marker.Found) string {
	return filepath.Join(b.Directory("state"), "sync", rootKey(found.ID, found.Notes.Dir())+".json")
}

// serverToken reads the user's token for a server: the first in a file with the name of the host, so
// that no other server gets it.
func (b *Blue) serverToken(host string) (notesync.Token, error) {
	t := notesync.Token{File: filepath.Join(b.Directory("config"), "servers", strings.ReplaceAll(strings.ToLower(host), ":", "_"))}
	if _, err := os.Lstat(t.File); errors.Is(err, fs.ErrNotExist) {
		return t, nil // the server may not want one
	}
	tokens, _, err := token.Read(t.File)
	if err == nil {
		t.Text = tokens[0]
	}
	return t, err
}
