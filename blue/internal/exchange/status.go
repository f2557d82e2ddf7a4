package exchange

import (
	"context"
	"slices"

	"blue/blue/internal/reply"
)

// Status compares the files with what is on the remote, and changes none.
func (x *Exchange) Status(ctx context.Context) (ahead, behind int, withheld []reply.Named, err error) {
	heads, err := x.Remote.Heads(ctx, true)
	if err != nil {
		return 0, 0, nil, err
	}
	base := heads.Base
	var out reply.Synced
	var s *side
	err = again(ctx, func() error {
		out = reply.NewSynced()
		if s, err = x.snapshot(ctx, base, &out); err == nil {
			s.texts.close()
		}
		return err
	})
	if err != nil {
		return 0, 0, nil, err
	}
	mine := len(differing(s.base.Notes, s.tree.Notes))
	theirs := s.base
	for _, head := range []string{heads.Joined, heads.Remote} {
		if head == "" || head == base {
			continue
		}
		common := base
		if base != "" {
			if common, err = x.Remote.MergeBase(ctx, base, head); err != nil {
				return 0, 0, nil, err
			}
		}
		if common == head {
			continue
		}
		if theirs, err = x.Remote.ReadTree(ctx, head); err != nil {
			return 0, 0, nil, err
		}
	}
	return mine + len(out.Withheld), len(differing(s.base.Notes, theirs.Notes)), out.Withheld, nil
}

// differing are the names that two lists of notes do not have alike.
func differing(one, other map[string]string) (names []string) {
	for name, blob := range one {
		if other[name] != blob {
			names = append(names, name)
		}
	}
	for name := range other {
		if one[name] == "" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}
