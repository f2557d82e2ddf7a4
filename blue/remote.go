package blue

import (
	"context"
	"os"
	"path/filepath"

	"blue/errors"
	"blue/marker"
)

// OnServer says which project of a server is meant, and whether what is written there is to
// stay.
type OnServer struct {
	URL, Project string
	Send         bool
}

// WorkOnServer calls a function with the notes that a project has on a server, as a project
// in a directory of its own. With Send it carries what the function has written back to the
// server. Nothing of it stays on this machine.
func (b *Blue) WorkOnServer(ctx context.Context, at OnServer, do func(p *Project) error) error {
	cache := b.Directory("cache")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(cache, "server-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what is left is in the cache, and the user's alone
	o := b.o
	o.Cache, o.State, o.Data = filepath.Join(dir, "cache"), filepath.Join(dir, "state"), ""
	apart := New(o)
	defer apart.Close()
	p, err := apart.openFresh(ctx, filepath.Join(dir, "project"), at.Project)
	if err != nil {
		return err
	}
	p.ShownAt(at.URL)
	p.Found.ID = at.URL + " " + at.Project // by which an import names notes: alike on each machine
	how := Syncing{Remote: at.URL, Project: at.Project, NoPush: true}
	if _, err := p.Sync(ctx, how); err != nil {
		return err
	}
	if err := do(p); err != nil || !at.Send {
		return err
	}
	how.NoPush = false
	s, err := p.Sync(ctx, how)
	if err == nil && len(s.Withheld) > 0 {
		err = errors.E(errors.SecretDetected, "%d notes did not reach the server; %s: %s",
			len(s.Withheld), errors.Quote(s.Withheld[0].ID), errors.Reason(s.Withheld[0].Why)).
			Hint("", "", "the others did; mend these where they come from, and run the same again")
	}
	return err
}

// openFresh makes a directory that is a project, and opens it.
func (b *Blue) openFresh(ctx context.Context, root, name string) (*Project, error) {
	if err := os.Mkdir(root, 0o700); err != nil {
		return nil, err
	}
	i, err := b.Init(ctx, NewProject{Dir: root, Name: name, Own: true})
	if err != nil {
		return nil, err
	}
	at := marker.NotebookOf(marker.Found{Address: i.Project.Address})
	if err = marker.MakeNotebook(at); err == nil {
		err = marker.UseNotebook(at, i.Project.ID)
	}
	if err != nil {
		return nil, err
	}
	return b.Open(ctx, Call{From: candidate(marker.Argument, root), Cwd: root, Door: marker.Door{Terminal: true}})
}

// SetSync says how the notes of the project travel from now on: in a notebook that is carried by
// Sync, or with the code. It says what a person has to do for it in git. The notes of others
// come with the first sync.
func (p *Project) SetSync(ctx context.Context, on bool, o Syncing) (s SyncStatus, err error) {
	switched, err := p.Switch(ctx, on)
	if err != nil {
		return s, err
	}
	if switched {
		if p, err = p.b.openProject(marker.Again(p.Found), p.Call); err != nil {
			return s, err
		}
	}
	return p.StartSync(ctx, on, o)
}
