package notebook

import (
	"context"
	"iter"
	"math/rand/v2"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/store"
	"blue/errors"
)

// Reader reads notes from files or a database. It finds a note as it was before a write or as it is
// after.
type Reader interface {
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
	trash
}

// Texts reads many notes; its methods may be called at the same time.
type Texts interface {
	Read(name string, inode uint64) ([]byte, error)
	Close()
}

// Writer is one write of a project, which takes effect when Commit returns nil. If a method fails
// with [store.ErrAgain], the caller must repeat the whole write.
type Writer interface {
	Create(name string, data []byte) (store.Saved, error)
	Replace(name, revision string, data []byte) (store.Saved, error)
	Remove(name, revision string) (saved store.Saved, trashed string, err error)
	Untrash(name string) (store.Saved, error)
	Confirm(name, trashed string) (durable bool)
	Alone() bool // nobody else writes at the same time; else Commit finds out
	Commit() error
	Unlock() error
}

// backend is where the notes of a notebook lie: [files] or a [database].
type backend interface {
	Reader
	// Committed reads the notes at the same time as the write that is under way, without what
	// it has changed.
	Committed() Reader
	// NewPrivate returns the first private notes that the user has made since the index was
	// brought in line.
	NewPrivate() ([]string, error)
	// begin waits for other writes to end and starts one for a verb.
	begin(ctx context.Context, verb string) (Writer, error)
	// refresh brings the index in line with the notes; with now even where docs/search.md
	// lets a listing of the files be put off.
	refresh(ctx context.Context, now bool) error
	// late reports whether the index learns of a write after it is committed, by refresh.
	late() bool
	// written brings what a write has changed into the index, unless it is late.
	written()
	// trashState changes whenever a note may have come into the trash.
	trashState() index.Stamp
	// whyUnserved says why the note of a word is not served; nil when there is none.
	whyUnserved(word string) error
	// author is who writes in this call.
	author() string
	// RecordPrivate records that the caller reads private notes, before they are shown.
	RecordPrivate(verb string) error
}

const (
	maxWrites = 5                    // tries of a write that meets others
	pauseUnit = 5 * time.Millisecond // from which the pauses between them grow
)

// Retry runs one write, and repeats it when it conflicts with another; begin waits until no other
// write is under way. What do leaves to its caller is valid only when Retry succeeds.
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
	err = do(w)
	switch {
	case err == nil:
		return w.Commit()
	case errors.Is(err, errors.NotFound) && !w.Alone(): // what another write has moved, perhaps
		return store.ErrAgain
	}
	return err
}

// trash is where the notes lie that were removed.
type trash interface {
	Removed(most int) ([]store.Trashed, error)              // the newest first
	RemovedTexts(files []string) (map[string][]byte, error) // by file; one that is gone is missing
}
