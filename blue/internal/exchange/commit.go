package exchange

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"blue/blue/internal/note"
)

// commit makes a commit of the tree, and returns the head that was joined last when that
// has the same tree. It is empty when there is nothing to keep.
func (s *side) commit(ctx context.Context) (string, error) {
	same := maps.Equal(s.tree.Notes, s.known.Notes) && maps.Equal(s.tree.Trash, s.known.Trash) && len(s.known.Refused) == 0
	if same && len(s.parents) == 1 {
		return s.parents[0], nil
	}
	if len(s.parents) == 0 && len(s.tree.Notes) == 0 {
		return "", nil
	}
	if err := s.dropOldTombstones(ctx); err != nil {
		return "", err
	}
	blobs := map[string][]byte{}
	for _, list := range []map[string]string{s.tree.Notes, s.tree.Trash} {
		for _, blob := range list {
			if s.fresh[blob] {
				blobs[blob] = s.texts[blob]
			}
		}
	}
	changed := len(differing(s.known.Notes, s.tree.Notes))
	return s.x.Remote.Commit(ctx, s.tree, blobs, fmt.Sprintf("Notes: %d changed", changed), s.parents)
}

// dropOldTombstones ends the time of those that others have been told of long enough.
func (s *side) dropOldTombstones(ctx context.Context) error {
	if err := s.readTexts(ctx, s.tree.Trash, slices.Collect(maps.Keys(s.tree.Trash))); err != nil {
		return err
	}
	maps.DeleteFunc(s.tree.Trash, func(_, blob string) bool {
		return s.x.Now().Sub(parseTombstone(s.texts[blob]).Removed) > tombstoneAge
	})
	return nil
}

// nameWent names what the remote gets.
func (s *side) nameWent(ctx context.Context, remote string) error {
	there := map[string]string{}
	if remote != "" {
		t, err := s.x.Remote.ReadTree(ctx, remote)
		if err != nil {
			return err
		}
		there = t.Notes
	}
	for _, name := range differing(there, s.tree.Notes) {
		s.out.Went = append(s.out.Went, note.IDOf(name))
	}
	return nil
}
