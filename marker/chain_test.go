package marker_test

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/errors"
	"blue/marker"
)

const uri = "file://$"

// three projects and a directory without a marker.
var three = []string{"a/.blue/", "b/.blue/", "c/.blue/", "bare/"}

func TestPrecedence(t *testing.T) {
	runRows(t, []row{
		{name: "argument before all others", tree: three, from: join(from(marker.Argument, "$/a"), from(marker.Use, "$/b"), from(marker.Flag, "$/b"), from(marker.Codex, "$/b"), roots(uri+"/b"),
			from(marker.Initialize, "$/b"), from(marker.Query, "$/b"), from(marker.Env, "$/c"), from(marker.ClaudeProjectDir, "$/c"), from(marker.Cwd, "$/c"),
			from(marker.WorkspaceFolderPaths, "$/c")), root: "a", trace: "argument:used"},
		{name: "query before env", tree: three, from: join(from(marker.Query, "$/a"), from(marker.Env, "$/b")), root: "a", trace: "query:used"},
		{name: "env before cwd", tree: three, from: join(from(marker.Env, "$/a"), from(marker.Cwd, "$/b")), root: "a", trace: "env:used"},
		{name: "roots before env and cwd", tree: three, from: join(roots(uri+"/a"), from(marker.Env, "$/b"), from(marker.Cwd, "$/c")), root: "a", trace: "roots:used"},
		{name: "roots before cwd", tree: three, from: join(roots(uri+"/a"), from(marker.Cwd, "$/b")), root: "a", trace: "roots:used"},
		{name: "flag before codex and roots", tree: three, from: join(from(marker.Flag, "$/a"), from(marker.Codex, uri+"/b"), roots(uri+"/c")), root: "a", trace: "flag:used"},
		{name: "use before flag", tree: three, from: join(from(marker.Use, "$/a"), from(marker.Flag, "$/b")), root: "a", trace: "use:used"},
		{name: "codex before roots", tree: three, from: join(from(marker.Codex, uri+"/a"), roots(uri+"/b")), root: "a", trace: "codex:used"},
		{name: "env before CLAUDE_PROJECT_DIR", tree: three, from: join(from(marker.Env, "$/a"), from(marker.ClaudeProjectDir, "$/b")), root: "a", trace: "env:used"},
		{name: "CLAUDE_PROJECT_DIR before cwd", tree: three, from: join(from(marker.ClaudeProjectDir, "$/a"), from(marker.Cwd, "$/b")), root: "a", trace: "CLAUDE_PROJECT_DIR:used"},
		{name: "CLAUDE_PROJECT_DIR is relative", tree: three, from: join(from(marker.ClaudeProjectDir, "a"), from(marker.Cwd, "$/b")), root: "b",
			trace: "CLAUDE_PROJECT_DIR:unusable cwd:used"},
		{name: "CLAUDE_PROJECT_DIR is missing", tree: three, from: join(from(marker.ClaudeProjectDir, "$/none"), from(marker.Cwd, "$/b")), root: "b",
			trace: "CLAUDE_PROJECT_DIR:unusable cwd:used"},
		{name: "CLAUDE_PROJECT_DIR without a marker", tree: three, from: join(from(marker.ClaudeProjectDir, "$/bare"), from(marker.Cwd, "$/b")), root: "b",
			trace: "CLAUDE_PROJECT_DIR:no_marker cwd:used"},
		{name: "cwd below the project", tree: []string{"a/.blue/", "a/x/"}, from: from(marker.Cwd, "$/a/x"), root: "a", trace: "cwd:used"},
		{name: "cwd is the project", tree: three, from: from(marker.Cwd, "$/a"), root: "a", trace: "cwd:used"},
		{name: "cwd without a marker", tree: three, from: from(marker.Cwd, "$/bare"), kind: errors.NoProject, trace: "cwd:no_marker"},
		{name: "env is missing", tree: three, from: join(from(marker.Env, "$/none"), from(marker.ClaudeProjectDir, "$/a")), kind: errors.NotDetected,
			trace: "env:unusable", text: []string{"Source: env. BLUE_PROJECT: $/none does not exist."}},
		{name: "unexpanded variable as argument", tree: three, from: join(from(marker.Argument, "${workspaceFolder}"), from(marker.Cwd, "$/a")), kind: errors.BadPath,
			trace: "argument:unusable", text: []string{"must be absolute", "{workspaceFolder}"}},
		{name: "one allowed directory in another", tree: []string{"a/.blue/", "a/x/y/"}, rules: func(r *marker.Rules, s site) { r.Allowed = []string{s.base, s.path("a/x")} },
			from: from(marker.Flag, "$/a/x/y"), root: "a", trace: "flag:used"},
		{name: "one folder", tree: three, from: from(marker.WorkspaceFolderPaths, "$/a"), root: "a", trace: "WORKSPACE_FOLDER_PATHS:used"},
		{name: "first folder is missing", tree: three, from: from(marker.WorkspaceFolderPaths, "$/none,$/a"), root: "a", trace: "WORKSPACE_FOLDER_PATHS:used"},
		{name: "folders in lines", tree: three, from: from(marker.WorkspaceFolderPaths, "$/none\n$/a\n"), root: "a", trace: "WORKSPACE_FOLDER_PATHS:used"},
		{name: "folders in a list of paths", tree: three, from: from(marker.WorkspaceFolderPaths, "$/none"+string(filepath.ListSeparator)+"$/a"), root: "a", trace: "WORKSPACE_FOLDER_PATHS:used"},
		{name: "comma in the name of a folder", tree: []string{"a,b/.blue/"}, from: from(marker.WorkspaceFolderPaths, "$/a,b"), root: "a,b",
			trace: "WORKSPACE_FOLDER_PATHS:used"},
		{name: "two folders", tree: three, from: from(marker.WorkspaceFolderPaths, "$/a,$/b"), kind: errors.NoProject,
			trace: "WORKSPACE_FOLDER_PATHS:unusable", text: []string{"2 directories"}},
		{name: "cwd before folders", tree: three, from: join(from(marker.Cwd, "$/b"), from(marker.WorkspaceFolderPaths, "$/a")), root: "b", trace: "cwd:used"},
		{name: "codex by URI", tree: []string{"p q/.blue/"}, from: from(marker.Codex, uri+"/p%20q"), root: "p q", trace: "codex:used"},
		{name: "codex by path", tree: three, from: from(marker.Codex, "$/a"), root: "a", trace: "codex:used"},
		{name: "codex is absent", tree: three, from: join([]marker.Candidate{{Source: marker.Codex, Outcome: marker.Absent}}, from(marker.Cwd, "$/a")),
			root: "a", trace: "cwd:used"},
		{name: "codex is no object", tree: three, from: join([]marker.Candidate{{Source: marker.Codex, Outcome: marker.Unusable, Detail: "not an object"}}, from(marker.Cwd, "$/a")),
			root: "a", trace: "codex:unusable cwd:used"},
		{name: "codex in a cache of plugins", tree: []string{"home/.codex/plugins/cache/x/.blue/", "a/.blue/"}, from: join(from(marker.Codex, uri+"/home/.codex/plugins/cache/x"), from(marker.Cwd, "$/a")),
			root: "a", trace: "codex:junk cwd:used"},
		{name: "codex without a marker", tree: three, from: join(from(marker.Codex, uri+"/bare"), from(marker.Cwd, "$/a")), root: "a", trace: "codex:no_marker cwd:used"},
		{name: "query given twice", tree: three, from: join([]marker.Candidate{{Source: marker.Query, Outcome: marker.Unusable, Detail: "given twice"}}, from(marker.Env, "$/a")),
			kind: errors.BadPath, trace: "query:unusable", text: []string{"given twice", "Source: query."}},
	})
}

// Choose remembers nothing, so a call is what its candidates say.
func TestNothingIsRemembered(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build(three...)
	rules := s.rules()
	for _, call := range []struct {
		name string
		from []marker.Candidate
		root string
		src  marker.Source
	}{
		{"argument", from(marker.Argument, "$/a"), "a", marker.Argument},
		{"argument beside roots", join(from(marker.Argument, "$/a"), roots(uri+"/b")), "a", marker.Argument},
		{"roots without argument", roots(uri + "/b"), "b", marker.Roots},
		{"codex", join(from(marker.Codex, "$/c"), from(marker.Cwd, "$/a")), "c", marker.Codex},
		{"cwd without codex", from(marker.Cwd, "$/a"), "a", marker.Cwd},
	} {
		found, err := s.choose(rules, call.from...)
		if err != nil || found.Root != s.path(call.root) || found.Source != call.src {
			t.Errorf("%s: %s from %s, %v", call.name, found.Root, found.Source, err)
		}
	}
	if _, err := s.choose(rules); !errors.Is(err, errors.NoProject) {
		t.Errorf("without cwd: %v, want no_project", err)
	}
}

// A bad value of an explicit source fails the call, one of an
// implicit source passes to the next.
func TestBadValues(t *testing.T) {
	explicit := []marker.Source{marker.Argument, marker.Use, marker.Flag, marker.Query, marker.Env}
	bad := []struct {
		value   string
		kind    errors.Kind
		outcome string
	}{
		{"bare", errors.BadPath, marker.Unusable},
		{"$/none", errors.NotDetected, marker.Unusable},
		{"$/bare", errors.NotDetected, marker.NoMarker},
		{"$/bare/../a", errors.BadPath, marker.Unusable},
		{"$/loop", errors.NotDetected, marker.Unusable},
		{"$/file/x", errors.NotDetected, marker.Unusable},
		{"$/shut", errors.NotDetected, marker.Unusable},
	}
	s := newSite(t)
	s.build(append(three, "loop->$/loop", "file", "shut/")...)
	if os.Geteuid() > 0 {
		s.chmod("shut", 0)
		t.Cleanup(func() { s.chmod("shut", 0o755) })
	} else {
		bad = bad[:len(bad)-1] // root reads everything, and Windows knows no such mode
	}
	for _, source := range marker.Sources()[:10] {
		for _, b := range bad {
			t.Run(string(source)+" "+b.value, func(t *testing.T) {
				found, err := s.choose(s.rules(), join(from(source, b.value), from(marker.WorkspaceFolderPaths, "$/a"))...)
				if slices.Contains(explicit, source) != source.Explicit() {
					t.Errorf("Explicit is %v", source.Explicit())
				}
				if !source.Explicit() {
					if b.outcome == marker.NoMarker && (source == marker.Roots || source == marker.Initialize) {
						return // the stop rule: no later source is used
					}
					if err != nil || found.Source != marker.WorkspaceFolderPaths || !strings.Contains(outline(found.Trace), string(source)+":"+b.outcome) {
						t.Errorf("%s, %v, trace %s", found.Source, err, outline(found.Trace))
					}
					return
				}
				if !errors.Is(err, b.kind) {
					t.Fatalf("%s, %v, want kind %s", found.Root, err, b.kind)
				}
				text := errors.Of(err).Text()
				value := s.said(b.value)
				if !strings.Contains(text, "\nSource: "+string(source)+".") || !strings.Contains(text, value[:min(len(value), 80)]) {
					t.Errorf("the text does not name source and value:\n%s", text)
				}
				if got := outline(failure(t, err).Trace); got != string(source)+":"+b.outcome {
					t.Errorf("trace is %s", got)
				}
			})
		}
	}
}

// What a client has not filled in is no value.
func TestAbsentValues(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build(three...)
	for _, source := range []marker.Source{marker.Flag, marker.Query, marker.Env, marker.ClaudeProjectDir, marker.WorkspaceFolderPaths} {
		for _, value := range []string{"${workspaceFolder}", s.base + "/${env:X}/a"} {
			_, err := s.choose(s.rules(), from(source, value)...)
			trace := failure(t, err).Trace
			at := slices.IndexFunc(trace, func(t marker.Tried) bool { return t.Source == source })
			if got := trace[at]; got.Outcome != marker.Absent || got.Detail != "unexpanded variable" || *got.Value != value || !errors.Is(err, errors.NoProject) {
				t.Errorf("%s is traced as %+v", source, got)
			}
			if source == marker.WorkspaceFolderPaths {
				continue // the last
			}
			if found, err := s.choose(s.rules(), join(from(source, value), from(marker.WorkspaceFolderPaths, "$/b"))...); err != nil || found.Root != s.path("b") {
				t.Errorf("after %s: %s, %v", source, found.Root, err)
			}
		}
	}
	found, err := s.choose(s.rules(), join(from(marker.Env, ""), from(marker.ClaudeProjectDir, ""), from(marker.Cwd, "$/a"))...)
	if err != nil || found.Source != marker.Cwd || outline(found.Trace) != "cwd:used" {
		t.Errorf("empty variables: %v, %s", err, outline(found.Trace))
	}
	if _, err := s.choose(s.rules(), join(from(marker.Flag, ""), from(marker.Cwd, "$/a"))...); !errors.Is(err, errors.BadPath) {
		t.Errorf("an empty flag is %v, want bad_path", err)
	}
}

// TestAsk: a source is asked once, only when nothing before it answered, and its
// error comes back as it is.
func TestAsk(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build(three...)
	wait := errors.New("ask the client first")
	asked := 0
	ask := func(answer []marker.Candidate, err error) []marker.Candidate {
		return []marker.Candidate{{Source: marker.Roots, Ask: func(context.Context) ([]marker.Candidate, error) {
			asked++
			for i := range answer {
				answer[i].Value = s.said(answer[i].Value)
			}
			return answer, err
		}}}
	}
	if _, err := s.choose(s.rules(), join(from(marker.Argument, "$/a"), ask(nil, wait))...); err != nil || asked != 0 {
		t.Errorf("asked %d times, %v", asked, err)
	}
	if _, err := s.choose(s.rules(), join(ask(nil, wait), from(marker.Cwd, "$/a"))...); err != wait || asked != 1 {
		t.Errorf("asked %d times, error %v, want the error of Ask", asked, err)
	}
	found, err := s.choose(s.rules(), join(ask(roots(uri+"/bare", uri+"/b", uri+"/c"), nil), from(marker.Cwd, "$/a"))...)
	if err != nil || found.Root != s.path("b") || outline(found.Trace) != "roots:no_marker roots:used roots:other_project" {
		t.Errorf("%s, %v, trace %s", found.Root, err, outline(found.Trace))
	}
	found, err = s.choose(s.rules(), join(ask(nil, nil), from(marker.Cwd, "$/a"))...)
	if err != nil || outline(found.Trace) != "roots:empty cwd:used" {
		t.Errorf("%v, trace %s", err, outline(found.Trace))
	}
}
