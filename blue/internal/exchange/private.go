package exchange

import (
	"context"
	"strings"

	"blue/blue/internal/store"
	"blue/errors"
)

// BringPrivate moves the private notes of those worktrees here that use the notes of this
// one: nobody sees them there any more, and git deletes them with the worktree. One whose
// name is taken here by another text stays where it is. The originals go to the trash there.
func (x *Exchange) BringPrivate(ctx context.Context) error {
	for _, other := range x.Others {
		if !other.UsesOurs {
			continue
		}
		if err := x.bringFrom(ctx, other.Store); err != nil {
			return err
		}
	}
	return nil
}

// bringFrom takes the locks for one note at a time.
func (x *Exchange) bringFrom(ctx context.Context, from *store.Store) error {
	for f, err := range from.Files(ctx) {
		if err != nil || f.Problem != "" || strings.HasPrefix(f.Name, notesDir) {
			continue // a check names it
		}
		if err := x.bringNote(ctx, from, f.Name); err != nil && !errors.Is(err, errors.Exists) {
			return err
		}
	}
	return ctx.Err()
}

func (x *Exchange) bringNote(ctx context.Context, from *store.Store, name string) error {
	here, err := x.Lock(ctx)
	if err != nil {
		return err
	}
	defer here.Unlock()
	there, err := from.Lock(ctx)
	if err != nil {
		return err
	}
	defer there.Unlock()
	text, revision, err := from.Read(name)
	if err != nil {
		return err
	}
	_, err = here.Create(name, text)
	if _, is, _ := x.Store.Read(name); err != nil && is != revision { // else one who was stopped has made it
		return err
	}
	_, _, err = there.Remove(name, revision)
	return err
}
