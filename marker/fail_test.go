package marker_test

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blue/errors"
	"blue/fixtures"
	"blue/marker"
)

// The whole text when nothing was found.
func TestNothingFound(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("bare/")
	rules := s.rules()
	rules.Door.Session = true
	from := join([]marker.Candidate{{Source: marker.Roots, Outcome: marker.NoAnswer, Detail: "silent for 2 s"}}, from(marker.Env, "${X}"),
		from(marker.ClaudeProjectDir, "$/none"), from(marker.Cwd, "$/bare"))
	_, err := s.choose(rules, from...)
	want := s.said(`Blue project not found. Run 'blue init' or pass 'cwd' parameter.
Process cwd: <unknown>
- mcp_root (roots): the client sent no roots: silent for 2 s
- BLUE_PROJECT: ${X} - not set: unexpanded variable
- CLAUDE_PROJECT_DIR: $/none - does not exist
- working directory: $/bare - no .blue/ there or above: N levels, ended at /`)
	if got := levels(errors.Of(err).Text()); got != want || !errors.Is(err, errors.NoProject) {
		t.Errorf("text is\n%s\nwant\n%s", got, want)
	}
	rules.Cwd = s.path("bare")
	if _, err := s.choose(rules); !strings.HasSuffix(errors.Of(err).Text(), "\nProcess cwd: "+s.path("bare")) {
		t.Errorf("text is %s", errors.Of(err).Text())
	}
	rules.Cwd = s.path("gone")
	if _, err := s.choose(rules, marker.Candidate{Source: marker.Cwd, Value: s.path("gone")}); !strings.Contains(errors.Of(err).Text(), "\nProcess cwd: <unknown>\n- working directory: "+s.path("gone")+" - does not exist") {
		t.Errorf("a directory that is deleted under the process: %s", errors.Of(err).Text())
	}
	gone := marker.Candidate{Source: marker.Cwd, Outcome: marker.Unusable, Detail: "deleted"}
	if _, err := s.choose(s.rules(), gone); !strings.HasSuffix(errors.Of(err).Text(), "Process cwd: <unknown>\n- working directory: deleted") {
		t.Errorf("text is %s", errors.Of(err).Text())
	}
}

// The whole text for a directory that is no project, and the object beside it.
func TestNotDetected(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("re po/.git/", "re po/x/y/")
	rules := s.rules()
	rules.Cwd, rules.Door = marker.NotOverHTTP, marker.Door{HTTP: true, Session: true}
	_, err := s.choose(rules, from(marker.Query, "$/re po/x/y")...)
	want := fmt.Sprintf(`Blue not detected in: %s. Expected .blue/ directory. Run 'blue init %s' or pass 'cwd' parameter.
Source: query. ?project_path= or Blue-Project: no .blue/ there or above: N levels, ended at %s.
Process cwd: not used over HTTP`, s.path("re po/x/y"), errors.Argument(s.path("re po")), fixtures.Abs("/"))
	if got := levels(errors.Of(err).Text()); got != want {
		t.Errorf("text is\n%s\nwant\n%s", got, want)
	}
	data, err := json.Marshal(errors.Of(err))
	s.check(err)
	var object struct {
		Error      string
		Trace      []map[string]any
		Candidates []string
	}
	s.check(json.Unmarshal(data, &object))
	first := map[string]any{"source": "argument", "value": nil, "outcome": "absent", "detail": ""}
	if object.Error != "not_detected" || object.Candidates == nil || len(object.Trace) != 7 || fmt.Sprint(object.Trace[0]) != fmt.Sprint(first) {
		t.Errorf("object is %s", data)
	}
}

// Every text is short, calm, and on lines of its own; hints name verbs.
func TestTextsAreBounded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	long := "/" + strings.Repeat("é", 2000)
	var many []marker.Candidate
	for i := range 60 {
		many = append(many, roots(fmt.Sprintf("file:///missing/%d%s", i, long[:400]))...)
	}
	rules := s.rules()
	rules.Cwd = long
	_, err := s.choose(rules, join(many, from(marker.Env, "\x1b[31m"+long))...)
	text := errors.Of(err).Text()
	if len(text) > 2048 || !strings.Contains(text, "/missing/0/") || !strings.Contains(text, "Source: env. BLUE_PROJECT: ") || !strings.Contains(text, " more") {
		t.Errorf("%d bytes:\n%s", len(text), text)
	}
	for _, e := range []*errors.Error{
		errors.ProjectNotFound(), errors.NotDetectedIn(long, long), errors.PathNotAbsolute(long), errors.PathTraversal(long),
		errors.PathUnusable(long, "why"), errors.MarkerLinked(long), errors.OtherOwner(long, 1, 2), errors.OpenToAll(long),
		errors.ManyProjects(slices.Repeat([]string{long}, 32)), errors.OutsideAllowed(long, long, slices.Repeat([]string{long}, 32)),
		errors.FormatUnknown(long, long), errors.DiskSilent(long), errors.SessionMissing(), errors.MarkerNotMade(long, err),
	} {
		whole := e.Message
		for _, h := range e.Hints {
			whole += h.Text + h.Verb + h.Args
		}
		if len(whole) > 1300 || strings.ContainsAny(whole, "!\n") || len(e.Hints) == 0 && e.Kind != errors.OutsideAllowedRoots || // its hint needs the server's flags
			!slices.Contains(errors.Kinds(), e.Kind) {
			t.Errorf("%s has %d bytes, %d hints: %s", e.Kind, len(whole), len(e.Hints), whole)
		}
	}
	for value, want := range map[string]string{"rel\nx": `Path 'rel\u{A}x' is not usable: `, strings.Repeat("x", 81): "Path '" + strings.Repeat("x", 79) + "…' must be absolute (e.g. "} {
		if _, err := marker.Parse(value); !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%v, want %s", err, want)
		}
	}
	if first := errors.SessionMissing().Message; first != "blue_use has no session to change on this connection. Pass 'cwd' on every call." {
		t.Error(first)
	}
}

// A command in a text can be pasted, whatever the directory is called.
func TestCommandsAreQuoted(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("quoting of Unix shells")
	}
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no shell")
	}
	command := regexp.MustCompile(`Run: blue trust (.*)$`)
	for _, dir := range []string{"/a", "/a b", "/it's", `/a"b`, "/$HOME", "/a;b", "/ü", "/a`b`", "/-x", "/a*"} {
		word := command.FindStringSubmatch(errors.OpenToAll(dir).Message)[1]
		out, err := exec.Command(shell, "-c", "printf %s "+word).Output()
		if err != nil || string(out) != dir {
			t.Errorf("%q is written %s, which means %q, %v", dir, word, out, err)
		}
	}
	if got := errors.OpenToAll("/a\nb").Message; !strings.HasSuffix(got, "blue trust DIR") {
		t.Error(got)
	}
}

// Values are visible and bounded, and null where there is none.
func TestTraceValues(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for value, want := range map[string]string{
		"a\u202eb\x00\xff":         `a\u{202E}b\u{0}\u{FFFD}`,
		strings.Repeat("é", 3000):  strings.Repeat("é", 2046) + "…",
		strings.Repeat("\n", 5000): "",
	} {
		_, err := s.choose(s.rules(), from(marker.Cwd, value)...)
		trace := failure(t, err).Trace
		got := *trace[slices.Index(marker.Sources(), marker.Cwd)].Value
		if want != "" && got != want || len(got) > 4096 || errors.Visible(got) != got {
			t.Errorf("value is %.60q (%d bytes), want %.60q", got, len(got), want)
		}
	}
}

// TestFind: the walk alone, and a call that was given up.
func TestFind(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("a/.blue/", "a/x/", "bare/")
	if root, err := marker.Find(context.Background(), s.rules(), s.path("a/x")); err != nil || root != s.path("a") {
		t.Errorf("Find returns %s, %v", root, err)
	}
	if root, err := marker.Find(context.Background(), s.rules(), s.path("bare")); root != "" || !errors.Is(err, errors.NotDetected) {
		t.Errorf("Find returns %s, %v", root, err)
	}
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := marker.Find(over, s.rules(), s.path("a")); !errors.Is(err, context.Canceled) {
		t.Errorf("Find in a call that is over returns %v", err)
	}
}

// The layout that git itself makes, with absolute and relative links.
func TestRealWorktree(t *testing.T) {
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git")
	}
	s := newSite(t)
	s.build("m/.blue/", "p/")
	run := func(args ...string) error {
		cmd := exec.Command(git, append([]string{"-C", s.path("m"), "-c", "user.name=x", "-c", "user.email=x@example.com"}, args...)...)
		cmd.Env = append(os.Environ(), "HOME="+s.path("home"), "GIT_CONFIG_NOSYSTEM=1")
		return cmd.Run()
	}
	s.check(run("init", "-q"))
	s.check(run("commit", "-q", "--allow-empty", "-m", "x"))
	s.check(run("worktree", "add", "-q", "--detach", s.path("p/wt")))
	trees := []string{"p/wt"}
	if run("worktree", "add", "-q", "--detach", "--relative-paths", s.path("p/rel")) == nil {
		trees = append(trees, "p/rel")
	}
	for _, tree := range trees {
		found, err := s.choose(s.rules(), from(marker.Cwd, "$/"+tree)...)
		if err != nil || found.Root != s.path("m") || found.Worktree != s.path(tree) {
			t.Errorf("%+v, %v", found, err)
		}
	}
}

// A space at the end of a path is seen, and the working directory of a repository is told to make
// the repository a project.
func TestFailuresShowWhatWasMeant(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.build("repo/.git/", "repo/sub/")
	_, err := s.choose(s.rules(), from(marker.Argument, "$/repo/sub ")...)
	if text := whole(err); runtime.GOOS != "windows" && strings.Count(text, `"`+s.path("repo/sub ")+`"`) != 2 {
		t.Errorf("%s", text)
	}
	_, err = s.choose(s.rules(), from(marker.Cwd, "$/repo/sub")...)
	if text := whole(err); !strings.Contains(text, s.said("`blue init $/repo`")) {
		t.Errorf("%s", text)
	}
}
