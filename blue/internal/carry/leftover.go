package carry

import (
	"context"
	"strings"

	"blue/blue/internal/exchange"
	"blue/blue/internal/note"
	"blue/blue/internal/ref"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

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
