// Package storage is what the verbs need of where notes lie: the files of a project, or a
// database.
package storage

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"

	"blue/blue/internal/store"
	"blue/errors"
)

// Notes is what the verbs need of a store: the files of a project, or a database. Reading
// meets a note as it was before a write or as it is after.
type Notes interface {
	Files(ctx context.Context) iter.Seq2[store.File, error]
	Texts() Texts
	Read(name string) (data []byte, revision string, err error)
	Revisions(name string) ([]store.Past, error)
	ReadPast(name, revision string) ([]byte, error)
	Journal() ([]store.Change, error) // the newest that are kept, the oldest first
	HistorySize(ctx context.Context) (int64, error)
	Trash() ([]store.Trashed, error)
	TrashedAs(name string) ([]store.Trashed, error)
	ReadTrashed(file string) (data []byte, revision string, err error)
	Removed(most int) ([]store.Trashed, error)              // as [follow.Trash]
	RemovedTexts(files []string) (map[string][]byte, error) // likewise
}

// Texts reads many notes; its methods may be called at the same time.
type Texts interface {
	Read(name string, inode uint64) ([]byte, error)
	Close()
}

// Writer is the one write of a project that is under way. What it has changed counts when
// Commit has returned without error; [store.ErrAgain] from any method says that the whole
// write has to be made anew.
type Writer interface {
	Create(name string, data []byte) (store.Saved, error)
	Replace(name, revision string, data []byte) (store.Saved, error)
	Remove(name, revision string) (saved store.Saved, trashed string, err error)
	Untrash(name string) (store.Saved, error)
	Confirm(name, trashed string) (durable bool)
	WhenNamed(do func(revision string))
	Alone() bool // nobody else writes meanwhile; else Commit finds out
	Commit() error
	Unlock() error
}

// Files is the files of a project as [Notes].
type Files struct{ *store.Store }

// Texts begins to read.
func (f Files) Texts() Texts { return f.Store.Texts() }

const (
	maxWrites = 5                    // tries of a write that meets others
	pauseUnit = 5 * time.Millisecond // from which the pauses between them grow
)

// Write makes one write, from its beginning again when it has met another one; begin waits
// until no other one is under way. What the function do leaves to its caller counts only when
// Write succeeds.
func Write(ctx context.Context, begin func() (Writer, error), do func(w Writer) error) error {
	for try := 1; ; try++ {
		err := writeOnce(begin, do)
		if !errors.Is(err, store.ErrAgain) {
			return err
		}
		if try == maxWrites {
			return errors.Contended(maxWrites)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(rand.N(pauseUnit << try)):
		}
	}
}

func writeOnce(begin func() (Writer, error), do func(w Writer) error) error {
	w, err := begin()
	if err != nil {
		return err
	}
	defer w.Unlock()
	err = do(w)
	switch {
	case err == nil:
		return w.Commit()
	case errors.Is(err, errors.NotFound) && !w.Alone(): // what another write has moved, perhaps
		return store.ErrAgain
	}
	return err
}
