package carry

import (
	"context"
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

// Leftover is a note of a commit from before the notebook, which a checkout has put where notes
// lie with the code, or a private one that a linked worktree had of its own.
type Leftover struct {
	Name  string                 // of its file, "notes/ID.md"
	Read  func() ([]byte, error) // its text
	Known bool                   // the notebook has the note, or had it
}

// EachLeftover calls each with the leftovers, by name.
func (c *Copy) EachLeftover(ctx context.Context, each func(Leftover) error) error {
	root := c.Found.Root
	if c.Found.Worktree != "" {
		root = c.Found.Worktree
	}
	if !c.Found.Notebook || !hasNotes(filepath.Join(root, marker.Name)) {
		return nil
	}
	s, err := store.Open(root, marker.Name)
	if err != nil {
		return nil // a check of the code's own files names it
	}
	defer s.Close()
	isKnown := c.known()
	for f, err := range s.Files(ctx) {
		if err != nil || f.Problem != "" {
			continue
		}
		one := Leftover{Name: f.Name, Read: func() ([]byte, error) { data, _, err := s.Read(f.Name); return data, err }}
		if _, one.Known = c.Notes.Row(f.Name); !one.Known {
			one.Known = isKnown(one)
		}
		if err := each(one); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// hasNotes reports whether a marker has directories of notes beside the notebook.
func hasNotes(dir string) bool {
	_, none := os.Lstat(filepath.Join(dir, "notes"))
	_, own := os.Lstat(filepath.Join(dir, "private"))
	return none == nil || own == nil
}

// known returns whether the notebook has a note, or had it.
func (c *Copy) known() func(Leftover) bool {
	var last *ref.Tree
	return func(one Leftover) bool {
		if last == nil {
			t := ref.LoadSnapshot(c.snapshotFile()).Tree()
			last = &t
		}
		data, err := one.Read()
		if err != nil {
			return true // it has gone meanwhile
		}
		n := note.ParseText(one.Name, data)
		uid := n.Identity()
		trashed, _ := c.Store.TrashedAs(one.Name)
		return len(c.Notes.OfUID(uid))+len(trashed) > 0 || last.Trash[uid] != "" || last.Notes[uid].Name != ""
	}
}

// Leftovers are the ids of the leftovers that the notebook does not know, and of those of which it
// never had the text here; known counts all that it knows.
func (c *Copy) Leftovers(ctx context.Context) (unknown, differ []string, known int) {
	_ = c.EachLeftover(ctx, func(one Leftover) error {
		if !one.Known {
			unknown = append(unknown, note.IDOf(one.Name))
			return nil
		}
		known++
		if data, err := one.Read(); err == nil {
			if aside, _ := c.setAside(one.Name, data); aside != "" {
				differ = append(differ, note.IDOf(one.Name))
			}
		}
		return nil
	})
	return unknown, differ, known
}

// Unknown are the ids of the leftovers that the notebook does not know.
func (c *Copy) Unknown(ctx context.Context) (ids []string) {
	_ = c.EachLeftover(ctx, func(one Leftover) error {
		if !one.Known {
			ids = append(ids, note.IDOf(one.Name))
		}
		return nil
	})
	return ids
}

// Adopt takes the leftovers of older commits into the notebook: a note that it does not know as it
// is, another text of one that it has as a note beside it.
func (c *Copy) Adopt(ctx context.Context) (adopted []string, err error) {
	adopted = []string{}
	if _, err := c.Stamp(ctx); err != nil {
		return nil, err
	}
	held, err := c.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer held.Unlock()
	err = c.EachLeftover(ctx, func(one Leftover) error {
		file := one.Name
		data, err := one.Read()
		if err == nil && one.Known {
			file, data = c.setAside(one.Name, data)
		}
		if err != nil || file == "" {
			return err
		}
		_, err = held.Create(file, data)
		if errors.Is(err, errors.Exists) {
			return nil // it was taken in already
		}
		if err == nil {
			adopted = append(adopted, note.IDOf(file))
		}
		return err
	})
	return adopted, err
}

// setAside makes the note that keeps a text which the notebook never had of a note that it has;
// for other texts there is none.
func (c *Copy) setAside(name string, text []byte) (file string, aside []byte) {
	n := note.ParseText(name, text)
	rows := c.Notes.OfUID(n.Identity())
	if len(rows) == 0 || note.IsPrivate(name) { // it was removed, or has another uid now
		return "", nil
	}
	is, revision := rows[0], store.Revision(text)
	if _, err := c.Store.ReadPast(is.Name, revision); err == nil || is.Revision == revision {
		return "", nil // the note has gone on from it
	}
	file, aside = exchange.Aside(c.Found.ID, strings.TrimPrefix(is.Name, "notes/"), text)
	file = "notes/" + file
	_, there := c.Notes.Row(file)
	if trashed, _ := c.Store.TrashedAs(file); there || len(trashed) > 0 {
		return "", nil // it was kept already
	}
	return file, aside
}
