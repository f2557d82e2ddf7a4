package marker_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"blue/errors"
	"blue/fixtures"
	"blue/marker"
)

// paths are the cases of paths and URIs; want is empty for a refusal, of
// which the message must hold reason.
var paths = []struct{ id, value, want, reason string }{
	{"D099", "file:///srv/project", "/srv/project", ""},
	{"D099", "file:///home/user/projects/my-app", "/home/user/projects/my-app", ""},
	{"D100", "file:///my%20project", "/my project", ""},
	{"D101", "file:///path/%23special", "/path/#special", ""},
	{"D102", "https://example.com", "", "scheme https"},
	{"D103", "", "", "must be absolute"},
	{"D103", "file://", "", "no absolute path"},
	{"D105", "/direct/path", "/direct/path", ""},
	{"D106", "file://localhost/srv/x", "/srv/x", ""},
	{"D107", "file://otherhost/srv/x", "", "another host"},
	{"D107", "file://localhost:80/srv/x", "", "another host"},
	{"D108", "FILE:///srv/x", "/srv/x", ""},
	{"D108", "file:/srv/x", "/srv/x", ""},
	{"D109", "file:srv", "", "no absolute path"},
	{"A029", "file:///srv/what?", "/srv/what?", ""},
	{"A029", "file:///srv?x=1", "/srv?x=1", ""},
	{"A029", "file:///srv/c#/x", "/srv/c#/x", ""},
	{"A029", "file:///srv/c%23/why%3F", "/srv/c#/why?", ""},
	{"A029", "file:///srv/50%25#1", "/srv/50%#1", ""},
	{"D109", "file://u@localhost/srv", "", "another host"},
	{"D110", "file:///%C3%A9", "/é", ""},
	{"D110", "file:///%FF", "", "not valid UTF-8"},
	{"D111", "file:///a%2Fb", "", "encoded slash"},
	{"D111", "file:///a%2fb", "", "encoded slash"},
	{"D111", "file:///a%5Cb", "", "encoded slash"},
	{"D111", "file:///a%00b", "", "control"},
	{"D111", "file:///a%1Bb", "", "control"},
	{"D111", "file:///a%zzb", "", "malformed escape"},
	{"D111", "file:///a%", "", "malformed escape"},
	{"D112", "file:///a%2520b", "/a%20b", ""},
	{"D113", "file:///a+b", "/a+b", ""},
	{"D114", "/srv/x/", "/srv/x", ""},
	{"D114", "/srv//x", "/srv/x", ""},
	{"D114", "/srv/./x/.", "/srv/x", ""},
	{"D114", "file:///srv//x/./", "/srv/x", ""},
	{"D115", "/a/../b", "", "must not contain directory traversals (..)"},
	{"D115", "/a/..", "", "must not contain directory traversals (..)"},
	{"D115", "file:///a/%2e%2e/b", "", "must not contain directory traversals (..)"},
	{"D116", "/a/foo..bar", "/a/foo..bar", ""},
	{"D116", "/a/...", "/a/...", ""},
	{"D118", "vscode-remote://wsl%2Bx/p", "", "scheme vscode-remote"},
	{"D118", `\\host\share`, "", "network paths"},
	{"D118", "//host/share", "", "network paths"},
	{"D118", "file:////host/share", "", "network paths"},
	{"D120", "~", "", "must be absolute"},
	{"D120", "~/x", "", "must be absolute"},
	{"D120", "~root", "", "must be absolute"},
	{"D121", "x/y", "", "must be absolute"},
	{"D121", ".", "", "must be absolute"},
	{"D121", "../x", "", "must be absolute"},
	{"D122", "file:///srv/a%20b", "/srv/a b", ""},
	{"D123", "   ", "", "must be absolute"},
	{"D126", "/foo.bar/проект/a&b=c#d%e", "/foo.bar/проект/a&b=c#d%e", ""},
	{"D127", "/", "/", ""},
	{"D128", "/" + strings.Repeat("x", 5000), "", "longer than 4096 bytes"},
	{"D128", "/" + strings.Repeat("x", 4095), "/" + strings.Repeat("x", 4095), ""},
	{"D128", "/a\x00b", "", "control"},
	{"D128", "/a\nb", "", "control"},
	{"D128", "/a\u202eb", "", "invisible"},
	{"D128", "/a\u200bb", "", "invisible"},
	{"D128", "file:///a%E2%80%8Bb", "", "invisible"},
	{"D128", "/a\xffb", "", "not valid UTF-8"},
	{"D128", "/a\ufffdb", "", "U+FFFD"},
}

func TestParse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the table holds paths of Unix")
	}
	for _, c := range paths {
		got, err := marker.Parse(c.value)
		if c.want != "" {
			if err != nil || got != c.want {
				t.Errorf("%s: Parse(%.80q) = %q, %v, want %q", c.id, c.value, got, err, c.want)
			}
			continue
		}
		if !errors.Is(err, errors.BadPath) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: Parse(%.80q) = %q, %v, want bad_path with %q", c.id, c.value, got, err, c.reason)
		}
	}
}

// A drive in a URI names a drive on Windows, elsewhere a directory that is missing.
func TestDrivesInURIs(t *testing.T) {
	t.Parallel()
	want := map[bool]string{true: `C:\x`, false: "/C:/x"}[runtime.GOOS == "windows"]
	s := newSite(t)
	for _, value := range []string{"file:///C:/x", "file:///c:/x", "file:///c%3A/x", "file://C:/x", `file://c:\x`} {
		if runtime.GOOS != "windows" && value[:8] != "file:///" {
			continue // C: is a host
		}
		if path, err := marker.Parse(value); err != nil || !strings.EqualFold(path, want) {
			t.Errorf("Parse(%q) = %q, %v, want %q", value, path, err, want)
		}
		if runtime.GOOS == "windows" {
			continue
		}
		_, err := s.choose(s.rules(), roots(value)...)
		if trace := failure(t, err).Trace; outline(trace) != "roots:unusable" || !strings.HasSuffix(detail(trace, marker.Unusable), ":/x does not exist") {
			t.Errorf("%s is traced as %s %s", value, outline(trace), detail(trace, marker.Unusable))
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, c := range paths {
		f.Add(c.value)
	}
	f.Add("file:///C:/x")
	f.Add("file:///c%3A/x")
	f.Fuzz(func(t *testing.T, value string) {
		path, err := marker.Parse(value)
		if err != nil {
			if e := errors.Of(err); e.Kind != errors.BadPath || len(e.Text()) > 2048 || errors.Visible(e.Message) != e.Message {
				t.Errorf("Parse(%q) fails with %s %q", value, e.Kind, e.Message)
			}
			return
		}
		if !filepath.IsAbs(path) || filepath.Clean(path) != path {
			t.Errorf("Parse(%q) = %q is not absolute and clean", value, path)
		}
		if again, err := marker.Parse(path); err != nil || again != path {
			t.Errorf("Parse(%q) = %q, %v, not the same again", path, again, err)
		}
	})
}

func TestPathsOnDisk(t *testing.T) {
	runRows(t, []row{
		{id: "D105", tree: three, from: from(marker.Argument, "$/a"), root: "a", trace: "argument:used"},
		{id: "D114", tree: three, from: from(marker.Argument, "$/a//./"), root: "a", trace: "argument:used"},
		{id: "D119", tree: []string{"a/.blue/", "a/x/", "link->a/x"}, from: from(marker.Argument, "$/link"), root: "a", trace: "argument:used"},
		{id: "D127", tree: three, from: from(marker.Argument, fixtures.Abs("/")), kind: errors.NotDetected, trace: "argument:junk",
			text: []string{"Blue not detected in: " + fixtures.Abs("/") + ". Expected .blue/ directory. Run 'blue init DIR' or pass 'cwd' parameter."}},
		{id: "D128", tree: three, from: join(roots("file:///"+strings.Repeat("x", 5000)), from(marker.Cwd, "$/a")), root: "a", trace: "roots:unusable cwd:used"},
	})
}

// Every source takes a URI, and names that need escaping.
func TestNames(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, name := range []string{"foo.bar", "my project", "проект", "a&b=c#d%e", "a+b", "it's"} {
		s.check(os.MkdirAll(s.path(name+"/.blue"), 0o755))
		for _, source := range marker.Sources() {
			for _, value := range []string{s.path(name), marker.FileURI(s.path(name))} {
				c := marker.Candidate{Source: source, Value: value, URI: source == marker.Roots}
				if c.URI && value == s.path(name) {
					continue
				}
				found, err := s.choose(s.rules(), c)
				if err != nil || found.Root != s.path(name) || found.Name != name {
					t.Errorf("%q from %s is %s, %v", value, source, found.Root, err)
				}
			}
		}
	}
}
