package marker_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"

	"blue/errors"
	"blue/marker"
)

// stranger makes every marker of the test belong to another user than the one
// who asks: the files are the tester's, and somebody else asks.
func stranger(r *marker.Rules, _ site) { r.UID = os.Geteuid() + 1 }

func trusting(r *marker.Rules, s site) { onlyTrusting("a")(r, s) }

func onlyTrusting(name string) func(*marker.Rules, site) {
	return func(r *marker.Rules, s site) {
		stranger(r, s)
		r.Trusted = func(root string) bool { return root == s.path(name) }
	}
}

func mode(name string, bits os.FileMode) func(*marker.Rules, site) {
	return func(_ *marker.Rules, s site) { s.chmod(name, bits) }
}

func TestTrust(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("owners and modes of Unix")
	}
	var every []row // each source leads to another user's project, and those behind it to one's own
	for i, source := range marker.Sources() {
		r := row{name: "of another user, from " + string(source), tree: three, rules: onlyTrusting("b"), from: from(source, uri+"/a"), kind: errors.UntrustedProject, trace: string(source) + ":refused",
			text: []string{fmt.Sprintf("Untrusted project: $/a belongs to uid %d, you are %d. Run: blue trust $/a\n", os.Geteuid(), os.Geteuid()+1)}}
		for _, later := range marker.Sources()[i+1:] {
			r.from = append(r.from, from(later, "$/b")...)
		}
		every = append(every, r)
	}
	runRows(t, every)
	runRows(t, []row{
		{name: "trusted", tree: three, rules: trusting, from: from(marker.Argument, "$/a"), root: "a", trace: "argument:used"},
		{name: "another is trusted", tree: three, rules: trusting, from: from(marker.Argument, "$/b"), kind: errors.UntrustedProject, trace: "argument:refused"},
		{name: "writable by everyone", tree: three, rules: mode("a", 0o777), from: from(marker.Env, "$/a"), kind: errors.UntrustedProject,
			trace: "env:refused", text: []string{"Untrusted project: $/a is writable by everyone. Run: blue trust $/a\n"}},
		{name: "writable by everyone, trusted", tree: three, rules: func(r *marker.Rules, s site) { s.chmod("a", 0o777); trusting(r, s) }, from: from(marker.Env, "$/a"), root: "a", trace: "env:used"},
		{name: "project in a shared directory", tree: []string{"tmp/.blue/", "tmp/p/.blue/"}, rules: mode("tmp", 0o1777), from: from(marker.Cwd, "$/tmp/p"), root: "tmp/p", trace: "cwd:used"},
		{name: "marker in a shared directory", tree: []string{"tmp/.blue/", "tmp/q/"}, rules: mode("tmp", 0o1777), from: from(marker.Cwd, "$/tmp/q"), kind: errors.UntrustedProject,
			trace: "cwd:refused", text: []string{"Untrusted project: $/tmp is writable by everyone."}},
		{name: "directory below is writable by everyone", tree: []string{"a/.blue/", "a/x/"}, rules: mode("a/x", 0o777), from: from(marker.Argument, "$/a/x"), root: "a", trace: "argument:used"},
		{name: "project.yaml says that it is trusted", tree: []string{"a/.blue/project.yaml=format: 1\ntrust: true\ntrusted: '*'\n"}, rules: stranger, from: from(marker.Argument, "$/a"),
			kind: errors.UntrustedProject, trace: "argument:refused"},
		{name: "checks in order", tree: []string{"a/.blue/project.yaml=format: 9\n"}, rules: stranger, from: from(marker.Argument, "$/a"),
			kind: errors.UntrustedProject, trace: "argument:refused"},
	})
}

// For root, whose files are everyone's, the owner does not matter.
func TestRootOwnsAll(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root")
	}
	s := newSite(t)
	s.build("a/.blue/")
	s.check(os.Chown(s.path("a/.blue"), 65534, 65534))
	if found, err := s.choose(s.rules(), from(marker.Argument, "$/a")...); err != nil || found.Root != s.path("a") {
		t.Errorf("%s, %v", found.Root, err)
	}
}

func TestAllowed(t *testing.T) {
	allow := func(names ...string) func(*marker.Rules, site) {
		return func(r *marker.Rules, s site) {
			r.Cwd = marker.NotOverHTTP
			for _, name := range names {
				r.Allowed = append(r.Allowed, s.path(name))
			}
		}
	}
	tree := []string{"w/p/.blue/", "w/bare/", "w-evil/p/.blue/", "etc/p/.blue/", "etc/bare/", "w/out->$/etc/p", "w/away->$/etc/bare", "link->$/w"}
	runRows(t, []row{
		{name: "inside", tree: tree, rules: allow("w"), from: from(marker.Argument, "$/w/p"), root: "w/p", trace: "argument:used"},
		{name: "allowed by a link", tree: tree, rules: allow("link"), from: from(marker.Argument, "$/w/p"), root: "w/p", trace: "argument:used"},
		{name: "spelled as given", tree: tree, rules: allow("link"), from: from(marker.Argument, "$/link/p"), root: "w/p", trace: "argument:used"},
		{name: "name that begins alike", tree: tree, rules: allow("w"), from: from(marker.Argument, "$/w-evil/p"), kind: errors.OutsideAllowedRoots,
			trace: "argument:outside", text: []string{"$/w-evil/p is outside the directories this server serves: $/w. Restart it with --allow-root $/w-evil/p."}},
		{name: "missing", tree: tree, rules: allow("w"), from: from(marker.Argument, "$/nowhere"), kind: errors.OutsideAllowedRoots, trace: "argument:outside"},
		{name: "outside, from a query", tree: tree, rules: allow("home"), from: from(marker.Query, "$/w/p"), kind: errors.OutsideAllowedRoots, trace: "query:outside", text: []string{"--allow-root"}},
		{name: "link to the outside", tree: tree, rules: allow("w"), from: from(marker.Argument, "$/w/out"), kind: errors.OutsideAllowedRoots,
			trace: "argument:outside", text: []string{"$/etc/p is outside the directories"}},
		{name: "link to the outside, without marker", tree: tree, rules: allow("w"), from: from(marker.Argument, "$/w/away"), kind: errors.OutsideAllowedRoots, trace: "argument:outside"},
		{name: "marker above the allowed directory", tree: []string{"w/.blue/", "w/x/y/"}, rules: allow("w/x"), from: from(marker.Argument, "$/w/x/y"), kind: errors.NotDetected,
			trace: "argument:no_marker", text: []string{"2 levels, ended at allowed directory $/w/x"}},
		{name: "root outside", tree: tree, rules: allow("w"), from: roots(uri + "/etc/p"), kind: errors.OutsideAllowedRoots,
			trace: "roots:outside", text: []string{"$/etc/p is outside", "Process cwd: not used over HTTP"}},
		{name: "initialize after a root outside", tree: tree, rules: allow("w"), from: join(roots(uri+"/etc/p"), from(marker.Initialize, uri+"/w/p")), kind: errors.OutsideAllowedRoots,
			trace: "roots:outside initialize:stopped"},
		{name: "env after codex outside", tree: tree, rules: allow("w"), from: join(from(marker.Codex, "$/etc/p"), from(marker.Env, "$/w/p")), root: "w/p", trace: "codex:outside env:used"},
		{name: "second root inside", tree: tree, rules: allow("w"), from: roots(uri+"/etc/p", uri+"/w/p"), root: "w/p", trace: "roots:outside roots:used"},
		{name: "main of a worktree outside", tree: []string{"w/wt/.git=gitdir: ../../etc/r/.git/worktrees/wt\n", "etc/r/.blue/", "etc/r/.git/worktrees/wt/commondir=../..\n",
			"etc/r/.git/worktrees/wt/gitdir=$/w/wt/.git\n"}, rules: allow("w"), from: from(marker.Argument, "$/w/wt"), kind: errors.OutsideAllowedRoots,
			trace: "argument:outside", text: []string{"$/etc/r is outside"}},
	})
}

// The trust list is asked again for each call.
func TestTrustIsAskedAgain(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("owners of Unix")
	}
	s := newSite(t)
	s.build(three...)
	rules, trusted := s.rules(), false
	stranger(&rules, s)
	rules.Trusted = func(string) bool { return trusted }
	for _, trusted = range []bool{false, true, false} {
		_, err := s.choose(rules, from(marker.Cwd, "$/a")...)
		if trusted != (err == nil) || err != nil && !strings.Contains(err.Error(), "blue trust") {
			t.Errorf("trusted %v gives %v", trusted, err)
		}
	}
}
