package exchange

import (
	"context"
	"maps"
	"slices"

	"blue/blue/internal/ref"
	"blue/blue/internal/reply"
)

// join merges a head into the tree, three ways from where both have come from.
func (s *side) join(ctx context.Context, head string) error {
	if head == "" {
		return nil
	}
	last, common := "", ""
	if len(s.parents) > 0 {
		last = s.parents[len(s.parents)-1]
		var err error
		if common, err = s.x.Remote.MergeBase(ctx, last, head); err != nil || common == head {
			return err
		}
	}
	theirs, err := s.x.Remote.ReadTree(ctx, head)
	if err != nil {
		return err
	}
	for _, path := range slices.Sorted(maps.Keys(theirs.Refused)) {
		s.out.Refused = append(s.out.Refused, reply.Named{ID: path, Why: theirs.Refused[path]})
	}
	base := ref.NewTree()
	if common == last {
		base = s.known
	} else if common != "" {
		if base, err = s.x.Remote.ReadTree(ctx, common); err != nil {
			return err
		}
	}
	taken, err := s.mergeTree(ctx, base, theirs, head)
	if err != nil {
		return err
	}
	if err := s.nameAuthors(ctx, common, head, taken); err != nil {
		return err
	}
	s.known = theirs
	if common == last {
		s.parents = nil
	}
	s.parents = append(s.parents, head)
	return nil
}

// joinWorktree merges the files of another worktree of the repository. They stay as they
// are until a sync runs there; it then finds here what it has.
func (s *side) joinWorktree(ctx context.Context, x Exchange) error {
	heads, err := x.Remote.Heads(ctx, false)
	if err != nil {
		return err
	}
	unsaid := reply.NewSynced() // a sync in that worktree says it
	other, err := x.snapshot(ctx, heads.Base, &unsaid)
	if err != nil {
		return err
	}
	defer other.texts.close()
	for blob := range other.fresh {
		s.fresh[blob] = true
		if other.texts.has(blob) {
			text, err := other.texts.get(blob)
			if err != nil {
				return err
			}
			s.texts.put(blob, text)
		} else if _, own := s.own[blob]; !own {
			s.own[blob] = other.own[blob]
		}
	}
	_, err = s.mergeTree(ctx, other.base, other.tree, "")
	return err
}

// mergeTree merges a tree into that of the side, three ways. The head is the commit that it
// is of, if it is of one. The names of what was taken from it, and removed for it, are returned.
func (s *side) mergeTree(ctx context.Context, base, theirs ref.Tree, head string) (taken []string, err error) {
	j := joining{side: s, base: base, theirs: theirs, result: maps.Clone(s.tree.Notes)}
	if err := j.readWhatDiffers(ctx, head); err != nil {
		return nil, err
	}
	if err := j.mergeAll(); err != nil {
		return nil, err
	}
	s.tree.Trash = j.mergeTrash()
	s.tree.Notes = j.result
	return append(j.taken, j.removed...), nil
}

// nameAuthors says of each note that has come or gone who has written or removed it.
func (s *side) nameAuthors(ctx context.Context, from, to string, names []string) error {
	if len(names) == 0 {
		return nil
	}
	authors, err := s.x.Remote.Authors(ctx, from, to)
	if err != nil {
		return err
	}
	for _, name := range names {
		s.authors[name] = authors[name]
	}
	return nil
}
