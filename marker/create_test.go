package marker_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"blue/errors"
	"blue/marker"
)

func TestCreate(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("a/x/", "link->$/a")
	root, created, err := marker.Create(s.path("link"), `it's "ours": ü`, s.rules())
	if err != nil || !created || root != s.path("a") {
		t.Fatalf("Create returns %s, %v, %v", root, created, err)
	}
	for name, want := range map[string]string{
		"project.yaml":   `^format: 1\nid: [a-z2-7]{26}\nname: "it's \\"ours\\": ü"\n$`,
		".gitignore":     `^private/\nhistory/\ntrash/\n\.lock\n\.tmp-\*\nnotebook/\n$`,
		".gitattributes": `^\*\.md text eol=lf\n$`,
	} {
		text, err := os.ReadFile(s.path("a/.blue/" + name))
		if err != nil || !regexp.MustCompile(want).Match(text) {
			t.Errorf("%s is %q, %v", name, text, err)
		}
	}
	found, err := s.choose(s.rules(), from(marker.Cwd, "$/a/x")...)
	if err != nil || found.Root != root || found.Name != `it's "ours": ü` || len(found.ID) != 26 || len(found.Warnings) > 0 {
		t.Errorf("the new project is %+v, %v", found, err)
	}
	before := snapshot(t, s.base)
	root, created, err = marker.Create(s.path("a"), "other", s.rules())
	if err != nil || created || root != s.path("a") || !slices.Equal(before, snapshot(t, s.base)) {
		t.Errorf("Create returns %s, %v, %v, and the tree is\n%s", root, created, err, strings.Join(snapshot(t, s.base), "\n"))
	}
}

// A marker of another tool is adopted: what is missing is added, the rest stays.
func TestAdopt(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("a/.blue/.gitignore=mine\n", "a/.blue/theirs/x=y")
	root, created, err := marker.Create(s.path("a"), "", s.rules())
	if err != nil || created || root != s.path("a") {
		t.Fatalf("Create returns %s, %v, %v", root, created, err)
	}
	mine, _ := os.ReadFile(s.path("a/.blue/.gitignore"))
	entries, err := os.ReadDir(s.path("a/.blue"))
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if string(mine) != "mine\n" || err != nil || !slices.Equal(names, []string{".gitattributes", ".gitignore", "project.yaml", "theirs"}) {
		t.Errorf(".gitignore is %q, entries %v, %v", mine, names, err)
	}
}

// Where no project can be, none is made, and none of a later Blue is touched.
func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("linked/.blue->$/x", "blocked/.blue=text", "file=x", "later/.blue/project.yaml=format: 2\n")
	before := snapshot(t, s.base)
	for _, c := range []struct {
		dir  string
		kind errors.Kind
	}{
		{s.path("home"), errors.BadPath},
		{filepath.VolumeName(s.base) + string(filepath.Separator), errors.BadPath},
		{s.path("none"), errors.BadPath},
		{s.path("file"), errors.BadPath},
		{s.path("blocked"), errors.BadPath},
		{s.path("linked"), errors.BadMarker},
		{s.path("later"), errors.UnknownFormat},
		{"relative", errors.BadPath},
	} {
		root, created, err := marker.Create(c.dir, "", s.rules())
		if !errors.Is(err, c.kind) || created || root != "" {
			t.Errorf("Create(%s) returns %q, %v, %v, want kind %s", c.dir, root, created, err, c.kind)
		}
	}
	if !slices.Equal(before, snapshot(t, s.base)) {
		t.Errorf("a refusal changed the tree")
	}
}

func TestCreateReadOnly(t *testing.T) {
	t.Parallel()
	if os.Geteuid() <= 0 {
		t.Skip("root writes anywhere, and Windows knows no such mode: run as an ordinary user of Unix")
	}
	s := newSite(t)
	s.build("a/")
	s.chmod("a", 0o555)
	if _, _, err := marker.Create(s.path("a"), "", s.rules()); !errors.Is(err, errors.Disk) {
		t.Errorf("Create on a read-only directory returns %v, want kind disk", err)
	}
}

// Several at once agree on one project, and leave no temporary file.
func TestCreateAtOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for round := range 30 {
		dir := fmt.Sprintf("a%d", round)
		s.build(dir + "/")
		made, ids, start := atomic.Int32{}, sync.Map{}, make(chan struct{})
		var all sync.WaitGroup
		for range 8 {
			all.Go(func() {
				<-start
				_, created, err := marker.Create(s.path(dir), "", s.rules())
				found, missing := s.choose(s.rules(), from(marker.Argument, "$/"+dir)...)
				if err != nil || missing != nil {
					t.Error(err, missing)
				}
				if ids.Store(found.ID, true); created {
					made.Add(1)
				}
			})
		}
		close(start)
		all.Wait()
		different := 0
		ids.Range(func(any, any) bool { different++; return true })
		entries, _ := os.ReadDir(s.path(dir + "/.blue"))
		if made.Load() != 1 || different != 1 || len(entries) != 3 {
			t.Fatalf("made %d times, %d ids, %d entries", made.Load(), different, len(entries))
		}
	}
}

func TestSurroundings(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("a/.blue/", "a/b/.git/", "a/b/c/", "free/", "home/.git/", "home/x/")
	for _, c := range []struct{ dir, outer, repository string }{
		{"a/b/c", "a", "a/b"}, {"a/b", "a", "a/b"}, {"a", "", ""}, {"free", "", ""}, {"home/x", "", ""},
	} {
		outer, repository := marker.Surroundings(context.Background(), s.rules(), s.path(c.dir))
		if outer != where(s, c.outer) || repository != where(s, c.repository) {
			t.Errorf("%s lies in project %q and repository %q", c.dir, outer, repository)
		}
	}
}

func where(s site, name string) string {
	if name == "" {
		return ""
	}
	return s.path(name)
}
