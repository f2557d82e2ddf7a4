package marker_test

import (
	"slices"
	"strings"
	"testing"

	"blue/errors"
	"blue/fixtures"
	"blue/marker"
)

func TestLists(t *testing.T) {
	var many []marker.Candidate
	for range 32 {
		many = append(many, roots(uri+"/none")...)
	}
	ended := func(source marker.Source, outcome string) []marker.Candidate {
		return []marker.Candidate{{Source: source, Outcome: outcome}}
	}
	runRows(t, []row{
		{name: "initialize by URI", tree: three, from: from(marker.Initialize, uri+"/a"), root: "a", trace: "initialize:used"},
		{name: "initialize by path", tree: three, from: from(marker.Initialize, "$/a"), root: "a", trace: "initialize:used"},
		{name: "initialize is empty", tree: three, from: join(ended(marker.Initialize, marker.Empty), from(marker.Cwd, "$/a")), root: "a", trace: "initialize:empty cwd:used"},
		{name: "roots before initialize", tree: three, from: join(roots(uri+"/a"), from(marker.Initialize, uri+"/b")), root: "a", trace: "roots:used"},
		{name: "roots are not declared", tree: three, from: join([]marker.Candidate{{Source: marker.Roots, Outcome: marker.Absent, Detail: "not declared"}}, from(marker.Cwd, "$/a")),
			root: "a", trace: "cwd:used"},
		{name: "roots without an answer", tree: three, from: join(ended(marker.Roots, marker.NoAnswer), from(marker.Cwd, "$/a")), root: "a", trace: "roots:no_answer cwd:used"},
		{name: "roots are empty", tree: three, from: join(ended(marker.Roots, marker.Empty), from(marker.Cwd, "$/a")), root: "a", trace: "roots:empty cwd:used"},
		{name: "two projects", tree: three, from: roots(uri+"/bare", uri+"/b", uri+"/a"), root: "b", trace: "roots:no_marker roots:used roots:other_project"},
		{name: "first root is missing", tree: three, from: roots(uri+"/none", uri+"/b"), root: "b", trace: "roots:unusable roots:used"},
		{name: "all roots are missing", tree: three, from: join(roots(uri+"/none", uri+"/gone"), from(marker.Cwd, "$/a")), root: "a", trace: "roots:unusable roots:unusable cwd:used"},
		{name: "root is a file", tree: []string{"a/.blue/", "a/x/file"}, from: roots(uri + "/a/x/file"), root: "a", trace: "roots:used"},
		{name: "root below the project", tree: []string{"a/.blue/", "a/x/y/"}, from: roots(uri + "/a/x/y"), root: "a", trace: "roots:used"},
		{name: "empty URIs", tree: three, from: roots("", "  ", uri+"/a"), root: "a", trace: "roots:unusable roots:unusable roots:used"},
		{name: "more roots than the limit", tree: three, from: join(many, roots(uri+"/a", uri+"/b")), kind: errors.NoProject,
			trace: strings.Repeat("roots:unusable ", 32) + "roots:unusable"},
		{name: "last root within the limit", tree: three, from: join(many[:31], roots(uri+"/a")), root: "a", trace: strings.Repeat("roots:unusable ", 31) + "roots:used"},
		{name: "two roots in one project", tree: []string{"a/.blue/", "a/sub/"}, from: roots(uri+"/a", uri+"/a/sub"), root: "a", trace: "roots:used"},
		{name: "root without a marker", tree: three, from: join(roots(uri+"/bare"), from(marker.Cwd, "$/a")), kind: errors.NotDetected,
			trace: "roots:no_marker cwd:stopped", text: []string{"Blue not detected in: $/bare.", "Run 'blue init $/bare'", "Source: roots."}},
		{name: "root in a repository without a marker", tree: []string{"r/.git/", "r/x/"}, from: roots(uri + "/r/x"), kind: errors.NotDetected,
			trace: "roots:no_marker", text: []string{"Run 'blue init $/r'"}},
		{name: "env after a root without a marker", tree: three, from: join(roots(uri+"/bare"), from(marker.Env, "$/a")), root: "a", trace: "roots:no_marker env:used"},
		{name: "query after a root without a marker", tree: three, from: join(roots(uri+"/bare"), from(marker.Query, "$/a")), root: "a", trace: "roots:no_marker query:used"},
		{name: "initialize after a root without a marker", tree: three, from: join(roots(uri+"/bare"), from(marker.Initialize, uri+"/a"), from(marker.ClaudeProjectDir, "$/b")), kind: errors.NotDetected,
			trace: "roots:no_marker initialize:stopped CLAUDE_PROJECT_DIR:stopped", text: []string{"Blue not detected in: $/bare."}},
		{name: "initialize without a marker", tree: three, from: join(from(marker.Initialize, uri+"/bare"), from(marker.Cwd, "$/a")), kind: errors.NotDetected,
			trace: "initialize:no_marker cwd:stopped", text: []string{"Blue not detected in: $/bare.", "Source: initialize."}},
		{name: "home and the root directory", tree: three, from: join(roots(uri+"/home", marker.FileURI(fixtures.Abs("/"))), from(marker.Cwd, "$/a")), root: "a", trace: "roots:junk roots:junk cwd:used"},
		{name: "shared directory", tree: three, rules: func(_ *marker.Rules, s site) { s.openToAll("bare", 0o1777) },
			from: join(roots(uri+"/bare"), from(marker.Cwd, "$/a")), root: "a", trace: "roots:no_marker cwd:used"},
		{name: "one root is missing, one without a marker", tree: three, from: join(roots(uri+"/none", uri+"/bare"), from(marker.Cwd, "$/a")), kind: errors.NotDetected,
			trace: "roots:unusable roots:no_marker cwd:stopped", text: []string{"Blue not detected in: $/bare."}},
		{name: "second root has the marker", tree: three, from: roots(uri+"/bare", uri+"/a"), root: "a", trace: "roots:no_marker roots:used"},
		{name: "another scheme", tree: three, from: roots("https://example.com", uri+"/a"), root: "a", trace: "roots:unusable roots:used"},
		{name: "URI without a path", tree: three, from: roots("", "file://", uri+"/a"), root: "a", trace: "roots:unusable roots:unusable roots:used"},
		{name: "argument is a URI without a path", tree: three, from: join(from(marker.Argument, "file://"), from(marker.Cwd, "$/a")), kind: errors.BadPath, trace: "argument:unusable"},
		{name: "root is a path", tree: three, from: roots("$/a", uri+"/b"), root: "b", trace: "roots:unusable roots:used"},
		{name: "traversals", tree: three, from: roots(uri+"/bare/%2e%2e/a", uri+"/b"), root: "b", trace: "roots:unusable roots:used"},
	})
}

// Names and limits are said in the details.
func TestListDetails(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build(three...)
	named := roots(uri + "/a")
	named[0].Name = "shop\x1b[31m"
	found, err := s.choose(s.rules(), named...)
	last := found.Trace[len(found.Trace)-1]
	if err != nil || !strings.Contains(last.Detail, `shop\\u{1B}[31m`) || found.Name != "a" {
		t.Errorf("name %q, detail %q, %v", found.Name, last.Detail, err)
	}
	many := roots(slices.Repeat([]string{uri + "/none"}, 50)...)
	_, err = s.choose(s.rules(), many...)
	trace := slices.DeleteFunc(failure(t, err).Trace, func(t marker.Tried) bool { return t.Source != marker.Roots })
	if len(trace) != 33 || !strings.Contains(trace[32].Detail, "limit 32") {
		t.Errorf("%d entries, the last %+v", len(trace), trace[len(trace)-1])
	}
}

// Further projects of one list are named, by device and inode.
func TestOtherRoots(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("a/.blue/", "a/sub/", "b/.blue/", "c/.blue/", "link->$/a")
	found, err := s.choose(s.rules(), roots(uri+"/a", uri+"/b", uri+"/a/sub", uri+"/link", uri+"/b", uri+"/none", uri+"/c")...)
	if err != nil || found.Root != s.path("a") || !slices.Equal(found.OtherRoots, []string{s.path("b"), s.path("c")}) {
		t.Errorf("root %s, others %v, %v", found.Root, found.OtherRoots, err)
	}
	if got := outline(found.Trace); got != "roots:used roots:other_project roots:other_project" {
		t.Errorf("trace %s", got)
	}
	found, err = s.choose(s.rules(), roots(uri+"/a", uri+"/a/sub")...)
	if err != nil || len(found.OtherRoots) != 0 {
		t.Errorf("others %v, %v", found.OtherRoots, err)
	}
	e := errors.ManyProjects([]string{"/a", "/b"})
	if e.Kind != errors.SeveralProjects || e.Message != "Several projects are open: /a, /b. Pass 'cwd' with the one to change." {
		t.Errorf("%s %s", e.Kind, e.Message)
	}
}
