package follow

import (
	"cmp"
	"slices"

	"blue/blue/internal/index"
	"blue/blue/internal/store"
)

// Trash is where the notes lie that were removed.
type Trash interface {
	Removed(most int) ([]store.Trashed, error)              // the newest first
	RemovedTexts(files []string) (map[string][]byte, error) // by file; one that is gone is missing
}

const (
	removedMost = 500       // notes in the index of a trash
	removedMany = 100       // of so many the next process is to find that nothing has changed
	listed      = "#listed" // the entry whose stamp stands for the whole trash
)

// Removed brings an index in line with the newest notes in the trash, each under the name of
// its file there, superseded, and of the time when it was removed. While the state of the
// trash is the same, nothing is listed.
func Removed(x *index.Index, trash Trash, state index.Stamp, entry func(name string, data []byte) (index.Document, error)) error {
	row, known := x.Row(listed)
	if !known && state == (index.Stamp{}) || known && row.Stamp == state && !state.Racy {
		return nil
	}
	return UntilIntact(func() error {
		u := x.Update(true)
		defer u.Cancel()
		removed, err := trash.Removed(removedMost)
		if err != nil {
			return err
		}
		seen, many := map[string]bool{}, len(removed) >= removedMany
		removed = slices.DeleteFunc(removed, func(t store.Trashed) bool {
			older := seen[t.Name]
			seen[t.Name] = true
			return older
		})
		slices.SortFunc(removed, func(a, b store.Trashed) int { return cmp.Compare(a.File, b.File) }) // as Same likes it
		removed = slices.DeleteFunc(removed, func(t store.Trashed) bool { return u.Same(t.File, stampRemoved(t)) })
		for some := range slices.Chunk(removed, bodiesAtOnce) {
			if err := loadRemoved(u, trash, some, entry); err != nil {
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

func loadRemoved(u *index.Update, trash Trash, some []store.Trashed, entry func(name string, data []byte) (index.Document, error)) error {
	files := make([]string, len(some))
	for i, t := range some {
		files[i] = t.File
	}
	texts, err := trash.RemovedTexts(files)
	if err != nil {
		return err
	}
	for _, t := range some {
		text, there := texts[t.File]
		if !there {
			continue
		}
		u.Load(t.File, t.Size, func() (index.Document, bool, error) {
			d, err := RemovedDocument(t, text, entry)
			return d, err == nil, err
		})
	}
	return nil
}

// RemovedDocument is the document that a removed note is to the index of the trash.
func RemovedDocument(t store.Trashed, text []byte, entry func(name string, data []byte) (index.Document, error)) (index.Document, error) {
	d, err := entry(t.Name, text)
	d.Name, d.Stamp, d.Superseded, d.Time = t.File, stampRemoved(t), true, t.Time.UTC()
	return d, err
}
