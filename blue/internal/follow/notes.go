package follow

import (
	"context"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/store"
	"blue/errors"
)

// Notes are the files of a store and the index of them. A file that cannot be read keeps no
// other from being seen.
type Notes struct {
	Store    *store.Store
	Index    *index.Index
	Now      func() time.Time
	Entry    func(name string, data []byte) (index.Document, error) // the document that a note is
	LeaveOut func(name string, err error) bool                      // whether to go on without a file that cannot be read
	Read     func()                                                 // called for each file that is read, at the same time; nil for nothing
}

// CompareAll looks at every file.
func (n Notes) CompareAll(ctx context.Context) error {
	return n.update(true, func(l loader) error {
		for file, err := range n.Store.Files(ctx) {
			if err != nil {
				if !n.LeaveOut(file.Name, err) {
					return err
				}
				l.u.Doubt()
				continue
			}
			stamp := StampOf(file)
			if file.Problem == "" && !l.u.Same(file.Name, stamp) {
				l.load(file.Name, stamp)
			}
		}
		return nil
	})
}

// StampOf is the stamp of a listed file.
func StampOf(file store.File) index.Stamp {
	return index.Stamp{Size: file.Size, ModTime: file.ModTime.UnixNano(), ChangeTime: file.ChangeTime.UnixNano(), Inode: file.Inode}
}

// ReadTouched looks at the files that were touched.
func (n Notes) ReadTouched(touched []index.Touched) error {
	return n.update(false, func(l loader) error {
		for _, t := range touched {
			if t.Gone {
				l.u.Drop(t.Name)
				continue
			}
			l.load(t.Name, t.Stamp)
		}
		return nil
	})
}

func (n Notes) update(whole bool, look func(l loader) error) error {
	texts := n.Store.Texts()
	defer texts.Close()
	u := n.Index.Update(whole)
	defer u.Cancel()
	if err := look(loader{n, u, texts}); err != nil {
		return err
	}
	return u.Commit()
}

// loader reads files for an update of the index.
type loader struct {
	Notes
	u     *index.Update
	texts *store.Texts
}

func (l loader) load(name string, stamp index.Stamp) {
	l.u.Load(name, stamp.Size, func() (index.Document, bool, error) {
		if l.Read != nil {
			defer l.Read()
		}
		return l.readDocument(name, stamp)
	})
}

// readDocument reads a file for the index; false when it went away meanwhile, is no note
// any more, or cannot be read: the next listing says why.
func (l loader) readDocument(name string, stamp index.Stamp) (index.Document, bool, error) {
	stamp = MarkRacy(stamp, l.Now())
	data, err := l.texts.Read(name, stamp.Inode)
	if errors.Is(err, errors.NotFound) || errors.Is(err, errors.Invalid) || errors.Is(err, errors.TooLarge) {
		return index.Document{}, false, nil
	}
	if err != nil && l.LeaveOut(name, err) {
		l.u.Doubt()
		return index.Document{}, false, nil
	}
	if err != nil {
		return index.Document{}, false, err
	}
	d, err := l.Entry(name, data)
	d.Stamp = stamp
	if d.Time.IsZero() {
		d.Time = time.Unix(0, stamp.ModTime).UTC()
	}
	return d, err == nil, err
}
