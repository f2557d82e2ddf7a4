package carry

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"blue/blue/internal/exchange"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// journalFile in a notebook says that the notes are on their way into it, or out of it.
const journalFile = "switching"

// Switch moves the notes of a project into its notebook, or out of it. Stopped at whatever step,
// it goes on with [Resume].
func Switch(ctx context.Context, found marker.Found, spare string, on bool) error {
	at := marker.NotebookOf(found)
	if err := marker.MakeNotebook(at); err != nil {
		return err
	}
	held, close, err := lockAll(ctx, found, at)
	if err != nil {
		return err
	}
	defer close()
	word := "off\n"
	if on {
		word = "on\n"
	}
	if err := writeDurable(filepath.Join(at.Dir(), journalFile), word); err != nil {
		return errors.SaveFailed(journalFile, err)
	}
	return move(found, at, spare, held, on)
}

// Resume finishes a switch that was stopped. It reports whether there was one.
func Resume(ctx context.Context, found marker.Found, spare string) (bool, error) {
	at := marker.NotebookOf(found)
	journal := filepath.Join(at.Dir(), journalFile)
	if _, err := os.Lstat(journal); err != nil {
		return false, nil
	}
	held, close, err := lockAll(ctx, found, at)
	if err != nil {
		return false, err
	}
	defer close()
	word, err := os.ReadFile(journal)
	if err != nil {
		return true, nil // another process has finished it
	}
	return true, move(found, at, spare, held, strings.TrimSpace(string(word)) != "off")
}

// places are where the notes of a project lie with the code, and as a notebook.
type places struct{ code, notebook *store.Held }

// lockAll takes the locks of both places.
func lockAll(ctx context.Context, found marker.Found, at marker.Place) (p places, unlock func(), err error) {
	var opened []*store.Store
	unlock = func() {
		for _, held := range []*store.Held{p.code, p.notebook} {
			if held != nil {
				_ = held.Unlock()
			}
		}
		for _, s := range opened {
			_ = s.Close()
		}
	}
	for i, place := range []marker.Place{{Root: found.Root, Below: marker.Name}, at} {
		s, err := store.Open(place.Root, place.Below)
		if err == nil {
			opened = append(opened, s)
			var held *store.Held
			if held, err = s.Lock(ctx); i == 0 {
				p.code = held
			} else {
				p.notebook = held
			}
		}
		if err != nil {
			unlock()
			return p, nil, err
		}
	}
	return p, unlock, nil
}

// moved are the directories of the notes.
func moved() []string { return []string{"notes", "private", "history", "trash"} }

// move makes the steps of a switch, each of which may have been made already.
func move(found marker.Found, at marker.Place, spare string, held places, on bool) error {
	code := filepath.Join(found.Root, marker.Name)
	from, to, keep := code, at.Dir(), held.notebook
	value := string(marker.Notebook)
	if !on {
		from, to, keep, value = to, from, held.code, ""
	}
	for _, dir := range moved() {
		if err := moveDir(filepath.Join(from, dir), filepath.Join(to, dir), func(base string, data []byte) error {
			if dir != "notes" {
				return nil
			}
			return keep.Keep("notes/"+base, data)
		}); err != nil {
			return errors.SaveFailed(filepath.Join(filepath.Base(to), dir), err)
		}
	}
	flush(to)
	err := marker.SetCarry(found.Root, "notes", value)
	if err == nil && on {
		if err = fillSpare(at, spare); err == nil {
			err = marker.UseNotebook(at, found.ID)
		}
	} else if err == nil {
		err = marker.LeaveNotebook(at)
		_ = os.RemoveAll(spare)
	}
	if err != nil {
		return err
	}
	return os.Remove(filepath.Join(at.Dir(), journalFile))
}

// fillSpare copies the notes that nobody else has yet, and says for which notebook.
func fillSpare(at marker.Place, spare string) error {
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
	return Remember(at, spare)
}

// rememberFile says in the spare directory that this machine has the notebook.
const rememberFile = "format"

// Remember keeps outside the notebook that it is in use, so that a notebook which git clean has
// removed is missed.
func Remember(at marker.Place, spare string) error {
	path := filepath.Join(spare, rememberFile)
	if is, err := os.ReadFile(path); err == nil && string(is) == at.Dir()+"\n" {
		return nil
	}
	if err := os.MkdirAll(spare, 0o700); err != nil {
		return err
	}
	return writeDurable(path, at.Dir()+"\n")
}

// Restore makes a notebook anew that git clean has removed, with the notes that only this machine
// had. It reports whether there was one.
func Restore(ctx context.Context, at marker.Place, spare string) (bool, error) {
	if _, err := os.Lstat(filepath.Join(spare, rememberFile)); err != nil || marker.IsNotebook(at) {
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
	held.By.Client = store.Synced
	s2 := *s
	s2.Spare = spare
	return true, s2.Spares(func(name string, data []byte, removed bool) error {
		_, err := held.Create(name, data)
		if errors.Is(err, errors.Exists) {
			return nil
		}
		if err == nil && removed {
			_, _, err = held.Remove(name, store.Revision(data))
		}
		return err
	})
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

// moveDir moves what a directory has into another one. A file whose name is taken there by
// another text goes on: replaced gets the one that it replaces.
func moveDir(from, to string, replaced func(base string, data []byte) error) error {
	info, err := os.Lstat(from)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && !info.IsDir() {
		return errors.NotDirectory(from)
	}
	if err != nil {
		return err
	}
	if os.Rename(from, to) == nil { // also in the place of an empty directory
		return nil
	}
	if err := os.MkdirAll(to, info.Mode().Perm()); err != nil {
		return err
	}
	entries, err := os.ReadDir(from)
	if err != nil {
		return err
	}
	for _, e := range entries {
		one, other := filepath.Join(from, e.Name()), filepath.Join(to, e.Name())
		if e.IsDir() {
			if err := moveDir(one, other, func(string, []byte) error { return nil }); err != nil {
				return err
			}
			continue
		}
		if data, err := os.ReadFile(other); err == nil {
			if err := replaced(e.Name(), data); err != nil {
				return err
			}
		}
		if err := os.Rename(one, other); err != nil {
			return err
		}
	}
	return os.Remove(from)
}

// writeDurable writes a small file, whole or not at all.
func writeDurable(path, text string) error {
	temp, err := os.CreateTemp(filepath.Dir(path), ".tmp-")
	if err != nil {
		return err
	}
	_, err = temp.WriteString(text)
	if err == nil {
		err = temp.Sync()
	}
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
		return err
	}
	flush(filepath.Dir(path))
	return nil
}

// flush puts the names in a directory on the disk, where the system can.
func flush(dir string) {
	if d, err := os.Open(dir); err == nil {
		_ = d.Sync()
		_ = d.Close()
	}
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

// Leftovers are the notes of commits from before the notebook, which a checkout has put where
// notes lie with the code: those that the notebook knows, and others.
func (c *Copy) Leftovers() (known, unknown []string) {
	_ = c.eachLeftover(func(path string, _ []byte, is bool) error {
		if is {
			known = append(known, note.IDOf(path))
		} else {
			unknown = append(unknown, note.IDOf(path))
		}
		return nil
	})
	return known, unknown
}

func (c *Copy) eachLeftover(each func(path string, data []byte, known bool) error) error {
	root := c.Found.Root
	if c.Found.Worktree != "" {
		root = c.Found.Worktree
	}
	s, err := store.Open(root, marker.Name)
	if err != nil || !c.Found.Notebook {
		return nil
	}
	defer s.Close()
	snapshot, here := map[string]bool{}, map[string]bool{}
	loaded := false
	for f, err := range s.Files(context.Background()) {
		if err != nil || f.Problem != "" || note.IsPrivate(f.Name) {
			continue
		}
		data, _, err := s.Read(f.Name)
		if err != nil {
			continue
		}
		if !loaded {
			t := ref.LoadSnapshot(c.snapshotFile())
			for uid := range t.Notes {
				snapshot[uid] = true
			}
			for uid := range t.Trash {
				snapshot[uid] = true
			}
			loaded = true
			c.eachIdentity(func(uid string) { here[uid] = true })
		}
		n := note.ParseText(strings.TrimPrefix(f.Name, "notes/"), data)
		if err := each(f.Name, data, snapshot[n.Identity()] || here[n.Identity()]); err != nil {
			return err
		}
	}
	return nil
}

// eachIdentity calls each with the uids of the notes that are there or in the trash.
func (c *Copy) eachIdentity(each func(uid string)) {
	for f, err := range c.Store.Files(context.Background()) {
		if err != nil || f.Problem != "" {
			continue
		}
		if data, _, err := c.Store.Read(f.Name); err == nil {
			n := note.ParseText(f.Name, data)
			each(n.Identity())
		}
	}
	trashed, _ := c.Store.Trash()
	for _, t := range trashed {
		if data, _, err := c.Store.ReadTrashed(t.File); err == nil {
			n := note.ParseText(t.Name, data)
			each(n.Identity())
		}
	}
}

// Adopt takes the leftovers of older commits into the notebook: a note that it does not know as it
// is, another text of one that it has as a note beside it.
func (c *Copy) Adopt(ctx context.Context) (adopted []string, err error) {
	adopted = []string{}
	held, err := c.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer held.Unlock()
	err = c.eachLeftover(func(name string, data []byte, known bool) error {
		if !known {
			_, err := held.Create(name, data)
			if err == nil {
				adopted = append(adopted, note.IDOf(name))
			}
			if !errors.Is(err, errors.Exists) {
				return err
			}
		}
		is, _, err := c.Store.Read(name)
		if errors.Is(err, errors.NotFound) {
			return nil // it was removed
		}
		if err != nil || string(is) == string(data) {
			return err
		}
		if _, err := c.Store.ReadPast(name, store.Revision(data)); err == nil {
			return nil // the note has gone on from it
		}
		aside, text := exchange.Aside(c.Found.ID, strings.TrimPrefix(name, "notes/"), data)
		if _, err = held.Create("notes/"+aside, text); err == nil {
			adopted = append(adopted, note.IDOf(aside))
		}
		if errors.Is(err, errors.Exists) {
			err = nil
		}
		return err
	})
	return adopted, err
}
