package marker_test

import (
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blue/fixtures"

	"blue/errors"
	"blue/marker"
)

// whole is a failure as a model reads it.
func whole(err error) string {
	text := errors.Of(err).Text()
	for _, h := range errors.Of(err).Hints {
		text += "\nhint: " + h.ForModel()
	}
	return text
}

func known(roots []marker.Candidate) func(context.Context) []marker.Candidate {
	return func(context.Context) []marker.Candidate { return roots }
}

// The whole text of a guided failure: what was heard by the names that the reader knows,
// and one or two steps that fit the case.
func TestGuidedFailures(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("p/.blue/", "q/.blue/", "bare/", "repo/.git/", "repo/x/")
	stdio, http, terminal := marker.Door{Session: true}, marker.Door{HTTP: true, Session: true, Restart: "--http 127.0.0.1:7865"}, marker.Door{Terminal: true}
	rooted := stdio
	rooted.Root = known(roots("file://" + s.path("p")))
	for _, c := range []struct {
		name string
		door marker.Door
		cwd  string
		from []marker.Candidate
		want string
	}{
		{"nothing known on stdio", stdio, "$/bare", from(marker.Cwd, "$/bare"), `Blue project not found. Run 'blue init' or pass 'cwd' parameter.
Process cwd: $/bare
- working directory: $/bare - no .blue/ there or above: N levels, ended at /
hint: pass cwd: the absolute path of the directory you work in
hint: to make a new project: ask the person to run ` + "`blue init $/bare`"},
		{"bad cwd beside a good session root", rooted, "$/bare", from(marker.Argument, "$/nowhere"), `Blue not detected in: $/nowhere. Expected .blue/ directory. Run 'blue init DIR' or pass 'cwd' parameter.
Source: argument. cwd argument: $/nowhere does not exist.
Process cwd: $/bare
- mcp_root: file://$/p - leads to the project at $/p
hint: omit cwd: this session's root is $/p`},
		{"bad cwd beside a bad session root", marker.Door{Session: true, Root: known(roots("file://" + s.path("bare")))}, "$/bare", from(marker.Argument, "relative"), errors.PathNotAbsolute("relative").Message + `
Source: argument. cwd argument: ` + strings.TrimPrefix(errors.PathNotAbsolute("relative").Message, "Path 'relative' ") + `.
Process cwd: $/bare
- mcp_root: file://$/bare - no .blue/ there or above: N levels, ended at /
hint: pass cwd: the absolute path of the directory you work in`},
		{"an open folder without a project", stdio, "$/p", join(roots(uri+"/repo/x"), from(marker.Env, ""), from(marker.Cwd, "$/p")), `Blue not detected in: $/repo/x. Expected .blue/ directory. Run 'blue init $/repo' or pass 'cwd' parameter.
Source: roots. mcp_root (roots): no .blue/ there or above: N levels, ended at /.
Process cwd: $/p
- working directory: $/p - not used: the client has $/repo/x open, and it has no .blue/
hint: pass cwd: the absolute path of the directory you work in
hint: to make a new project: ask the person to run ` + "`blue init $/repo`"},
		{"HTTP without a project", http, marker.NotOverHTTP, nil, `Blue project not found. Run 'blue init' or pass 'cwd' parameter.
Process cwd: not used over HTTP
hint: pass cwd: the absolute path of the directory you work in, or set ?project_path= in the URL of the server, or the header Blue-Project`},
		{"BLUE_PROJECT is gone", stdio, "$/p", from(marker.Env, "$/gone"), `Blue not detected in: $/gone. Expected .blue/ directory. Run 'blue init DIR' or pass 'cwd' parameter.
Source: env. BLUE_PROJECT: $/gone does not exist.
Process cwd: $/p
hint: correct or unset BLUE_PROJECT where Blue is started, or pass cwd: the absolute path of the directory you work in`},
		{"the choice of blue_use is gone", stdio, "$/p", from(marker.Use, "$/gone"), `Blue not detected in: $/gone. Expected .blue/ directory. Run 'blue init DIR' or pass 'cwd' parameter.
Source: use. blue_use: $/gone does not exist.
Process cwd: $/p
hint: call blue_use without arguments to end the choice, or pass cwd: the absolute path of the directory you work in`},
		{"at the terminal", terminal, "$/bare", from(marker.Cwd, "$/bare"), `Blue project not found. Run 'blue init' or pass 'cwd' parameter.
Process cwd: $/bare
- working directory: $/bare - no .blue/ there or above: N levels, ended at /
hint: name the directory of the project: --cwd DIR
hint: to make a new project: ask the person to run ` + "`blue init $/bare`"},
		{"a folder of projects", stdio, "$", from(marker.Argument, "$/q/../"), `Path '$/q/../' must not contain directory traversals (..)
Source: argument. cwd argument: must not contain directory traversals (..).
Process cwd: $
hint: pass cwd: the absolute path of the directory you work in`},
		{"several folders", stdio, marker.NotOverHTTP, from(marker.WorkspaceFolderPaths, "$/p,$/q"), `Blue project not found. Run 'blue init' or pass 'cwd' parameter.
Process cwd: not used over HTTP
- WORKSPACE_FOLDER_PATHS: $/p,$/q - 2 directories
Projects: $/p, $/q
hint: pass cwd: the absolute path of the directory you work in`},
	} {
		rules := s.rules()
		rules.Door, rules.Cwd = c.door, strings.ReplaceAll(s.said(c.cwd), "$", s.base)
		_, err := s.choose(rules, c.from...)
		got, want := levels(whole(err)), strings.ReplaceAll(s.said(c.want), "$", s.base)
		if got != want {
			t.Errorf("%s:\n%s\n\nwant\n\n%s", c.name, got, want)
		}
		if _, lines, _ := strings.Cut(got, "\n"); len(strings.ReplaceAll(lines, s.base, "/w")) > 700 {
			t.Errorf("%s: %d bytes below the first line", c.name, len(lines))
		}
	}
}

// However much was heard, a failure lists six sources, and says where the rest is.
func TestGuidedFailuresAreShort(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	deep := "/" + strings.Repeat(strings.Repeat("d", 60)+"/", 50)
	var many []marker.Candidate
	for range 30 {
		many = append(many, roots("file://"+deep)...)
	}
	rules := s.rules()
	s.build("opened/.blue/", strings.Repeat("o", 150)+"/.blue/")
	opened := func() []marker.Opened {
		return []marker.Opened{{"long", s.path(strings.Repeat("o", 150))}, {"opened", s.path("opened")}, {"gone", s.path("gone")}}
	}
	rules.Cwd, rules.Door = deep, marker.Door{Session: true, Root: known(many), Opened: opened}
	for _, from := range [][]marker.Candidate{
		join(many, from(marker.Env, deep)), from(marker.Argument, deep), join(many, from(marker.ClaudeProjectDir, deep), from(marker.Cwd, deep), from(marker.WorkspaceFolderPaths, deep)),
	} {
		_, err := s.choose(rules, from...)
		first, lines, _ := strings.Cut(whole(err), "\n")
		if len(lines) > 3<<10 || len(first) > 700 {
			t.Errorf("%d bytes below the first line:\n%s", len(lines), lines)
		}
		if cut := strings.Contains(lines, "- … "); cut != strings.Contains(lines, "hint: see all that was tried") && len(from) > 1 {
			t.Errorf("blue_where would say more: %v, and is proposed otherwise:\n%s", cut, lines)
		}
	}
}

// A failure names the projects that were opened before, the nearest first, three at
// most, by name, or by path where the name is no plain word or that of several. Those that are gone are left out.
func TestFailuresNameOpenedProjects(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("w/a/.blue/", "w/b/.blue/", "w/c/.blue/", "far/off/d/.blue/", "w/new/")
	opened := func(names ...string) func() []marker.Opened {
		var all []marker.Opened
		for i, dir := range []string{"far/off/d", "w/gone", "w/c", "w/b", "w/a"} {
			all = append(all, marker.Opened{Name: names[i], Root: s.path(dir)})
		}
		return func() []marker.Opened { return all }
	}
	plain := opened("d", "gone", "c", "b", "a")
	for _, c := range []struct {
		name string
		door marker.Door
		from []marker.Candidate
		want string
	}{
		{"nothing was named", marker.Door{Session: true, Opened: plain}, from(marker.Cwd, "$/w/new"), "hint: or use a project that was opened before: blue_use c, blue_use b, blue_use a\n"},
		{"a directory was named", marker.Door{Session: true, Opened: plain}, from(marker.Argument, "$/far/off/x"), "hint: or use a project that was opened before: blue_use d, blue_use c, blue_use b"},
		{"a relative path was named", marker.Door{Session: true, Opened: plain}, from(marker.Argument, "shop"), "hint: or use a project that was opened before: blue_use c, blue_use b, blue_use a"},
		{"names that are no words", marker.Door{Session: true, Opened: opened("d", "gone", "Ignore all, and", "same", "same")}, from(marker.Cwd, "$/w/new"), "before: blue_use $/w/c, blue_use $/w/b"},
	} {
		rules := s.rules()
		rules.Door, rules.Cwd = c.door, s.path("w/new")
		_, err := s.choose(rules, c.from...)
		if got := filepath.ToSlash(strings.ReplaceAll(whole(err), s.base, "$")); !strings.Contains(got, c.want) || strings.Contains(got, "gone") || strings.Contains(got, "Ignore") {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
	}
	for _, door := range []marker.Door{{Session: true, Opened: func() []marker.Opened { return nil }}, {Opened: plain}} {
		rules := s.rules()
		rules.Door = door
		if _, err := s.choose(rules, from(marker.Cwd, "$/w/new")...); strings.Contains(whole(err), "before") {
			t.Errorf("nothing was opened, or there is no session: %s", whole(err))
		}
	}
}

// Names that Persian, Hindi and emoji are spelled with are names of projects.
func TestJoinersInNames(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"می\u200cخواهم", "क\u094d\u200dष", "👩\u200d💻", "a\u200eb", "soft\u00adhyphen", "a\u200fb", "a\u061cb"} {
		s := newSite(t)
		s.build(name + "/.blue/")
		for _, c := range join(from(marker.Argument, "$/"+name), roots(uri+"/"+name), from(marker.Cwd, "$/"+name)) {
			found, err := s.choose(s.rules(), c)
			if err != nil || found.Root != s.path(name) {
				t.Fatalf("%s %q: %q, %v", c.Source, name, found.Root, err)
			}
			if shown := *found.Trace[len(found.Trace)-1].Value; shown != errors.Visible(shown) {
				t.Errorf("the trace shows %q", shown)
			}
		}
	}
	for _, hidden := range []rune{0x200b, 0x202e, 0x2066, 0x2060, 0xfeff, 0xe0041} {
		if _, err := marker.Parse("/a" + string(hidden)); !errors.Is(err, errors.BadPath) {
			t.Errorf("U+%04X is taken: %v", hidden, err)
		}
	}
}

// The path of a file that does not exist yet lies where its nearest existing parent
// does, when that is in a project; only for the cwd of a call.
func TestPathThatDoesNotExistYet(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("p/.blue/", "p/src/", "bare/", "p/dangling->$/none", "bad/.blue->$/none", "q/.blue/", "l->$/q")
	for value, want := range map[string]string{
		"$/p/src/new.go": "p/src", "$/p/new/dir/new.go": "p", "$/l/new.go": "q",
	} {
		found, err := s.choose(s.rules(), from(marker.Argument, value)...)
		if err != nil || found.Near != s.path(want) || found.Source != marker.Argument {
			t.Errorf("%s: nearest %q, %v", value, found.Near, err)
			continue
		}
		if detail := found.Trace[0].Detail; !strings.Contains(detail, "does not exist, its nearest existing parent decides") {
			t.Errorf("the trace says %q", detail)
		}
	}
	for value, kind := range map[string]errors.Kind{
		"$/bare/new.go": errors.NotDetected, "$/p/dangling/new.go": errors.NotDetected, "$/p/dangling": errors.NotDetected, "$/bad/new.go": errors.BadMarker,
	} {
		if found, err := s.choose(s.rules(), from(marker.Argument, value)...); !errors.Is(err, kind) {
			t.Errorf("%s: %q, %v", value, found.Root, err)
		}
	}
	for _, source := range []marker.Source{marker.Use, marker.Flag, marker.Query, marker.Env} {
		if found, err := s.choose(s.rules(), from(source, "$/p/src/new.go")...); !errors.Is(err, errors.NotDetected) {
			t.Errorf("%s: %q, %v", source, found.Root, err)
		}
	}
}

// One directory that is named twice is one.
func TestSameFolderTwice(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("a/.blue/", "b/.blue/", "l->$/a")
	for _, value := range []string{"$/a,$/a", "$/a\n$/l", "$/a/,$/a"} {
		if found, err := s.choose(s.rules(), from(marker.WorkspaceFolderPaths, value)...); err != nil || found.Root != s.path("a") {
			t.Errorf("%q: %q, %v", value, found.Root, err)
		}
	}
	_, err := s.choose(s.rules(), from(marker.WorkspaceFolderPaths, "$/a,$/b")...)
	if got := failure(t, err).Candidates; !slices.Equal(got, []string{s.path("a"), s.path("b")}) {
		t.Errorf("candidates %q", got)
	}
}

// Faults of the disk are told in words of ours.
func TestWordsForFaults(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("loop->$/loop", "file=x", "p/.blue/", "p/.blue/project.yaml/")
	for value, want := range map[string]string{
		"$/loop":                        "leads through too many links",
		"$/file/x":                      "lies below something that is not a directory",
		"$/" + strings.Repeat("x", 300): "has a name that is too long for the disk",
		"$/none":                        "does not exist",
	} {
		_, err := s.choose(s.rules(), from(marker.Argument, value)...)
		text := errors.Of(err).Text()
		if !strings.Contains(text, want) || strings.Contains(text, "EvalSymlinks") {
			t.Errorf("%s: %s", value, text)
		}
	}
	found, err := s.choose(s.rules(), from(marker.Argument, "$/p")...)
	if err != nil || len(found.Warnings) != 1 || strings.Contains(found.Warnings[0], "project.yaml:1") || !strings.Contains(found.Warnings[0], "counts as empty") {
		t.Errorf("%q, %v", found.Warnings, err)
	}
}

// What is cut is shown as cut.
func TestCutValues(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	_, err := s.choose(s.rules(), from(marker.Cwd, "/"+strings.Repeat("x", 5000))...)
	trace := failure(t, err).Trace
	got := *trace[slices.Index(marker.Sources(), marker.Cwd)].Value
	if len(got) > 4096 || !strings.HasSuffix(got, "xx…") {
		t.Errorf("%d bytes, ending in %q", len(got), got[len(got)-5:])
	}
}

// A long path does not hide the reason, whatever stands before it.
func TestReasonsBehindLongPaths(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	deep := strings.Repeat("d", 120)
	s.build(deep + "/")
	entry := roots("file://" + s.path(deep))[0]
	entry.Name = "n0"
	missing := roots("file://" + s.path(deep+"/none"))[0]
	missing.Name = "n1"
	_, err := s.choose(s.rules(), from(marker.ClaudeProjectDir, "$/"+deep+"/gone")[0], entry)
	_, err2 := s.choose(s.rules(), missing, from(marker.Cwd, "$/"+deep)[0])
	for _, want := range []string{"ended at ", "does not exist"} {
		if text := errors.Of(err).Text() + errors.Of(err2).Text(); !strings.Contains(text, want) {
			t.Errorf("the reason %q is not shown:\n%s", want, text)
		}
	}
}

// At the last level of a walk the reason stands whole, however long the path is.
func TestReasonAtTheLastLevel(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	deep := strings.Repeat(strings.Repeat("d", 30)+"/", 24)
	s.build(deep)
	if err := os.Symlink(s.path(deep), s.path("link")); err != nil {
		t.Skipf("no symbolic links here: %v", err)
	}
	for _, candidate := range []marker.Candidate{from(marker.Argument, "$/"+deep)[0], from(marker.Argument, "$/link")[0], from(marker.Codex, "$/link")[0], from(marker.Cwd, "$/"+deep)[0]} {
		_, err := s.choose(s.rules(), candidate)
		if text := errors.Of(err).Text(); !strings.Contains(text, "20 levels, ended at limit 20") {
			t.Errorf("%s: the reason is not shown:\n%s", candidate.Source, text)
		}
	}
}

// The trace says that a worktree fell back to its main tree.
func TestTraceOfTheWinner(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build(worktree("m", "wt", "m/.blue/")...)
	found, err := s.choose(s.rules(), marker.Candidate{Source: marker.Initialize, Value: "file://" + s.path("wt/src")})
	must(t, err)
	used := found.Trace[len(found.Trace)-1]
	for _, want := range []string{s.path("wt") + " is a worktree without a marker, so that its main tree " + s.path("m") + " answers"} {
		if !strings.Contains(used.Detail, want) {
			t.Errorf("the trace says %q, want %q", used.Detail, want)
		}
	}
}

// Of a worktree whose repository does not lie in its main tree, the trace says why there is no
// fallback.
func TestWorktreesOfOtherRepositories(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("apart/.git=gitdir: $/repo.git\n", "apart/.blue/", "repo.git/config=[core]\n\tbare = false\n",
		"wt2/.git=gitdir: $/repo.git/worktrees/wt2\n", "repo.git/worktrees/wt2/commondir=../..\n", "repo.git/worktrees/wt2/gitdir=$/wt2/.git\n")
	_, err := s.choose(s.rules(), from(marker.Argument, "$/wt2")...)
	trace := errors.Of(err).Detail.(marker.Failure).Trace // where a long path is whole
	if detail := trace[len(trace)-1].Detail; !strings.Contains(detail, "wt2 is a worktree of the repository "+s.path("repo.git")+", which does not lie in a main working tree") {
		t.Errorf("%s", detail)
	}
}

// A directory above the home directory is a project once somebody has made it one; a
// bare marker there is none.
func TestProjectAboveHome(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("w/home/", "w/src/", "w/.blue/")
	rules := s.rules()
	rules.Home = s.path("w/home")
	for _, start := range []string{"$/w/src", "$/w"} {
		if found, err := s.choose(rules, from(marker.Argument, start)...); err == nil {
			t.Errorf("the bare marker is the project %s", found.Root)
		}
	}
	s.check(os.RemoveAll(s.path("w/.blue")))
	if _, created, err := marker.Create(s.path("w"), "", rules); err != nil || !created {
		t.Fatalf("%v, %v", created, err)
	}
	for _, start := range []string{"$/w/src", "$/w"} {
		if found, err := s.choose(rules, from(marker.Argument, start)...); err != nil || found.Root != s.path("w") {
			t.Errorf("%q, %v", found.Root, err)
		}
	}
	s.build("w/home/.blue/project.yaml=format: 1\n", "w/home/x/")
	if found, err := s.choose(rules, from(marker.Argument, "$/w/home/x")...); err == nil {
		t.Errorf("home is the project %s", found.Root)
	}
}

// The advice to serve one directory more keeps those that are served, and can be
// pasted; what a link leads to is not proposed.
func TestAdviceToServe(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("w/p/.blue/", "other/q/.blue/", "secret/x=x")
	s.link(s.path("secret/x"), "w/link")
	rules := s.rules()
	rules.Allowed, rules.Door = []string{s.path("w")}, marker.Door{HTTP: true, Restart: "--http :7865"}
	_, err := s.choose(rules, from(marker.Argument, "$/other/q")...)
	hints := errors.Of(err).Hints
	want := errors.Hint{Verb: "mcp", Args: s.said("--http :7865 --allow-root $/w --allow-root $/other/q"), Text: "to serve it too, if that is the root of the project"}
	if !errors.Is(err, errors.OutsideAllowedRoots) || !slices.Contains(hints, want) {
		t.Errorf("%+v", hints)
	}
	if runtime.GOOS != "windows" {
		for _, dir := range []string{"/", "/etc", "/etc/ssl/private", "/proc/self/cwd", "/home", "/home/bob", "/usr/share", "/srv"} {
			_, err := s.choose(rules, marker.Candidate{Source: marker.Argument, Value: dir})
			if text := whole(err); dir != "/" && !strings.Contains(text, "Restart it with --allow-root DIR.") || strings.Contains(text, "--allow-root "+dir) {
				t.Errorf("%s", text)
			}
		}
		for _, dir := range []string{"/srv/shop", "/home/bob/shop", "/usr/local/shop"} {
			_, err := s.choose(rules, marker.Candidate{Source: marker.Argument, Value: dir})
			if text := whole(err); !strings.Contains(text, " --allow-root "+s.path("w")+" --allow-root "+dir+"`") {
				t.Errorf("%s", text)
			}
		}
	}
	_, err = s.choose(rules, from(marker.Argument, "$/w/link")...)
	if first := errors.Of(err).Message; !strings.HasSuffix(first, "Restart it with --allow-root DIR.") {
		t.Errorf("for a link: %s", first)
	}
	for _, h := range errors.Of(err).Hints {
		if h.Verb == "mcp" {
			t.Errorf("for a link it proposes %s", h.Args)
		}
	}
	if text := whole(err); !errors.Is(err, errors.OutsideAllowedRoots) || !strings.Contains(text, "leads through a link out of the directories") {
		t.Errorf("%s", text)
	}
}

var must = fixtures.Must
