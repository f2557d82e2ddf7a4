package notebook

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"

	"blue/blue/internal/store"
	"blue/errors"
)

// Reader reads notes from files or a database. It sees a note either as it was before a write
// or as it is after it.
type Reader interface {
	Files(ctx context.Context) iter.Seq2[store.File, error]
	Texts() Texts
	Read(name string) (data []byte, revision string, err error)
	Revisions(name string) ([]store.Past, error)
	ReadPast(name, revision string) ([]byte, error)
	Journal() ([]store.Change, error) // the newest changes that are kept, oldest first
	HistorySize(ctx context.Context) (int64, error)
	Trash() ([]store.Trashed, error)
	TrashedAs(name string) ([]store.Trashed, error)
	ReadTrashed(file string) (data []byte, revision string, err error)
}

// Texts reads many notes. Its methods are safe for concurrent use.
type Texts interface {
	Read(name string, inode uint64) ([]byte, error)
	Close()
}

// Writer is one write of a project, which is complete when Commit returns nil. If a method
// fails with [store.ErrAgain], the caller must repeat the whole write.
type Writer interface {
	Create(name string, data []byte) (store.Saved, error)
	Replace(name, revision string, data []byte) (store.Saved, error)
	Remove(name, revision string) (saved store.Saved, trashed string, err error)
	Untrash(name string) (store.Saved, error)
	Confirm(name, trashed string) (durable bool)
	Commit() error
	Unlock() error
}

// backend stores the notes of a notebook, in [files] or in a [database].
type backend interface {
	Reader
	// Committed returns a reader that may be used during a write. A database leaves out what
	// that write has changed.
	Committed() Reader
	// NewPrivate returns the private notes of the user if it had none when the call began, so
	// that the index does not have them.
	NewPrivate() ([]string, error)
	// begin waits until other writes have ended and starts one for a verb.
	begin(ctx context.Context, verb string) (Writer, error)
	// refresh brings the index in line with the notes. If now is set, it does so even where
	// docs/search.md allows a listing of the files to be deferred.
	refresh(ctx context.Context, now bool) error
	// late reports whether the index learns of a write only after its commit, by refresh.
	late() bool
	// written brings the changes of a write into the index, unless the backend is late.
	written()
	// whyUnserved returns the reason why the note that a word names is not served, or nil if
	// there is no such note.
	whyUnserved(word string) error
	// author returns the author of what this call writes.
	author() string
	// RecordPrivate records that the caller reads private notes. It is called before they are
	// shown.
	RecordPrivate(verb string) error
}

const (
	maxWrites = 5                    // attempts of a write that conflicts with others
	pauseUnit = 5 * time.Millisecond // base of the growing pauses between them
)

// Retry runs one write and repeats it if it conflicts with another; begin waits until no other
// write is in progress. What do stores for the caller is valid only if Retry succeeds.
func Retry(ctx context.Context, begin func() (Writer, error), do func(w Writer) error) error {
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
	if err = do(w); err != nil {
		return err
	}
	return w.Commit()
}
