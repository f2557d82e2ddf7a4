package marker_test

import (
	"os"
	"strings"
	"testing"

	"blue/errors"
	"blue/marker"
)

// worktree lays out a repository in main and a linked worktree in wt, as git does.
func worktree(main, wt string, more ...string) []string {
	admin := main + "/.git/worktrees/wt"
	return append([]string{
		wt + "/src/", admin + "/commondir=../..\n", admin + "/gitdir=$/" + wt + "/.git\n",
		wt + "/.git=gitdir: $/" + admin + "\n",
	}, more...)
}

func TestWorktrees(t *testing.T) {
	at := from(marker.Argument, "$/wt/src")
	rows := []struct {
		row
		worktree string
	}{
		{row{name: "own marker", tree: worktree("m", "wt", "wt/.blue/", "m/.blue/"), from: at, root: "wt"}, "wt"},
		{row{name: "marker in main", tree: worktree("m", "wt", "m/.blue/"), from: at, root: "m"}, "wt"},
		{row{name: "marker is a file", tree: worktree("m", "wt", "wt/.blue=x", "m/.blue/"), from: at, root: "m"}, "wt"},
		{row{name: "worktree of a bare repository, own marker", tree: []string{"wt/src/", "wt/.blue/", "wt/.git=gitdir: $/r.git/worktrees/wt\n", "r.git/worktrees/wt/commondir=../..\n",
			"r.git/worktrees/wt/gitdir=$/wt/.git\n"}, from: at, root: "wt"}, "wt"},
		{row{name: "relative links", tree: append(worktree("m", "wt", "m/.blue/")[:2], "m/.git/worktrees/wt/gitdir=../../../../wt/.git\n",
			"wt/.git=gitdir: ../m/.git/worktrees/wt\n", "m/.blue/"), from: at, root: "m"}, "wt"},
		{row{name: "main before the directory above", tree: worktree("p/m", "p/wt", "p/.blue/", "p/m/.blue/"), from: from(marker.Argument, "$/p/wt"), root: "p/m"}, "p/wt"},
		{row{name: "marker in the directory above", tree: worktree("p/m", "p/wt", "p/.blue/"), from: from(marker.Argument, "$/p/wt"), root: "p"}, ""},
		{row{name: "from blue_use", tree: worktree("m", "wt", "m/.blue/"), from: from(marker.Use, "$/wt"), root: "m"}, "wt"},
		{row{name: "inside the project", tree: worktree("m", "m/trees/wt", "m/.blue/"), from: from(marker.Argument, "$/m/trees/wt/src"), root: "m"}, "m/trees/wt"},
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.build(r.tree...)
			found, err := s.choose(s.rules(), r.from...)
			r.trace = string(r.from[0].Source) + ":used"
			r.verify(t, s, found, err)
			if want := s.path(r.worktree); r.worktree != "" && found.Worktree != want || r.worktree == "" && found.Worktree != "" {
				t.Errorf("worktree is %q, want %q", found.Worktree, want)
			}
		})
	}
	runRows(t, []row{
		{name: "worktree of a bare repository", tree: []string{"p/.blue/", "p/wt/.git=gitdir: $/repo.git/worktrees/wt\n", "repo.git/worktrees/wt/commondir=../..\n", "repo.git/worktrees/wt/gitdir=$/p/wt/.git\n"},
			from: from(marker.Argument, "$/p/wt"), root: "p", trace: "argument:used"},
		{name: "no marker", tree: worktree("m", "wt"), from: at, kind: errors.NotDetected, trace: "argument:no_marker", text: []string{"Run 'blue init $/m'"}},
		{name: "no marker, from roots", tree: worktree("m", "wt"), from: roots(uri + "/wt"), kind: errors.NotDetected, trace: "roots:no_marker", text: []string{"Run 'blue init $/m'"}},
		{name: "main refused", tree: worktree("m", "wt", "m/.blue->$/x"), from: at, kind: errors.BadMarker, trace: "argument:refused"},
		{name: "main of a later format", tree: worktree("m", "wt", "m/.blue/project.yaml=format: 7"), from: at, kind: errors.UnknownFormat, trace: "argument:refused"},
		{name: "main is home", tree: worktree("home", "wt", "home/.blue/"), from: at, kind: errors.NotDetected, trace: "argument:no_marker"},
	})
}

// Links that do not agree lead nowhere, and the trace says so.
func TestForgedWorktrees(t *testing.T) {
	for name, tree := range map[string][]string{
		"no back link":     {"wt/.git=gitdir: $/m/.git/worktrees/wt\n", "m/.git/worktrees/wt/commondir=../..\n"},
		"other back link":  {"wt/.git=gitdir: $/m/.git/worktrees/wt\n", "m/.git/worktrees/wt/commondir=../..\n", "m/.git/worktrees/wt/gitdir=$/other/.git\n", "other/.git=x"},
		"own admin":        {"wt/.git=gitdir: ./fake\n", "wt/fake/commondir=$/m/.git\n", "wt/fake/gitdir=$/wt/.git\n", "m/.git/HEAD=x"},
		"too long":         {"wt/.git=gitdir: $/m/.git/worktrees/wt\n" + strings.Repeat("\n", 5000), "m/.git/worktrees/wt/commondir=../..\n", "m/.git/worktrees/wt/gitdir=$/wt/.git\n"},
		"linked commondir": {"wt/.git=gitdir: $/m/.git/worktrees/wt\n", "m/.git/worktrees/wt/commondir->$/elsewhere", "elsewhere=../..\n", "m/.git/worktrees/wt/gitdir=$/wt/.git\n"},
		"no gitdir":        {"wt/.git=hello", "m/.git/HEAD=x"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.build(append(tree, "m/.blue/", "p/")...)
			_, err := s.choose(s.rules(), from(marker.Argument, "$/wt")...)
			text := errors.Of(err).Text()
			if !errors.Is(err, errors.NotDetected) || !strings.Contains(text, "ignored "+s.path("wt/.git")) {
				t.Errorf("%s", text)
			}
		})
	}
}

// One store for main and worktree under fallback; two when both carry
// the marker, whatever id was committed.
func TestWorktreeIdentity(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build(worktree("m", "wt", "m/.blue/project.yaml=id: k\n")...)
	main, errM := s.choose(s.rules(), from(marker.Argument, "$/m")...)
	tree, errT := s.choose(s.rules(), from(marker.Argument, "$/wt")...)
	if errM != nil || errT != nil || main.ID != "k" || tree.ID != "k" || tree.Root != main.Root || tree.Inode != main.Inode {
		t.Errorf("%+v and %+v", main, tree)
	}
	s.build("wt/.blue/project.yaml=id: k\n")
	tree, errT = s.choose(s.rules(), from(marker.Argument, "$/wt")...)
	if errT != nil || tree.ID != main.ID || tree.Root == main.Root || tree.Inode == main.Inode {
		t.Errorf("%+v and %+v, %v", main, tree, errT)
	}
	s.check(os.RemoveAll(s.path("wt/.blue")))
	found, err := s.choose(s.rules(), roots(uri+"/m", uri+"/wt")...)
	if err != nil || len(found.OtherRoots) != 0 {
		t.Errorf("one project twice, others %v, %v", found.OtherRoots, err)
	}
}
