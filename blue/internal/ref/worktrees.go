package ref

import (
	"context"
	"os"
	"path/filepath"
	"strings"

	"blue/marker/mount"
)

// HasWorktrees reports whether the repository has linked worktrees.
func (r *Repo) HasWorktrees() bool {
	entries, err := os.ReadDir(filepath.Join(r.shared, "worktrees"))
	return err == nil && len(entries) > 0
}

// Worktrees returns the repository as each of its other worktrees sees it, from the
// directory there that stands for this one.
func (r *Repo) Worktrees(ctx context.Context) (others []*Repo, err error) {
	if !r.HasWorktrees() {
		return nil, nil
	}
	out, err := r.run(ctx, nil, "worktree", "list", "--porcelain")
	for line := range strings.Lines(out) {
		top, ok := strings.CutPrefix(strings.TrimSuffix(line, "\n"), "worktree ")
		dir := filepath.Join(filepath.FromSlash(top), r.below)
		if !ok || isSame(dir, r.dir) {
			continue
		}
		other := *r
		other.dir = dir
		others = append(others, &other)
	}
	return others, err
}

// Dir is the directory that the repository was opened from.
func (r *Repo) Dir() string { return r.dir }

func isSame(one, other string) bool {
	if mount.Check(one) != nil {
		return true // or cannot be reached
	}
	a, err := os.Stat(one)
	if err != nil {
		return true // a worktree that is gone
	}
	b, err := os.Stat(other)
	return err == nil && os.SameFile(a, b)
}

// CountTracked counts the files of a directory that the code's commits hold.
func (r *Repo) CountTracked(ctx context.Context, dir string) int {
	out, _ := r.run(ctx, nil, "ls-files", "-z", "--", filepath.ToSlash(filepath.Join(r.below, dir))) // where git cannot say, nothing is said
	return strings.Count(out, "\x00")
}
