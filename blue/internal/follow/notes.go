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

// CompareAll looks at every file, as a run of a reading.
func (n Notes) CompareAll(ctx context.Context, r *Reading) error {
	texts := n.Store.Texts()
	defer texts.Close()
	return r.InSteps(ctx, n.Index, func(s *Step) error {
		l := loader{n, s.Update, texts}
		for file, err := range n.Store.Files(ctx) {
			if err != nil {
				if !n.LeaveOut(file.Name, err) {
					return err
				}
				s.Doubt()
				continue
			}
			if file.Problem == "" {
				s.Files++
				l.compare(s, file)
			}
		}
		return nil
	})
}

// compare brings one file into a step.
func (l loader) compare(s *Step, file store.File) {
	stamp := StampOf(file)
	switch {
	case s.Same(file.Name, stamp):
	case s.Takes(file.Size):
		l.load(file.Name, stamp)
	default:
		s.Keep(file.Name)
	}
}

// StampOf is the stamp of a listed file.
func StampOf(file store.File) index.Stamp {
	return index.Stamp{Size: file.Size, ModTime: file.ModTime.UnixNano(), ChangeTime: file.ChangeTime.UnixNano(), Inode: file.Inode}
}

// ReadTouched looks at the files that were touched.
func (n Notes) ReadTouched(touched []index.Touched) error {
	texts := n.Store.Texts()
	defer texts.Close()
	u := n.Index.Update(false)
	defer u.Cancel()
	l := loader{n, u, texts}
	for _, t := range touched {
		if t.Gone {
			u.Drop(t.Name)
			continue
		}
		l.load(t.Name, t.Stamp)
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
