package notebook

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue/internal/notesync"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Sync merges the notes of others into the notebook, and pushes the result.
func (nb *Notebook) Sync(ctx context.Context, o notesync.Options) (s result.Synced, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return s, err
	}
	if o.Branch != "" {
		if nb.Found.Sync.Ref = "refs/heads/" + o.Branch; !marker.IsSyncRef(nb.Found.Sync.Ref) {
			return s, errors.E(errors.Invalid, "notes cannot travel on %s", errors.Quote(o.Branch)).
				Hint("", "", `give a branch such as "blue-notes", or a ref below refs/blue/`)
		}
		defer func() {
			if err == nil {
				err = marker.SetSyncKey(nb.Found.Root, "ref", nb.Found.Sync.Ref)
			}
		}()
	}
	if nb.Found.Notebook { // finish what a stopped writer has left
		if err := nb.update(ctx, "sync", func(*Tx) error { return nil }); err != nil {
			return s, err
		}
	}
	c := nb.replica()
	s, err = c.Sync(ctx, o)
	nb.Found = c.Found
	if err == nil {
		made := s.Conflicts // includes notes that are too large to be marked as in conflict
		s.Conflicts = append([]result.Clash{}, nb.index.Conflicts("")...)
		for _, c := range made {
			if !slices.Contains(s.Conflicts, c) {
				s.Conflicts = append(s.Conflicts, c)
			}
		}
		s.Leftovers, s.Differing, _ = c.Leftovers(ctx, true)
	}
	s.About = nb.About()
	return s, err
}

// replica returns the project's notebook for a sync.
func (nb *Notebook) replica() *notesync.Replica {
	return notesync.New(notesync.Config{
		Found: nb.Found, Store: nb.files, Notes: localNotes{nb.index, nb}, StateFile: nb.o.SyncFile(nb.Found), User: nb.o.User,
		Env: nb.o.Env, Now: nb.o.Now, Log: nb.o.Log,
	})
}

// localNotes gives a sync access to the notes of this machine.
type localNotes struct {
	Catalog
	nb *Notebook
}

func (l localNotes) Stamp(ctx context.Context) (string, error) { return l.nb.Stamp(ctx) }

func (l localNotes) Written() { l.nb.store.written() }

func (l localNotes) Lock(ctx context.Context) (*store.Held, error) {
	return files{l.nb.files, l.nb}.lock(ctx)
}

func (l localNotes) Token(host string) (notesync.Credential, error) { return l.nb.o.serverToken(host) }

// Recover completes an interrupted [Notebook.Switch], or restores a notebook that was removed from
// its backups. It returns where the project is found then. See [notesync.Recover].
func Recover(o *Options, found marker.Found) (now marker.Found, restored bool, err error) {
	at := marker.NotebookOf(found)
	return notesync.Recover(context.Background(), found, at, o.BackupDir(at))
}

// RestoreMissing fills a notebook that was restored.
func (nb *Notebook) RestoreMissing(ctx context.Context) error {
	replica := nb.replica()
	err := replica.RestoreMissing(ctx)
	nb.Found = replica.Found
	return err
}

// SyncStatus asks the remote, and counts what a sync would transfer.
func (nb *Notebook) SyncStatus(ctx context.Context) (s result.SyncStatus, err error) {
	defer nb.NameProject(&err)
	s, err = nb.replica().Status(ctx)
	s.About = nb.About()
	return s, err
}

// CheckSync returns the error of a sync that could not begin: the call may mean several projects, or
// the options cannot name where notes travel.
func (nb *Notebook) CheckSync(o notesync.Options) (err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return err
	}
	return nb.replica().CheckOptions(o)
}

// Switch makes the notes travel in a notebook that [Notebook.Sync] transfers, or with the code.
// It reports whether that is a change. After a change the project must be opened again.
func (nb *Notebook) Switch(ctx context.Context, on bool) (switched bool, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return false, err
	}
	if on == nb.Found.Notebook && (!on || nb.Found.Sync.Mode == marker.Notebook) {
		return false, nil
	}
	if err := nb.update(ctx, "sync", func(*Tx) error { return nil }); err != nil { // this finishes what was stopped
		return false, err
	}
	return true, notesync.Switch(ctx, nb.Found, nb.o.BackupDir(marker.NotebookOf(nb.Found)), on)
}

// StartSync makes the first sync, and returns what a person must do in git now that the notes
// travel in another way.
func (nb *Notebook) StartSync(ctx context.Context, on bool, o notesync.Options) (s result.SyncStatus, err error) {
	defer nb.NameProject(&err)
	s = result.SyncStatus{Mode: "code", Next: notesync.NextSteps(ctx, nb.Found.Root, on)}
	if on {
		var first result.Synced
		if first, err = nb.Sync(ctx, o); err == nil {
			next := s.Next
			s = *nb.replica().LocalStatus()
			s.Next, s.Remote = next, first.Remote
		}
	}
	s.About = nb.About()
	return s, err
}

// Adopt takes the notes of older commits, which a checkout has put next to the code, into the
// notebook.
func (nb *Notebook) Adopt(ctx context.Context) (a result.Adopted, err error) {
	defer nb.NameProject(&err)
	if err := nb.requireOneProject(); err != nil {
		return a, err
	}
	a.About = nb.About()
	a.Adopted, err = nb.replica().Adopt(ctx)
	nb.store.written()
	return a, err
}

// serverToken reads the token for the server of a host from a file named after the host, so
// that no other server learns the token.
func (o *Options) serverToken(host string) (notesync.Credential, error) {
	t := notesync.Credential{File: filepath.Join(o.Directory("config"), "servers", strings.ReplaceAll(strings.ToLower(host), ":", "_"))}
	if _, err := os.Lstat(t.File); errors.Is(err, fs.ErrNotExist) {
		return t, nil // the server says whether it wants one
	}
	tokens, _, err := ReadTokens(t.File)
	if err == nil {
		t.Text = tokens[0]
	}
	return t, err
}
