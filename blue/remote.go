package blue

import (
	"context"
	"os"
	"path/filepath"

	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// OnServer names a project on a server. If Send is set, what is written there is sent back.
type OnServer struct {
	URL, Project string
	Send         bool
}

// WorkOnServer calls do with the notes of a project on a server, in a temporary directory. If
// Send is set, it sends back what do has written.
func (b *Blue) WorkOnServer(ctx context.Context, at OnServer, do func(p *Project) error) error {
	cache := b.Directory("cache")
	if err := os.MkdirAll(cache, 0o700); err != nil {
		return err
	}
	dir, err := os.MkdirTemp(cache, "server-")
	if err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(dir) }() // what remains is in the cache of the user
	o := b.o
	o.Cache, o.State, o.Data = filepath.Join(dir, "cache"), filepath.Join(dir, "state"), ""
	apart := New(o)
	defer apart.Close()
	p, err := apart.openFresh(ctx, filepath.Join(dir, "project"), at.Project)
	if err != nil {
		return err
	}
	p.ShownAt(at.URL)
	p.Found.ID = at.URL + " " + at.Project // imports name notes by it: alike on each machine
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

// openFresh makes a directory a project and opens it.
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

// SetSync chooses whether the notes travel in a notebook that Sync transfers or with the code,
// and returns what a person must do in git. The notes of others come with the first sync.
func (p *Project) SetSync(ctx context.Context, on bool, o Syncing) (s result.SyncStatus, err error) {
	if on {
		if err := p.CheckSync(o); err != nil {
			return s, err
		}
		if p.Found.ID == p.Found.Root {
			if p, err = p.withID(); err != nil {
				return s, err
			}
		}
	}
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

// withID gives the project an id, which stays the same on each machine, and opens it again. It
// remains trusted.
func (p *Project) withID() (*Project, error) {
	found := p.Found
	var err error
	if found.ID, err = marker.WriteID(found.Root); err != nil {
		return nil, err
	}
	if p.Trusted() {
		if _, err := p.b.TrustProject(found); err != nil {
			return nil, err
		}
	}
	return p.b.openProject(found, p.Call)
}
