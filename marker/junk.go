package marker

import (
	"cmp"
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// resolvedRules holds the rules of one call with the physical paths of their directories.
type resolvedRules struct {
	Rules
	homes, allowed, installed []string
	home                      fs.FileInfo // nil when unknown
}

func (r Rules) resolve() *resolvedRules {
	g := &resolvedRules{
		Rules:     r,
		homes:     resolveSpellings(r.Home),
		allowed:   r.resolveWithin(r.Allowed),
		installed: resolveSpellings(r.Installed...),
	}
	if len(g.homes) > 0 {
		g.home, _ = os.Stat(g.homes[0])
	}
	return g
}

// resolveWithin is like [resolveSpellings] with a time limit for each directory.
func (r Rules) resolveWithin(dirs []string) []string {
	if r.ruleLimiter == nil {
		return resolveSpellings(dirs...)
	}
	all := make([][]string, len(dirs))
	var group sync.WaitGroup
	for i, dir := range dirs {
		group.Go(func() {
			var both []string
			if r.ruleLimiter.runWithin(context.Background(), ruleTimeout, dir, func() { both = resolveSpellings(dir) }) == nil {
				all[i] = both
			} else if filepath.IsAbs(dir) {
				all[i] = []string{filepath.Clean(dir)}
			}
		})
	}
	group.Wait()
	return slices.Concat(all...)
}

// Unservable returns why a server cannot serve dir, a clean path, in words that follow it, or "" if
// dir is a directory. A directory on a mount that does not answer within a second is accepted
// unchecked.
func Unservable(dir string) (reason string) {
	var fault string
	err := newDiskLimiter(maxJobs).runWithin(context.Background(), ruleTimeout, dir, func() {
		if info, err := os.Stat(dir); err != nil {
			fault = describeDiskError(err)
		} else if !info.IsDir() {
			fault = "is not a directory"
		}
	})
	if err != nil {
		return "" // the job may still write to fault
	}
	return fault
}

// resolveSpellings returns each absolute directory as given and also, if different, its physical
// path.
func resolveSpellings(dirs ...string) (all []string) {
	for _, dir := range dirs {
		if !filepath.IsAbs(dir) {
			continue
		}
		all = append(all, filepath.Clean(dir))
		if real, err := filepath.EvalSymlinks(dir); err == nil && real != filepath.Clean(dir) {
			all = append(all, real)
		}
	}
	return all
}

// servesDir reports whether the server may work in dir. Without a list of allowed directories it
// may work anywhere.
func (g *resolvedRules) servesDir(dir string) bool {
	inside := func(allowed string) bool { return isWithin(dir, allowed) }
	return len(g.Allowed) == 0 || slices.ContainsFunc(g.allowed, inside)
}

// reservedReason returns why a directory can never be a project: it is a root, or the home
// directory. Otherwise it returns "".
func (g *resolvedRules) reservedReason(dir string, info fs.FileInfo) string {
	if filepath.Dir(dir) == dir {
		return "a root directory is never a project"
	}
	if g.isHome(dir, info) {
		return "the home directory is never a project"
	}
	return ""
}

// neverProjectReason returns why the place of a directory rules it out: it is reserved, or above
// the home directory. A directory above the home directory is still a project if a person has
// created one there, as its project.yaml shows: HOME may be inside a project in a container or a
// test.
func (g *resolvedRules) neverProjectReason(dir string, info fs.FileInfo) string {
	if reason := g.reservedReason(dir, info); reason != "" {
		return reason
	}
	above := func(home string) bool { return isWithin(home, dir) }
	if slices.ContainsFunc(g.homes, above) && !(g.servesDir(dir) && isInitialized(dir)) {
		return "a directory above the home directory is a project only after `blue init`"
	}
	return ""
}

// isInitialized reports whether the directory has the files that [Create] writes, not a bare
// marker.
func isInitialized(dir string) bool {
	file := filepath.Join(dir, Name, projectFile)
	info, err := os.Lstat(file)
	return err == nil && info.Mode().IsRegular()
}

// isTrusted reports whether the user trusts the directory.
func (g *resolvedRules) isTrusted(dir string) bool { return g.Trusted != nil && g.Trusted(dir) }

// isHome reports whether dir is the home directory. It also compares files, since the home
// directory may have several names.
func (g *resolvedRules) isHome(dir string, info fs.FileInfo) bool {
	return slices.Contains(g.homes, dir) || g.home != nil && info != nil && os.SameFile(info, g.home)
}

// junkReason returns why a candidate is not walked: because of its place, or because the directory
// belongs to a program.
func (g *resolvedRules) junkReason(dir string, info fs.FileInfo) string {
	return cmp.Or(g.neverProjectReason(dir, info), g.installedReason(dir), g.hiddenReason(dir))
}

// installedReason returns that a directory belongs to an installed program, or "".
func (g *resolvedRules) installedReason(dir string) string {
	below := func(top string) bool { return isWithin(dir, top) }
	if slices.ContainsFunc(g.installed, below) || isWithin(dir, "/Applications") {
		return "the directory belongs to an installed program"
	}
	return ""
}

// hiddenReason returns that a directory lies below a dot directory of the home directory, or "".
// Clients, plugins and caches keep their files there. The directory still counts if a person has
// created a project there, as its project.yaml shows, and in a linked worktree of git, which some
// clients make there.
func (g *resolvedRules) hiddenReason(dir string) string {
	for _, home := range g.homes {
		if !isWithin(dir, home) {
			continue
		}
		parts := strings.FieldsFunc(dir[len(home):], isSeparator)
		if len(parts) < 2 || !strings.HasPrefix(parts[0], ".") {
			continue
		}
		for at := dir; len(at) > len(home); at = filepath.Dir(at) {
			if !g.servesDir(at) {
				continue
			}
			if t, _ := readGitEntry(at); t.linked || isInitialized(at) {
				return ""
			}
		}
		return "a directory below a dot directory of the home directory is a project only after `blue init`"
	}
	return ""
}
