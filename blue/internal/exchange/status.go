package exchange

import (
	"context"
	"maps"
	"slices"
	"strings"

	"blue/blue/internal/ref"
	"blue/blue/internal/reply"
)

// Status compares the files with what is on the remote, and changes none.
func (x *Exchange) Status(ctx context.Context) (ahead, behind int, withheld []reply.Named, err error) {
	heads, err := x.Remote.Heads(ctx, true)
	if err != nil {
		return 0, 0, nil, err
	}
	var out reply.Synced
	var s *side
	err = again(ctx, func() error {
		out = reply.NewSynced()
		if s, err = x.snapshot(ctx, heads, &out); err == nil {
			s.texts.Close()
		}
		return err
	})
	if err != nil {
		return 0, 0, nil, err
	}
	theirs := s.base
	if heads.Remote != "" {
		if theirs, err = x.Remote.ReadTree(ctx, heads.Remote); err != nil {
			return 0, 0, nil, err
		}
	}
	return len(differing(s.base, s.tree)) + len(out.Withheld), len(differing(s.base, theirs)), out.Withheld, nil
}

// differing are the uids of the notes that two trees do not have alike.
func differing(one, other ref.Tree) (uids []string) {
	for uid, n := range one.Notes {
		if !other.Notes[uid].Same(n) {
			uids = append(uids, uid)
		}
	}
	for uid := range other.Notes {
		if one.Notes[uid].Name == "" {
			uids = append(uids, uid)
		}
	}
	slices.Sort(uids)
	return uids
}

// sameTrash reports whether two trees have the same tombstones, but for those without a uid.
func sameTrash(one, other ref.Tree) bool {
	named := func(trash map[string]string) map[string]string {
		trash = maps.Clone(trash)
		maps.DeleteFunc(trash, func(uid, _ string) bool { return strings.HasPrefix(uid, ref.NoUID) })
		return trash
	}
	return maps.Equal(named(one.Trash), named(other.Trash))
}
