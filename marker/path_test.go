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
var paths = []struct{ value, want, reason string }{
	{"file:///srv/project", "/srv/project", ""},
	{"file:///home/user/projects/my-app", "/home/user/projects/my-app", ""},
	{"file:///my%20project", "/my project", ""},
	{"file:///path/%23special", "/path/#special", ""},
	{"https://example.com", "", "scheme https"},
	{"", "", "must be absolute"},
	{"file://", "", "no absolute path"},
	{"/direct/path", "/direct/path", ""},
	{"file://localhost/srv/x", "/srv/x", ""},
	{"file://otherhost/srv/x", "", "another host"},
	{"file://localhost:80/srv/x", "", "another host"},
	{"FILE:///srv/x", "/srv/x", ""},
	{"file:/srv/x", "/srv/x", ""},
	{"file:srv", "", "no absolute path"},
	{"file:///srv/what?", "/srv/what?", ""},
	{"file:///srv?x=1", "/srv?x=1", ""},
	{"file:///srv/c#/x", "/srv/c#/x", ""},
	{"file:///srv/c%23/why%3F", "/srv/c#/why?", ""},
	{"file:///srv/50%25#1", "/srv/50%#1", ""},
	{"file://u@localhost/srv", "", "another host"},
	{"file:///%C3%A9", "/é", ""},
	{"file:///%FF", "", "not valid UTF-8"},
	{"file:///a%2Fb", "", "encoded slash"},
	{"file:///a%2fb", "", "encoded slash"},
	{"file:///a%5Cb", "", "encoded slash"},
	{"file:///a%00b", "", "control"},
	{"file:///a%1Bb", "", "control"},
	{"file:///a%zzb", "", "malformed escape"},
	{"file:///a%", "", "malformed escape"},
	{"file:///a%2520b", "/a%20b", ""},
	{"file:///a+b", "/a+b", ""},
	{"/srv/x/", "/srv/x", ""},
	{"/srv//x", "/srv/x", ""},
	{"/srv/./x/.", "/srv/x", ""},
	{"file:///srv//x/./", "/srv/x", ""},
	{"/a/../b", "", "must not contain directory traversals (..)"},
	{"/a/..", "", "must not contain directory traversals (..)"},
	{"file:///a/%2e%2e/b", "", "must not contain directory traversals (..)"},
	{"/a/foo..bar", "/a/foo..bar", ""},
	{"/a/...", "/a/...", ""},
	{"vscode-remote://wsl%2Bx/p", "", "scheme vscode-remote"},
	{`\\host\share`, "", "network paths"},
	{"//host/share", "", "network paths"},
	{"file:////host/share", "", "network paths"},
	{"~", "", "must be absolute"},
	{"~/x", "", "must be absolute"},
	{"~root", "", "must be absolute"},
	{"x/y", "", "must be absolute"},
	{".", "", "must be absolute"},
	{"../x", "", "must be absolute"},
	{"file:///srv/a%20b", "/srv/a b", ""},
	{"   ", "", "must be absolute"},
	{"/foo.bar/проект/a&b=c#d%e", "/foo.bar/проект/a&b=c#d%e", ""},
	{"/", "/", ""},
	{"/" + strings.Repeat("x", 5000), "", "longer than 4096 bytes"},
	{"/" + strings.Repeat("x", 4095), "/" + strings.Repeat("x", 4095), ""},
	{"/a\x00b", "", "control"},
	{"/a\nb", "", "control"},
	{"/a\u202eb", "", "invisible"},
	{"/a\u200bb", "", "invisible"},
	{"file:///a%E2%80%8Bb", "", "invisible"},
	{"/a\xffb", "", "not valid UTF-8"},
	{"/a\ufffdb", "", "U+FFFD"},
}

func TestParse(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("the table holds paths of Unix")
	}
	for _, c := range paths {
		got, err := marker.Parse(c.value)
		if c.want != "" {
			if err != nil || got != c.want {
				t.Errorf("Parse(%.80q) = %q, %v, want %q", c.value, got, err, c.want)
			}
			continue
		}
		if !errors.Is(err, errors.BadPath) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("Parse(%.80q) = %q, %v, want bad_path with %q", c.value, got, err, c.reason)
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
		{name: "path", tree: three, from: from(marker.Argument, "$/a"), root: "a", trace: "argument:used"},
		{name: "path that is not clean", tree: three, from: from(marker.Argument, "$/a//./"), root: "a", trace: "argument:used"},
		{name: "link into a project", tree: []string{"a/.blue/", "a/x/", "link->a/x"}, from: from(marker.Argument, "$/link"), root: "a", trace: "argument:used"},
		{name: "root directory", tree: three, from: from(marker.Argument, fixtures.Abs("/")), kind: errors.NotDetected, trace: "argument:junk",
			text: []string{"Blue not detected in: " + fixtures.Abs("/") + ". Expected .blue/ directory. Run 'blue init DIR' or pass 'cwd' parameter."}},
		{name: "URI too long", tree: three, from: join(roots("file:///"+strings.Repeat("x", 5000)), from(marker.Cwd, "$/a")), root: "a", trace: "roots:unusable cwd:used"},
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
