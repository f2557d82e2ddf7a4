package notebook

import (
	"context"
	"fmt"
	"maps"
	"sync"

	"blue/blue/internal/follow"
)

// stamp is the last one that was made, and the version of the index that it is of.
type stamp struct {
	mu      sync.Mutex
	version uint64
	text    string
}

// Stamp stands for the state of the notes: another one means that a note has come,
// changed or gone, or that the project is another.
func (nb *Notebook) Stamp(ctx context.Context) (text string, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return "", err
	}
	s := &nb.stamp
	s.mu.Lock()
	defer s.mu.Unlock()
	if now := nb.index.Version(); s.text == "" || s.version != now {
		s.version, s.text = now, fmt.Sprintf("%016x", follow.Digest(nb.Found.Root, maps.All(nb.index.Stamps())))
	}
	return s.text, nil
}
