package notebook

import (
	"testing"

	"blue/blue/internal/store"
	"blue/errors"
)

// writer is a write in which others may write too, the first time.
type writer struct {
	Writer
	alone bool
}

func (w writer) Alone() bool   { return w.alone }
func (w writer) Commit() error { return nil }
func (w writer) Unlock() error { return nil }

// A note that another write has moved meanwhile is looked for again, alone.
func TestWriteLooksAgainAlone(t *testing.T) {
	tries := 0
	begin := func() (Writer, error) { tries++; return writer{alone: tries > 1}, nil }
	err := Retry(t.Context(), begin, func(w Writer) error {
		if !w.Alone() {
			return errors.NoNote("moved")
		}
		return nil
	})
	if err != nil || tries != 2 {
		t.Errorf("%v after %d tries", err, tries)
	}
	tries = 0
	err = Retry(t.Context(), begin, func(Writer) error { return errors.NoNote("gone") })
	if !errors.Is(err, errors.NotFound) || errors.Is(err, store.ErrAgain) || tries != 2 {
		t.Errorf("%v after %d tries", err, tries)
	}
}
