package exchange

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

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
	var fresh []string
	for _, list := range []map[string]string{s.tree.Notes, s.tree.Trash} {
		for _, blob := range list {
			if s.fresh[blob] {
				fresh = append(fresh, blob)
			}
		}
	}
	fresh = slices.Compact(slices.Sorted(slices.Values(fresh)))
	changed := len(differing(s.known.Notes, s.tree.Notes))
	return s.x.Remote.Commit(ctx, s.tree, fresh, s.ownText, fmt.Sprintf("Notes: %d changed", changed), s.parents)
}

// dropOldTombstones ends the time of those that others have been told of long enough.
func (s *side) dropOldTombstones(ctx context.Context) error {
	removed := map[string]time.Time{}
	err := s.eachText(ctx, slices.Collect(maps.Values(s.tree.Trash)), func(blob string, text []byte) error {
		removed[blob] = parseTombstone(text).Removed
		return nil
	})
	if err == nil {
		maps.DeleteFunc(s.tree.Trash, func(_, blob string) bool { return s.x.Now().Sub(removed[blob]) > tombstoneAge })
	}
	return err
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
