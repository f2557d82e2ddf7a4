package marker_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/errors"
	"blue/fixtures"
	"blue/marker"
)

// deep is a path of n levels below name.
func deep(name string, n int) string { return name + strings.Repeat("/d", n) }

func TestWalk(t *testing.T) {
	at := func(path string) []marker.Candidate { return from(marker.Argument, "$/"+path) }
	runRows(t, []row{
		{name: "project in a project", tree: []string{"a/.blue/", "a/b/.blue/"}, from: at("a/b"), root: "a/b", trace: "argument:used"},
		{name: "nearest marker", tree: []string{"a/.blue/", "a/.git/", "a/b/.blue/", "a/b/c/"}, from: at("a/b/c"), root: "a/b", trace: "argument:used"},
		{name: "within the limit", tree: []string{"a/.blue/", deep("a", 19) + "/"}, from: at(deep("a", 19)), root: "a", trace: "argument:used"},
		{name: "beyond the limit", tree: []string{"a/.blue/", deep("a", 20) + "/"}, from: at(deep("a", 20)), kind: errors.NotDetected,
			trace: "argument:no_marker", text: []string{"20 levels, ended at limit 20"}},
		{name: "marker is a file", tree: []string{"a/.blue/", "a/b/.blue=text"}, from: at("a/b"), root: "a", trace: "argument:used", text: []string{"$/a/b/.blue is not a directory"}},
		{name: "marker is a link", tree: []string{"a/.blue/", "a/b/.blue->$/a/.blue"}, from: join(from(marker.Cwd, "$/a/b"), from(marker.WorkspaceFolderPaths, "$/a")), kind: errors.BadMarker,
			trace: "cwd:refused", text: []string{"Bad marker: $/a/b/.blue is a symbolic link; Blue accepts only a real directory.\n"}},
		{name: "marker is a dangling link", tree: []string{"a/.blue/", "a/b/.blue->$/none"}, from: at("a/b"), kind: errors.BadMarker, trace: "argument:refused"},
		{name: "marker in home", tree: []string{"home/.blue/", "home/x/y/"}, from: at("home/x/y"), kind: errors.NotDetected,
			trace: "argument:no_marker", text: []string{"3 levels, ended at home", "$/home/.blue does not count"}},
		{name: "linked marker in home", tree: []string{"home/.blue->$/a", "a/", "home/x/"}, from: at("home/x"), kind: errors.NotDetected, trace: "argument:no_marker"},
		{name: "home itself", tree: []string{"home/.blue/"}, from: at("home"), kind: errors.NotDetected, trace: "argument:junk", text: []string{"blue init DIR"}},
		{name: "above home", tree: []string{".blue/"}, from: from(marker.Cwd, "$/"), kind: errors.NoProject, trace: "cwd:junk"},
		{name: "home by a link", tree: []string{"home/.blue/", "link->home"}, from: at("link"), kind: errors.NotDetected, trace: "argument:junk"},
		{name: "repository in home", tree: []string{"home/.git/", "home/x/"}, from: at("home/x"), kind: errors.NotDetected,
			trace: "argument:no_marker", text: []string{"Run 'blue init $/home/x'"}},
		{name: "marker above", tree: []string{"srv/x/.blue/", "srv/x/y/"}, from: at("srv/x/y"), root: "srv/x", trace: "argument:used"},
		{name: "root directory", from: join(from(marker.Cwd, fixtures.Abs("/")), from(marker.WorkspaceFolderPaths, "$/home/.cache/uv/x")), kind: errors.NoProject,
			trace: "cwd:junk WORKSPACE_FOLDER_PATHS:unusable", text: []string{"- working directory: " + fixtures.Abs("/") + " - a root directory"}},
		{name: "directory of an installed program", tree: []string{"opt/ide/x/.blue/", "a/.blue/"}, rules: func(r *marker.Rules, s site) { r.Installed = []string{s.path("opt/ide")} },
			from: join(from(marker.Cwd, "$/opt/ide/x"), from(marker.WorkspaceFolderPaths, "$/a")), root: "a", trace: "cwd:junk WORKSPACE_FOLDER_PATHS:used"},
		{name: "repository without a marker", tree: []string{"a/.git/"}, from: at("a"), kind: errors.NotDetected, trace: "argument:no_marker", text: []string{"blue init $/a'"}},
		{name: "submodule", tree: []string{"a/.blue/", "a/.git/modules/sub/HEAD=x", "a/sub/.git=gitdir: ../.git/modules/sub\n"}, from: at("a/sub"), root: "a", trace: "argument:used"},
		{name: "bare repository", tree: []string{"a/.blue/", "a/bare.git/HEAD=ref: refs/heads/main\n", "a/bare.git/objects/"}, from: at("a/bare.git"), root: "a", trace: "argument:used"},
		{name: "missing directory", tree: three, from: at("none"), kind: errors.NotDetected, trace: "argument:unusable",
			text: []string{"Run 'blue init DIR'", "$/none does not exist.\n"}},
		{name: "marker two levels above", tree: []string{"a/.blue/", "a/x/y/"}, from: at("a/x/y"), root: "a", trace: "argument:used"},
	})
}

// Directories below a dot directory of the home directory belong to programs, whether or not they
// ship a marker, unless a person has made a project there.
func TestHiddenDirectories(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("a/.blue/")
	for _, dir := range []string{".claude/plugins", ".codex/plugins/x", ".cache/uv/x", ".config/Code/agentPlugins/x"} {
		s.build("home/" + dir + "/.blue/")
		found, err := s.choose(s.rules(), join(from(marker.Cwd, "$/home/"+dir), from(marker.WorkspaceFolderPaths, "$/a"))...)
		if err != nil || found.Root != s.path("a") || outline(found.Trace) != "cwd:junk WORKSPACE_FOLDER_PATHS:used" {
			t.Errorf("%s: %s, %v, trace %s", dir, found.Root, err, outline(found.Trace))
		}
	}
	s.build("home/.config/nvim/lua/")
	if _, _, err := marker.Create(s.path("home/.config/nvim"), "", s.rules()); err != nil {
		t.Fatal(err)
	}
	s.build("home/.dotfiles/.blue/", "home/code/.x/.blue/")
	s.build(worktree("home/m", "home/.cursor/worktrees/m/one", "home/m/.blue/")...)
	for start, root := range map[string]string{".config/nvim/lua": ".config/nvim", ".dotfiles": ".dotfiles", "code/.x": "code/.x", ".cursor/worktrees/m/one/src": "m"} {
		if found, err := s.choose(s.rules(), from(marker.Cwd, "$/home/"+start)...); err != nil || found.Root != s.path("home/"+root) {
			t.Errorf("%s is in a project of a person, got %v", start, err)
		}
	}
}

// Without a home a walk ends at the root of the file system.
func TestWalkEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("x/")
	_, err := s.choose(marker.Rules{}, from(marker.Cwd, "$/x")...)
	if !errors.Is(err, errors.NoProject) || !strings.Contains(errors.Of(err).Text(), "ended at "+filepath.VolumeName(s.base)+string(filepath.Separator)) {
		t.Errorf("%s", errors.Of(err).Text())
	}
}

// Neither the variables of git nor a missing git change anything.
func TestWithoutGit(t *testing.T) {
	s := newSite(t)
	s.build("a/.blue/", "a/bare.git/HEAD=ref: refs/heads/main\n", "a/bare.git/objects/", "b/.blue/", "b/.git/HEAD=ref: refs/heads/main\n", "x/")
	s.build(worktree("m", "wt", "m/.blue/")...)
	t.Setenv("GIT_DIR", s.path("b/.git"))
	t.Setenv("GIT_WORK_TREE", s.path("b"))
	t.Setenv("PATH", s.path("home"))
	for start, root := range map[string]string{"a/bare.git": "a", "wt/src": "m", "b": "b"} {
		if found, err := s.choose(s.rules(), from(marker.Cwd, "$/"+start)...); err != nil || found.Root != s.path(root) {
			t.Errorf("%s: %s, %v", start, found.Root, err)
		}
	}
	if _, err := s.choose(s.rules(), from(marker.Cwd, "$/x")...); !errors.Is(err, errors.NoProject) {
		t.Errorf("outside of every project: %v", err)
	}
}

// Who a project is.
func TestIdentity(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("x/app/.blue/", "y/app/.blue/", "z/.blue/project.yaml=format: 1\nid: k3\nname: 'Shop' # ours\n")
	a, errA := s.choose(s.rules(), from(marker.Cwd, "$/x/app")...)
	b, errB := s.choose(s.rules(), from(marker.Cwd, "$/y/app")...)
	if errA != nil || errB != nil || a.ID != s.path("x/app") || a.Name != "app" || b.ID == a.ID || b.Inode == a.Inode {
		t.Errorf("%+v and %+v", a, b)
	}
	for _, name := range []string{"z", "moved"} {
		found, err := s.choose(s.rules(), from(marker.Cwd, "$/"+name)...)
		if err != nil || found.ID != "k3" || found.Name != "Shop" || found.Root != s.path(name) {
			t.Errorf("%+v, %v", found, err)
		}
		_ = os.Rename(s.path("z"), s.path("moved"))
	}
	s.check(os.Rename(s.path("y"), s.path("w")))
	if c, err := s.choose(s.rules(), from(marker.Cwd, "$/w/app")...); err != nil || c.ID != s.path("w/app") || c.ID == b.ID {
		t.Errorf("without an id: %+v, %v", c, err)
	}
	s.build("link->$/w", "w/app/sub/")
	if c, err := s.choose(s.rules(), from(marker.Cwd, "$/link/app/sub")...); err != nil || c.ID != s.path("w/app") {
		t.Errorf("from below, by a link: %+v, %v", c, err)
	}
	s.check(os.Rename(s.path("x/app/.blue"), s.path("x/app/old")))
	s.build("x/app/.blue/")
	if again, err := s.choose(s.rules(), from(marker.Cwd, "$/x/app")...); err != nil || again.Inode == a.Inode {
		t.Errorf("a replaced marker has the same inode %d, %v", again.Inode, err)
	}
}

// What project.yaml may say.
func TestProjectFile(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("#\n", 40_000)
	for _, c := range []struct{ text, id, name, warning, format string }{
		{text: "", name: "p"},
		{text: "\ufeff---\r\n# ours\r\nformat: 1\r\nid: \"k-4\"  # stable\r\nname: It's: fine\r\n", warning: ": line 5: mapping values are not allowed"},
		{text: "id: k4\nname: 'It''s: fine'\ntrust: true\nx:\n  - y: [a]\n", id: "k4", name: "It's: fine"},
		{text: "name: \"a\\tb\"\n", name: `a\u{9}b`},
		{text: "name: a#b #c\nid: ~\n", name: "a#b"},
		{text: "id: k\nbroken\n", name: "p", warning: ": line 2: could not find expected ':'"},
		{text: "id: [k]\n", name: "p", warning: ": line 1: cannot unmarshal"},
		{text: "id: a/b\n", name: "p", warning: ": the id is not a word"},
		{text: "id: a\nname: x\nid: b\n", name: "p", warning: ": line 3: mapping key \"id\" already defined"},
		{text: "name: \"open\n", name: "p", warning: ": line 2: found unexpected end of stream"},
		{text: "name: 'a' b\n", name: "p", warning: ": did not find expected key"},
		{text: "id: \xff\n", name: "p", warning: ": invalid leading UTF-8 octet"},
		{text: long, name: "p", warning: ": longer than"},
		{text: "format: 2\n", format: "2"},
		{text: "broken\nformat: 2\n", format: "2"},
		{text: "format: [1]\n", format: "[1]"},
		{text: "'format': \"3\"\n", format: "3"},
		{text: "format: '1'\n", name: "p"},
	} {
		s := newSite(t)
		s.build("p/.blue/project.yaml=" + c.text)
		found, err := s.choose(s.rules(), from(marker.Argument, "$/p")...)
		if c.format != "" {
			want := fmt.Sprintf("%s has format %s; this Blue reads format 1. Update Blue.", s.path("p/.blue/project.yaml"), c.format)
			if !errors.Is(err, errors.UnknownFormat) || errors.Of(err).Message != want {
				t.Errorf("%q is %v, want %s", c.text, err, want)
			}
			continue
		}
		if c.id == "" {
			c.id = s.path("p")
		}
		if c.warning != "" {
			c.name = "p"
		}
		if err != nil || found.ID != c.id || found.Name != c.name {
			t.Errorf("%.40q gives id %q, name %q, %v", c.text, found.ID, found.Name, err)
		}
		if (c.warning == "") != (len(found.Warnings) == 0) || c.warning != "" && !strings.Contains(found.Warnings[0], s.path("p/.blue/project.yaml")+c.warning) {
			t.Errorf("%.40q gives warnings %q, want %q", c.text, found.Warnings, c.warning)
		}
	}
}

// Detection leaves no trace on the disk, whatever comes of it.
func TestOnlyReads(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("a/b/c/file=x", "a/.git/HEAD=x", "wt/.git=gitdir: ../a/.git/worktrees/wt\n", "a/.git/worktrees/wt/commondir=../..\n",
		"a/.git/worktrees/wt/gitdir=$/wt/.git\n", "p/.blue/project.yaml=broken",
		"later/.blue/project.yaml=format: 2\n", "home/.cache/uv/x/", "home/.claude/plugins/x/")
	before := snapshot(t, s.base)
	kinds := map[string]errors.Kind{}
	for _, dir := range []string{"a/b/c", "wt", "p", "none", "later", "home", "home/.cache/uv/x", "home/.claude/plugins/x"} {
		_, err := s.choose(s.rules(), join(roots(uri+"/"+dir), from(marker.Env, "$/"+dir))...)
		if err != nil {
			kinds[dir] = errors.Of(err).Kind
		}
	}
	if kinds["p"] != "" || kinds["later"] != errors.UnknownFormat || len(kinds) != 7 {
		t.Errorf("failures %v", kinds)
	}
	if after := snapshot(t, s.base); !slices.Equal(before, after) {
		t.Errorf("before\n%s\nafter\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
}

func snapshot(t *testing.T, base string) (lines []string) {
	t.Helper()
	err := filepath.WalkDir(base, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		var text []byte
		if d.Type().IsRegular() {
			text, err = os.ReadFile(path)
		}
		lines = append(lines, fmt.Sprintf("%s %s %d %q", path, info.Mode(), info.ModTime().UnixNano(), text))
		return err
	})
	must(t, err)
	return lines
}
