package notebook

import (
	"cmp"
	"slices"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
)

const (
	removedMost = 500       // notes in the index of the trash
	removedMany = 100       // from this number on the index is saved for the next process
	listed      = "#listed" // the entry whose stamp stands for the whole trash
)

// followRemoved brings an index in line with the newest notes in the trash. Each is indexed
// under the name of its file there, as superseded and with the time of its removal. It lists
// nothing while the state of the trash is the same.
func followRemoved(x *index.Index, from trash, state index.Stamp) error {
	row, known := x.Row(listed)
	if !known && state == (index.Stamp{}) || known && row.Stamp == state && !state.Racy {
		return nil
	}
	return index.UntilIntact(func() error {
		u := x.Update(true)
		defer u.Cancel()
		removed, err := from.Removed(removedMost)
		if err != nil {
			return err
		}
		seen, many := map[string]bool{}, len(removed) >= removedMany
		removed = slices.DeleteFunc(removed, func(t store.Trashed) bool {
			older := seen[t.Name]
			seen[t.Name] = true
			return older
		})
		slices.SortFunc(removed, func(a, b store.Trashed) int { return cmp.Compare(a.File, b.File) }) // as Same expects
		removed = slices.DeleteFunc(removed, func(t store.Trashed) bool { return u.Same(t.File, stampRemoved(t)) })
		for some := range slices.Chunk(removed, bodiesAtOnce) {
			if err := loadRemoved(u, from, some); err != nil {
				return err
			}
		}
		u.Load(listed, 0, func() (index.Document, bool, error) {
			return index.Document{Row: index.Row{Name: listed, Type: listed, Stamp: state}}, true, nil
		})
		if err = u.Commit(); err == nil && many && !state.Racy {
			x.Save()
		}
		return err
	})
}

func stampRemoved(t store.Trashed) index.Stamp {
	return index.Stamp{Size: t.Size, ModTime: t.Time.UnixNano()}
}

func loadRemoved(u *index.Update, from trash, some []store.Trashed) error {
	files := make([]string, len(some))
	for i, t := range some {
		files[i] = t.File
	}
	texts, err := from.RemovedTexts(files)
	if err != nil {
		return err
	}
	for _, t := range some {
		text, there := texts[t.File]
		if !there {
			continue
		}
		u.Load(t.File, t.Size, func() (index.Document, bool, error) {
			d, err := removedDocument(t, text)
			return d, err == nil, err
		})
	}
	return nil
}

// removedDocument returns the document of a removed note for the index of the trash.
func removedDocument(t store.Trashed, text []byte) (index.Document, error) {
	d, err := indexDocument(t.Name, text, stampRemoved(t))
	d.Name, d.Superseded, d.Time = t.File, true, t.Time.UTC()
	return d, err
}

// followTrash brings the index of the newest trashed notes in line with the trash. It only logs
// failures.
func (nb *Notebook) followTrash(from Reader) {
	if err := followRemoved(nb.removed.Index, from, nb.store.trashState()); err != nil {
		nb.o.Log.Debug("trash not read", "project", nb.Found.Root, "err", err)
	}
}

// removedFor is how long a note in the trash counts as removed where a new one is like it.
const removedFor = 30 * 24 * time.Hour

// isRemoved reports whether a trashed note still counts as removed: it is not too old, has not
// come back, and is no checkpoint, which is removed when the work is done.
func (nb *Notebook) isRemoved(row index.Row) bool {
	name := NameOf(row)
	_, back := nb.index.Row(name)
	return !back && row.Type != note.TypeCheckpoint && nb.o.Now().Sub(row.Time) <= removedFor
}

// readRemoved reads the text of a note in the trash.
func readRemoved(from Reader) ReadBody {
	return BodyReader(func(file string, _ uint64) ([]byte, error) {
		data, _, err := from.ReadTrashed(file)
		return data, err
	})
}
