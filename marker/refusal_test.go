package marker_test

import (
	"context"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blue/errors"
	"blue/marker"
)

// What detection would refuse afterwards is refused before anything is made.
func TestNothingIsLeft(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("owners and modes of Unix")
	}
	later := "a/.blue/project.yaml=format: 9\n"
	for _, c := range []struct {
		name  string
		tree  []string
		rules func(*marker.Rules, site)
		dir   string
		kind  errors.Kind
	}{
		{"open to all", []string{"a/"}, mode("a", 0o777), "a", errors.UntrustedProject},
		{"open to all, sticky", []string{"a/"}, mode("a", 0o777|os.ModeSticky), "a", errors.UntrustedProject},
		{"open to all, by a link", []string{"a/", "link->$/a"}, mode("a", 0o777), "link", errors.UntrustedProject},
		{"open to all, a marker is there", []string{"a/.blue/"}, mode("a", 0o777), "a", errors.UntrustedProject},
		{"the marker of another user", []string{"a/.blue/"}, stranger, "a", errors.UntrustedProject},
		{"the marker of a later Blue", []string{later}, func(*marker.Rules, site) {}, "a", errors.UnknownFormat},
		{"a link to a name that is no path", []string{"a\u0085b/", "link->$/a\u0085b"}, func(*marker.Rules, site) {}, "link", errors.BadPath},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.build(c.tree...)
			rules := s.rules()
			c.rules(&rules, s)
			before := snapshot(t, s.base)
			root, created, err := marker.Create(s.path(c.dir), "", rules)
			if !errors.Is(err, c.kind) || root != "" || created {
				t.Errorf("Create returns %q, %v, %v, want kind %s", root, created, err, c.kind)
			}
			if after := snapshot(t, s.base); !slices.Equal(before, after) {
				t.Errorf("Create left\n%s", strings.Join(after, "\n"))
			}
		})
	}
}

// What the person trusts can be a project, as detection says too.
func TestTrusted(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("a/")
	s.chmod("a", 0o777)
	rules := s.rules()
	trusting(&rules, s)
	rules.UID = 0
	if root, created, err := marker.Create(s.path("a"), "", rules); err != nil || !created || root != s.path("a") {
		t.Errorf("Create returns %q, %v, %v", root, created, err)
	}
	if found, err := s.choose(rules, from(marker.Argument, "$/a")...); err != nil || found.Root != s.path("a") {
		t.Errorf("detection says %+v, %v", found, err)
	}
}

// No project lies inside the marker of another one.
func TestInsideAMarker(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("p/.blue/notes/deep/", "link->$/p/.blue/notes", "free/.bluebird/x/", "q/.blue=a file")
	before := snapshot(t, s.base)
	for _, dir := range []string{"p/.blue", "p/.blue/notes", "p/.blue/notes/deep", "link", "link/deep"} {
		root, created, err := marker.Create(s.path(dir), "", s.rules())
		if !errors.Is(err, errors.BadPath) || created || root != "" {
			t.Fatalf("Create(%s) returns %q, %v, %v", dir, root, created, err)
		}
		if !strings.Contains(err.Error(), "inside the .blue directory of the project "+s.path("p")) {
			t.Errorf("Create(%s) says %q", dir, err)
		}
	}
	if after := snapshot(t, s.base); !slices.Equal(before, after) {
		t.Errorf("a refusal changed the tree:\n%s", strings.Join(after, "\n"))
	}
	if _, created, err := marker.Create(s.path("free/.bluebird/x"), "", s.rules()); err != nil || !created {
		t.Errorf("a name that only begins like a marker: %v, %v", created, err)
	}
}

// A linked worktree without a marker shares the notes of its main tree.
func TestShared(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name           string
		tree           []string
		dir            string
		main, worktree string
	}{
		{"the top", worktree("m", "wt", "m/.blue/"), "wt", "m", "wt"},
		{"below it", worktree("m", "wt", "m/.blue/"), "wt/src", "m", "wt"},
		{"inside the main tree", worktree("m", "m/wt", "m/.blue/"), "m/wt", "m", "m/wt"},
		{"a file in the way of the marker", worktree("m", "wt", "m/.blue/", "wt/.blue=x"), "wt", "m", "wt"},
		{"the main tree itself", worktree("m", "wt", "m/.blue/"), "m", "", ""},
		{"a marker of its own", worktree("m", "wt", "m/.blue/", "wt/.blue/"), "wt", "", ""},
		{"below a marker of its own", worktree("m", "wt", "m/.blue/", "wt/.blue/"), "wt/src", "", ""},
		{"a project in it", worktree("m", "wt", "m/.blue/", "wt/src/.blue/"), "wt/src", "", ""},
		{"a marker that leaves the notes to main", worktree("m", "wt", "m/.blue/", "wt/.blue/project.yaml=notes: notebook\n"), "wt", "", ""},
		{"main has no project", worktree("m", "wt"), "wt", "", ""},
		{"main has no project, a parent has", worktree("p/m", "p/wt", "p/.blue/"), "p/wt", "", ""},
		{"main is refused", worktree("m", "wt", "m/.blue->$/x"), "wt", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.build(c.tree...)
			main, top := marker.SharedProject(context.Background(), s.rules(), s.path(c.dir))
			if main != where(s, c.main) || top != where(s, c.worktree) {
				t.Errorf("main is %q and worktree %q", main, top)
			}
		})
	}
}

// A server is told what it cannot serve.
func TestUnservable(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("a/", "file=x", "link->$/a", "dead->$/none")
	for name, want := range map[string]string{
		"a": "", "link": "", "none": "does not exist", "dead": "does not exist", "file": "is not a directory",
	} {
		if reason := marker.Unservable(s.path(name)); reason != want {
			t.Errorf("%s: %q, want %q", name, reason, want)
		}
	}
}
