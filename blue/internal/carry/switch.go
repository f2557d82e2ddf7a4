package carry

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"blue/blue/internal/atomicfile"
	"blue/blue/internal/ref"
	"blue/blue/internal/store"
	"blue/marker"
)

// Switch moves the notes of a project into its notebook, or out of it. Stopped at whatever step,
// it goes on with [Resume].
func Switch(ctx context.Context, found marker.Found, spare string, in bool) error {
	at := marker.NotebookOf(found)
	if err := marker.MakeNotebook(at); err != nil {
		return err
	}
	return inBoth(ctx, found, at, func(p places) error {
		if err := marker.BeginSwitch(at, in); err != nil {
			return err
		}
		return p.move(found, at, spare, in)
	})
}

// Resume finishes a switch that was stopped, and reports whether there was one.
func Resume(ctx context.Context, found marker.Found, spare string) (was bool, err error) {
	at := marker.NotebookOf(found)
	if _, was = marker.Switching(at); !was {
		return false, nil
	}
	return true, inBoth(ctx, found, at, func(p places) error {
		in, still := marker.Switching(at)
		if !still {
			return nil // another process has finished it
		}
		return p.move(found, at, spare, in)
	})
}

// places are where the notes of a project lie with the code, and as a notebook.
type places struct{ code, notebook *store.Held }

// inBoth calls do with the locks of both places.
func inBoth(ctx context.Context, found marker.Found, at marker.Place, do func(places) error) error {
	var held [2]*store.Held
	for i, place := range []marker.Place{{Root: found.Root, Below: marker.Name}, at} {
		s, err := store.Open(place.Root, place.Below)
		if err != nil {
			return err
		}
		defer s.Close()
		if held[i], err = s.Lock(ctx); err != nil {
			return err
		}
		defer held[i].Unlock()
	}
	return do(places{held[0], held[1]})
}

// move makes the steps of a switch, each of which may have been made already.
func (p places) move(found marker.Found, at marker.Place, spare string, in bool) error {
	if !in {
		err := p.notebook.MoveAll(p.code)
		if err == nil {
			err = marker.SetCarry(found.Root, "notes", "")
		}
		if err == nil {
			err = marker.LeaveNotebook(at)
		}
		if err == nil {
			err = store.RemoveSpares(spare)
		}
		if err != nil {
			return err
		}
		return marker.EndSwitch(at)
	}
	err := p.code.MoveAll(p.notebook)
	if err == nil {
		err = marker.SetCarry(found.Root, "notes", string(marker.Notebook))
	}
	if err == nil {
		err = fillSpare(found, at, spare)
	}
	if err == nil {
		err = marker.UseNotebook(at, found.ID)
	}
	if err != nil {
		return err
	}
	return marker.EndSwitch(at)
}

// fillSpare copies the notes that nobody else has yet, and says for which notebook.
func fillSpare(found marker.Found, at marker.Place, spare string) error {
	s, err := store.Open(at.Root, at.Below)
	if err != nil {
		return err
	}
	defer s.Close()
	s.Spare = spare
	for f, err := range s.Files(context.Background()) {
		if err != nil || f.Problem != "" {
			continue // a check names it
		}
		if err := s.PutSpare(f.Name); err != nil {
			return err
		}
	}
	found.Notes = at
	return Remember(found, spare)
}

// rememberFile says in the spare directory which notebook this machine has, and of which project.
const rememberFile = "format"

// Remember keeps outside the notebook that it is in use, so that a notebook which git clean has
// removed is missed.
func Remember(found marker.Found, spare string) error {
	path, text := filepath.Join(spare, rememberFile), found.Notes.Dir()+"\n"+found.ID+"\n"
	if is, err := os.ReadFile(path); err == nil && string(is) == text {
		return nil
	}
	return atomicfile.File{Path: path}.Replace([]byte(text))
}

// RememberedID is the id of the project whose notebook was in use, empty where that is not known.
func RememberedID(spare string) string {
	text, _ := os.ReadFile(filepath.Join(spare, rememberFile)) // without it there was none
	_, id, _ := strings.Cut(string(text), "\n")
	return strings.TrimSpace(id)
}

// Restore makes a notebook anew that git clean has removed, with the notes that only this machine
// had. It reports whether the notebook had been filled, so that the others are to come back too.
func Restore(ctx context.Context, at marker.Place, spare string) (filled bool, err error) {
	if _, missing := os.Lstat(spare); missing != nil || marker.IsNotebook(at) {
		return false, nil
	}
	if err := marker.MakeNotebook(at); err != nil {
		return false, err
	}
	s, err := store.Open(at.Root, at.Below)
	if err != nil {
		return false, err
	}
	defer s.Close()
	held, err := s.Lock(ctx)
	if err != nil {
		return false, err
	}
	defer held.Unlock()
	if err := held.TakeSpares(spare); err != nil {
		return false, err
	}
	_, missing := os.Lstat(filepath.Join(spare, rememberFile))
	return missing == nil, nil
}

// BringBack writes the notes again that the notebook lacks of what it was last in line with.
func (c *Copy) BringBack(ctx context.Context) error {
	if c.server().URL == "" {
		x, done, err := c.openExchange(ctx, c.loadState(), Syncing{offline: true, NoPush: true})
		if err == nil {
			_, err = x.Run(ctx)
			done()
		}
		if err != nil { // the next sync does it
			c.Log.Warn("notes not brought back", "project", c.Found.Root, "err", err)
			return nil
		}
		c.Written()
		return c.fill()
	}
	return nil
}

// NextSteps are what a person has to do in git once the notes travel another way.
func NextSteps(ctx context.Context, found marker.Found, env func(string) string, on bool) []string {
	if !on {
		return []string{"git add .blue && git commit: the notes are in the code's commits again; blue sync --off in each other clone"}
	}
	steps := []string{"git add .blue && git commit, so that others do the same: they pull, and run blue sync"}
	if repo, err := ref.Open(ctx, found.Root, env); err != nil || repo.CountTracked(ctx, filepath.Join(marker.Name, "notes")) == 0 {
		steps[0] = "commit .blue/project.yaml and .blue/.gitignore, so that others do the same: they pull, and run blue sync"
	}
	return steps
}
