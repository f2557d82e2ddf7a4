package blue

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue/internal/carry"
	"blue/blue/internal/catalog"
	"blue/blue/internal/remote"
	"blue/blue/internal/reply"
	"blue/blue/token"
	"blue/errors"
	"blue/marker"
)

// Synced is the answer to a sync.
type Synced = reply.Synced

// SyncStatus says how the notes here stand to those of others.
type SyncStatus = reply.SyncStatus

// Syncing says how to sync.
type Syncing = carry.Syncing

// Sync carries notes: those of others come here, those of here go to them.
func (p *Project) Sync(ctx context.Context, o Syncing) (s Synced, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return s, err
	}
	if o.Branch != "" {
		if p.found.Carry.Ref = "refs/heads/" + o.Branch; !marker.IsCarryRef(p.found.Carry.Ref) {
			return s, errors.BadRef(o.Branch)
		}
		defer func() {
			if err == nil {
				err = marker.SetCarry(p.found.Root, "ref", p.found.Carry.Ref)
			}
		}()
	}
	if p.found.Notebook { // what a writer that was stopped has left is finished first
		if err := p.write(ctx, "sync", func(Writer) error { return nil }); err != nil {
			return s, err
		}
	}
	c := p.carried()
	s, err = c.Sync(ctx, o)
	p.found = c.Found
	if err == nil {
		made := s.Conflicts // of notes that are too large to take the mark of one, too
		s.Conflicts = append([]Clash{}, p.index.Conflicts("")...)
		for _, c := range made {
			if !slices.Contains(s.Conflicts, c) {
				s.Conflicts = append(s.Conflicts, c)
			}
		}
		s.Leftovers, s.Differing, _ = p.carried().Leftovers(ctx)
	}
	s.About = p.About()
	return s, err
}

// carried is the copy of the notes that travels.
func (p *Project) carried() *carry.Copy {
	return &carry.Copy{
		Found: p.found, Store: p.opened.store, Notes: p.index, State: p.b.syncFile(p.found), User: p.b.o.User, Env: p.b.o.Env, Now: p.b.o.Now, Log: p.b.o.Log,
		Lock: p.lockNotes, Arrived: p.arrived, Stamp: p.Stamp, Written: func() { p.indexWritten(catalog.Document) }, Token: p.b.serverToken,
	}
}

// inNotebook returns where a project is found once its notebook is whole: a switch that was
// stopped is finished, and a notebook that git clean has removed is made again.
func (b *Blue) inNotebook(found marker.Found) (now marker.Found, restored bool, err error) {
	at := marker.NotebookOf(found)
	ctx := context.Background()
	switched, err := carry.Resume(ctx, found, b.spareDir(at))
	if err == nil && !found.Fetched {
		restored, err = carry.Restore(ctx, at, b.spareDir(at))
	}
	if err != nil || !switched && !restored {
		return found, false, err
	}
	if restored { // whatever commit is checked out
		found.ID = cmp.Or(carry.RememberedID(b.spareDir(at)), found.ID)
		if err := marker.UseNotebook(at, found.ID); err != nil {
			return found, false, err
		}
	}
	return marker.Again(found), restored, nil
}

// spareDir is the directory of the spare copies of what only this machine has of a notebook.
func (b *Blue) spareDir(at marker.Place) string {
	return filepath.Join(b.Directory("state"), "notebook", rootKey("", at.Dir()))
}

// SyncStatus asks the remote, and counts what a sync would carry.
func (p *Project) SyncStatus(ctx context.Context) (s SyncStatus, err error) {
	defer p.NameProject(&err)
	s, err = p.carried().Status(ctx)
	s.About = p.About()
	return s, err
}

// SetSync says how the notes of the project travel from now on: in a notebook that is carried by
// [Project.Sync], or with the code. It says what a person has to do for it in git. The notes of
// others come with the first sync.
func (p *Project) SetSync(ctx context.Context, on bool, o Syncing) (s SyncStatus, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return s, err
	}
	if on != p.found.Notebook || on && p.found.Carry.Mode != marker.Notebook {
		if err := p.write(ctx, "sync", func(Writer) error { return nil }); err != nil { // which finishes what was stopped
			return s, err
		}
		if err := carry.Switch(ctx, p.found, p.b.spareDir(marker.NotebookOf(p.found)), on); err != nil {
			return s, err
		}
		again, err := p.b.openProject(marker.Again(p.found), p.call)
		if err != nil {
			return s, err
		}
		p = again
	}
	s = SyncStatus{Mode: "code", Next: carry.NextSteps(ctx, p.found, p.b.o.Env, on)}
	if on {
		if _, err = p.Sync(ctx, o); err == nil {
			next := s.Next
			s = *p.carried().Known()
			s.Next = next
		}
	}
	s.About = p.About()
	return s, err
}

// Adopt takes the notes of older commits, which a checkout has put where notes lie with the code,
// into the notebook.
func (p *Project) Adopt(ctx context.Context) (a Adopted, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return a, err
	}
	a.About = p.About()
	a.Adopted, err = p.carried().Adopt(ctx)
	p.indexWritten(catalog.Document)
	return a, err
}

// Adopted is the answer to an adoption.
type Adopted = reply.Adopted

// SyncsSessions reports whether the hooks of clients are to carry the notes.
func (p *Project) SyncsSessions() bool { return p.found.Carry.Session }

// syncFile is where this machine keeps what it knows of the last sync of a notebook.
func (b *Blue) syncFile(found marker.Found) string {
	return filepath.Join(b.Directory("state"), "sync", rootKey(found.ID, found.Notes.Dir())+".json")
}

// serverToken reads the token by which the server of a host knows the user: the first of a
// file that has the name of the host, so that no other server is told of it.
func (b *Blue) serverToken(host string) (remote.Token, error) {
	t := remote.Token{File: filepath.Join(b.Directory("config"), "servers", strings.ReplaceAll(strings.ToLower(host), ":", "_"))}
	if _, err := os.Lstat(t.File); errors.Is(err, fs.ErrNotExist) {
		return t, nil // the server says whether it wants one
	}
	tokens, _, err := token.Read(t.File)
	if err == nil {
		t.Text = tokens[0]
	}
	return t, err
}
