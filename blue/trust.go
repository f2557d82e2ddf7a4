package blue

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"blue/blue/internal/reply"
	"blue/errors"
	"blue/marker"
	"blue/marker/mount"
)

// Trusted is the answer to trust.
type Trusted = reply.Trusted

// Trusted reports whether the notes of the project may be told unasked.
func (p *Project) Trusted() bool { return p.trusted }

// FindUntrusted is the project that a call is about, whether or not its directory may be used.
func (b *Blue) FindUntrusted(ctx context.Context, c Call) (marker.Found, error) {
	rules := b.rules
	rules.Allowed, rules.Cwd, rules.Door = c.Allowed, c.Cwd, c.Door
	rules.Trusted = func(string) bool { return true }
	return marker.Choose(ctx, rules, c.From)
}

// TrustProject trusts a project, and its directory although others own or may write it.
func (b *Blue) TrustProject(found marker.Found) (Trusted, error) {
	err := b.trust.Add(found.Root, "")
	if err == nil {
		err = b.trust.Add(marker.Home(found.Root), found.ID)
	}
	return Trusted{Dir: found.Root, Project: true}, err
}

// Trust is [Blue.TrustProject].
func (p *Project) Trust() error {
	_, err := p.b.TrustProject(p.found)
	return err
}

// Trust trusts the project in a directory. Where there is none the directory may be used from
// now on although others own or may write it; "*" stands for every directory.
func (b *Blue) Trust(ctx context.Context, dir string) (Trusted, error) {
	if dir == "*" {
		return Trusted{Dir: dir}, b.trust.Add(dir, "")
	}
	found, dir, err := b.projectIn(ctx, dir)
	if err != nil {
		return Trusted{}, err
	}
	if found.Root != "" {
		return b.TrustProject(found)
	}
	return Trusted{Dir: dir}, b.trust.Add(dir, "")
}

// Distrust takes back what [Blue.Trust] has given.
func (b *Blue) Distrust(ctx context.Context, dir string) (t Trusted, err error) {
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
	return Trusted{Dir: dirs[0], Removed: t.Removed, Unknown: !t.Removed}, nil
}

// projectIn is the project whose root, or working tree, a directory is; without one it has
// the physical path of the directory alone.
func (b *Blue) projectIn(ctx context.Context, given string) (found marker.Found, dir string, err error) {
	if dir, err = marker.Parse(given); err != nil {
		return found, "", err
	}
	if dir, err = mount.Resolve(dir); err != nil {
		return found, "", errors.PathUnusable(given, "it does not exist, or cannot be reached")
	}
	found, err = b.FindUntrusted(ctx, Call{Cwd: dir, From: slices.Values([]marker.Candidate{{Source: marker.Argument, Value: dir}})})
	if err != nil || found.Root != dir && found.Worktree != dir {
		return marker.Found{}, dir, nil
	}
	return found, dir, nil
}

// TrustBranch lets the notes and documents be told that the present branch has changed, as
// they are now.
func (p *Project) TrustBranch(ctx context.Context) (t Trusted, err error) {
	defer p.NameProject(&err)
	if err := p.requireOneProject(); err != nil {
		return t, err
	}
	if err := p.refresh(ctx); err != nil {
		return t, err
	}
	files, err := p.branchFiles(p.workTree())
	if err == nil {
		_, err = p.branchFiles(p.found.Root)
	}
	if err != nil { // without it nothing is told, and all notes would count as those of the branch
		return t, err
	}
	t = Trusted{Dir: p.found.Root, Branch: p.Branch()}
	told, texts := p.told(), map[string]string{}
	for _, row := range p.index.All(false) {
		if !told(row.Name, row.Revision) {
			texts[seenHere+row.Name] = row.Revision
			t.Notes++
		}
	}
	for file, blob := range files {
		if !strings.HasPrefix(file, marker.Name+"/") {
			texts[seenHere+"/"+file] = blob
		}
	}
	return t, p.ledger.RecordAll(texts)
}

// CountUnreviewed counts the notes that came from others since the user last looked.
func (p *Project) CountUnreviewed() int {
	stamps, isNew := p.index.Stamps(), p.unreviewed()
	return p.index.CountRevisions(func(name, revision string) bool { return isNew(name, revision, stamps[name].ModTime) })
}

// coarse is how far the time of a file may lie behind the clock.
const coarse = 20 * time.Millisecond

// Looked enters that the user has looked at what came from others up to a time, in nanoseconds.
func (p *Project) Looked(at int64) error {
	return p.ledger.Record(looked, strconv.FormatInt(at-int64(coarse), 10))
}
