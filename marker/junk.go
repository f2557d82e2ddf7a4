package marker

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// ground is the rules of one call as the disk spells them: each directory as
// given and, when another, by its physical path.
type ground struct {
	Rules
	homes, ceilings, allowed, installed []string
	home                                fs.FileInfo // nil when unknown
}

// survey resolves the directories of the rules.
func (r Rules) survey() *ground {
	g := &ground{
		Rules:     r,
		homes:     spellings(r.Home),
		ceilings:  r.bounded(r.Ceilings),
		allowed:   r.bounded(r.Allowed),
		installed: spellings(r.Installed...),
	}
	if len(g.homes) > 0 {
		g.home, _ = os.Stat(g.homes[0])
	}
	return g
}

// ruleTime is how long the directories that a person gave may take to be resolved. One
// on a mount that does not answer counts by its given name alone, and keeps no call for
// the others but the first.
const ruleTime = time.Second

// bounded is spellings within ruleTime.
func (r Rules) bounded(dirs []string) []string {
	if r.given == nil {
		return spellings(dirs...)
	}
	all := make([][]string, len(dirs))
	var group sync.WaitGroup
	for i, dir := range dirs {
		group.Go(func() {
			var both []string
			if r.given.run(context.Background(), ruleTime, dir, func() { both = spellings(dir) }) == nil {
				all[i] = both
			} else if filepath.IsAbs(dir) {
				all[i] = []string{filepath.Clean(dir)}
			}
		})
	}
	group.Wait()
	return slices.Concat(all...)
}

// Unservable says why a server cannot serve what lies below dir, a clean path, in
// words that follow it: empty when dir is a directory. One on a mount that does not
// answer within a second is taken as it is named.
func Unservable(dir string) (reason string) {
	answered := make(chan string, 1)
	err := newDisk().run(context.Background(), ruleTime, dir, func() {
		switch info, err := os.Stat(dir); {
		case err != nil:
			answered <- why(err)
		case !info.IsDir():
			answered <- "is not a directory"
		default:
			answered <- ""
		}
	})
	if err != nil {
		return ""
	}
	return <-answered
}

func spellings(dirs ...string) (all []string) {
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

// serves reports whether the server may work in dir: everywhere, unless it is
// bound to directories.
func (g *ground) serves(dir string) bool {
	inside := func(allowed string) bool { return within(dir, allowed) }
	return len(g.Allowed) == 0 || slices.ContainsFunc(g.allowed, inside)
}

// reserved says why a directory can never be a project: it is a root, or the home
// directory. Empty when it is neither.
func (g *ground) reserved(dir string, info fs.FileInfo) string {
	if filepath.Dir(dir) == dir {
		return "a root directory is never a project"
	}
	if g.isHome(dir, info) {
		return "the home directory is never a project"
	}
	return ""
}

// never says why a directory is junk by place: it is reserved, or lies above the home
// directory. The latter is a project all the same once a person has made it one, as
// project.yaml shows: HOME may lie in a project, in a container or a test.
func (g *ground) never(dir string, info fs.FileInfo) string {
	if reason := g.reserved(dir, info); reason != "" {
		return reason
	}
	above := func(home string) bool { return within(home, dir) }
	if slices.ContainsFunc(g.homes, above) && !(g.serves(dir) && initialized(dir)) {
		return "a directory above the home directory is a project only after `blue init`"
	}
	return ""
}

// initialized reports whether the directory holds what [Create] makes, not a bare marker.
func initialized(dir string) bool {
	info, err := os.Lstat(filepath.Join(dir, Name, projectFile))
	return err == nil && info.Mode().IsRegular()
}

// trusts asks the user's list.
func (g *ground) trusts(dir string) bool { return g.Trusted != nil && g.Trusted(dir) }

// user is the effective user.
func (g *ground) user() int {
	if g.UID != 0 {
		return g.UID
	}
	return self()
}

// isHome compares files too, for homes that have further names.
func (g *ground) isHome(dir string, info fs.FileInfo) bool {
	return slices.Contains(g.homes, dir) || g.home != nil && info != nil && os.SameFile(info, g.home)
}

// junk says why a candidate is not walked: by place, or because a client, plugin
// or cache owns the directory. What lies below an owned directory is owned, so a
// walk that starts outside of them meets none.
func (g *ground) junk(dir string, info fs.FileInfo) string {
	if reason := g.never(dir, info); reason != "" {
		return reason
	}
	return g.owned(dir)
}

// owned says which program owns a directory, empty for none.
func (g *ground) owned(dir string) string {
	below := func(top string) bool { return within(dir, top) }
	shipped := strings.Contains(dir, "agentPlugins") && plugins().MatchString(filepath.ToSlash(dir)+"/")
	if shipped || slices.ContainsFunc(g.installed, below) || within(dir, "/Applications") {
		return "the directory belongs to an installed program"
	}
	for _, home := range g.homes {
		if within(dir, home) && isClientOwned(filepath.ToSlash(dir[len(home):])) {
			return "the directory belongs to a client or cache"
		}
	}
	return ""
}

// isClientOwned takes what follows the home directory.
func isClientOwned(below string) bool {
	return strings.HasPrefix(strings.TrimPrefix(below, "/"), ".") && clientOwned().MatchString(below+"/")
}

var (
	clientOwned = pattern(`(?i)^/?(\.claude/plugins|\.codex/plugins|\.cache/uv|\.npm/_npx|\.vscode[^/]*/extensions|\.cursor/extensions)/`)

	// plugins matches a whole path: the plugin directories of VS Code and its kind
	// follow its settings, wherever they lie.
	plugins = pattern(`/(Code( - [^/]+)?|VSCodium|\.vscode[^/]*)/([^/]+/)*agentPlugins/`)
)

// pattern is compiled when it is first asked for: most processes never do.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
