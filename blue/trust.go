package blue

import (
	"context"
	"path/filepath"

	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// FindUntrusted returns the project that a call is about, whether or not its directory may be
// used.
func (b *Blue) FindUntrusted(ctx context.Context, c Call) (marker.Found, error) {
	rules := b.rulesOf(c)
	rules.Trusted = func(string) bool { return true }
	return marker.Choose(ctx, rules, c.From)
}

// TrustProject trusts a project, and its directory even if others own it or may write to it.
func (b *Blue) TrustProject(found marker.Found) (result.Trusted, error) {
	err := b.trust.Add(found.Root, "")
	if err == nil {
		err = b.trust.Add(marker.Home(found.Root), found.ID)
	}
	return result.Trusted{Dir: found.Root, Project: true}, err
}

// Trust is [Blue.TrustProject].
func (p *Project) Trust() error {
	_, err := p.b.TrustProject(p.Found)
	return err
}

// Trust trusts the project in a directory. If there is none, the directory may be used from now
// on even if others own it or may write to it; "*" stands for every directory.
func (b *Blue) Trust(ctx context.Context, dir string) (result.Trusted, error) {
	if dir == "*" {
		return result.Trusted{Dir: dir}, b.trust.Add(dir, "")
	}
	found, dir, err := b.projectIn(ctx, dir)
	if err != nil {
		return result.Trusted{}, err
	}
	if found.Root != "" {
		return b.TrustProject(found)
	}
	return result.Trusted{Dir: dir}, b.trust.Add(dir, "")
}

// Distrust revokes what [Blue.Trust] has granted.
func (b *Blue) Distrust(ctx context.Context, dir string) (t result.Trusted, err error) {
	dirs := []string{dir}
	if dir != "*" {
		found, real, err := b.projectIn(ctx, dir)
		if err != nil {
			return t, err
		}
		if dirs[0] = real; found.Root != "" {
			dirs = []string{found.Root, marker.Home(found.Root)}
		}
	}
	for _, dir := range dirs {
		removed, err := b.trust.Remove(dir)
		if err != nil {
			return t, err
		}
		t.Removed = t.Removed || removed
	}
	return result.Trusted{Dir: dirs[0], Removed: t.Removed, Unknown: !t.Removed}, nil
}

// projectIn returns the project whose root or working tree is a directory. If there is none, it
// returns only the physical path.
func (b *Blue) projectIn(ctx context.Context, given string) (found marker.Found, dir string, err error) {
	if dir, err = marker.Parse(given); err != nil {
		return found, "", err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return found, "", errors.PathUnusable(given, "it does not exist, or cannot be reached")
	}
	found, err = b.FindUntrusted(ctx, Call{Cwd: dir, From: candidate(marker.Argument, dir)})
	if err != nil || found.Root != dir && found.Worktree != dir {
		return marker.Found{}, dir, nil
	}
	return found, dir, nil
}
