package marker_test

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blue/errors"
	"blue/fixtures"
	"blue/marker"
)

// site is a directory in which a test builds its world. Walks end at it, so that
// nothing of the machine plays a part.
type site struct {
	t    testing.TB
	base string
}

func newSite(t testing.TB) site {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	s := site{t: t, base: base}
	s.chmod("", 0o755)
	s.build("home/")
	return s
}

func (s site) path(name string) string { return filepath.Join(s.base, filepath.FromSlash(name)) }

func (s site) check(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s site) chmod(name string, mode os.FileMode) {
	s.t.Helper()
	s.check(os.Chmod(s.path(name), mode))
}

// openToAll lets everyone write, which on Windows no mode says.
func (s site) openToAll(name string, mode os.FileMode) {
	s.t.Helper()
	if runtime.GOOS == "windows" {
		s.t.Skip("SKIPPED: modes of Unix")
	}
	s.chmod(name, mode)
}

// build makes entries: "dir/", "link->target", "file" or "file=content", where $
// stands for the site.
func (s site) build(entries ...string) {
	s.t.Helper()
	for _, entry := range entries {
		name, text, isFile := strings.Cut(entry, "=")
		link, target, isLink := strings.Cut(entry, "->")
		text, target = strings.ReplaceAll(text, "$/", s.base+"/"), strings.ReplaceAll(target, "$/", s.base+"/")
		switch {
		case isLink:
			s.check(os.MkdirAll(filepath.Dir(s.path(link)), 0o755))
			s.link(target, link)
		case !isFile && strings.HasSuffix(entry, "/"):
			s.check(os.MkdirAll(s.path(entry), 0o755))
		default:
			s.check(os.MkdirAll(filepath.Dir(s.path(name)), 0o755))
			s.check(os.WriteFile(s.path(name), []byte(text), 0o644))
		}
	}
}

// link makes a symbolic link, which not every user of Windows may.
func (s site) link(target, name string) {
	s.t.Helper()
	if err := os.Symlink(target, s.path(name)); err != nil {
		s.t.Skipf("SKIPPED: no symbolic links here: %v", err)
	}
}

// said is a text with paths of the site, as the system and its shells write them, in place of those
// that begin with $/.
func (s site) said(text string) string {
	if filepath.Separator == '\\' {
		text = arguments.ReplaceAllString(strings.ReplaceAll(text, "ended at /", "ended at "+fixtures.Abs("/")), `$1"$2"`)
	}
	return places.ReplaceAllStringFunc(text, func(path string) string { return s.base + filepath.FromSlash(path[1:]) })
}

var (
	places    = regexp.MustCompile(`\$/[\w./-]*`)
	arguments = regexp.MustCompile(`(blue init |--allow-root )(\$/[\w./-]*\w)`)
)

func (s site) rules() marker.Rules {
	return marker.NewRules(s.path("home"))
}

func (s site) choose(r marker.Rules, from ...marker.Candidate) (marker.Found, error) {
	from = slices.Clone(from)
	for i := range from {
		from[i].Value = s.said(from[i].Value)
	}
	return marker.Choose(context.Background(), r, slices.Values(from))
}

// row is one case of detection: what the sources say, and what must
// come of it.
type row struct {
	name  string
	tree  []string
	rules func(*marker.Rules, site)
	from  []marker.Candidate
	root  string // wanted, below the site
	kind  errors.Kind
	trace string   // wanted: "source:outcome", without the absent ones
	text  []string // wanted in the failure, or in the detail of the winner, $ for the site
}

func runRows(t *testing.T, rows []row) {
	t.Helper()
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t)
			s.build(r.tree...)
			rules := s.rules()
			if r.rules != nil {
				r.rules(&rules, s)
			}
			found, err := s.choose(rules, r.from...)
			r.verify(t, s, found, err)
		})
	}
}

func (r row) verify(t *testing.T, s site, found marker.Found, err error) {
	t.Helper()
	trace, text := found.Trace, detail(found.Trace, marker.Used)
	if err != nil {
		e := errors.Of(err)
		trace, text = failure(t, err).Trace, e.Text()
	}
	if r.kind == "" && (err != nil || found.Root != s.path(r.root)) {
		t.Fatalf("found %q, %v, want %q", found.Root, err, s.path(r.root))
	}
	if r.kind != "" && !errors.Is(err, r.kind) {
		t.Fatalf("found %q, error %v, want kind %s", found.Root, err, r.kind)
	}
	if got := outline(trace); got != r.trace {
		t.Errorf("trace is %s, want %s\n%s", got, r.trace, text)
	}
	for _, want := range r.text {
		if want = s.said(want); !strings.Contains(text, want) {
			t.Errorf("text lacks %q:\n%s", want, text)
		}
	}
	conform(t, trace, err == nil)
}

// detail is that of the first line of a trace with the outcome.
func detail(trace []marker.Tried, outcome string) string {
	for _, tried := range trace {
		if tried.Outcome == outcome {
			return tried.Detail
		}
	}
	return ""
}

// outline is a trace without values, details and absent sources.
func outline(trace []marker.Tried) string {
	var words []string
	for _, t := range trace {
		if t.Outcome != marker.Absent {
			words = append(words, string(t.Source)+":"+t.Outcome)
		}
	}
	return strings.Join(words, " ")
}

// spoken are the outcomes of a value, mute those that need none.
var (
	spoken = []string{marker.Used, marker.OtherProject, marker.Unusable, marker.Junk, marker.Outside, marker.NoMarker, marker.Refused, marker.Stopped}
	mute   = []string{marker.Absent, marker.Empty, marker.NoAnswer}
)

// conform holds a trace to its form: the order of the chain, no gaps, several
// lines for lists alone, outcomes that exist, one winner on success and none on failure,
// and behind the winner nothing but other projects.
func conform(t testing.TB, trace []marker.Tried, success bool) {
	t.Helper()
	next, used := 0, 0
	for i, tried := range trace {
		at, listed := slices.Index(marker.Sources(), tried.Source), tried.Source == marker.Roots || tried.Source == marker.Initialize
		if at < 0 || at < next-1 || at == next-1 && !listed || at > next && used == 0 {
			t.Errorf("%s stands at the wrong place in the trace", tried.Source)
		}
		next = at + 1
		beside := tried.Outcome == marker.OtherProject && used > 0 && trace[i-1].Source == tried.Source
		if beside != (used > 0) {
			t.Errorf("%s %s with %d winners before it", tried.Source, tried.Outcome, used)
		}
		if !slices.Contains(spoken, tried.Outcome) && !slices.Contains(mute, tried.Outcome) {
			t.Errorf("%s has the outcome %q", tried.Source, tried.Outcome)
		}
		if tried.Value == nil && tried.Outcome != marker.Unusable && slices.Contains(spoken, tried.Outcome) {
			t.Errorf("%s %s without a value", tried.Source, tried.Outcome)
		}
		if tried.Outcome == marker.Used {
			used++
		}
	}
	if success && used != 1 || !success && used != 0 {
		t.Errorf("%d sources are used", used)
	}
}

func failure(t testing.TB, err error) marker.Failure {
	t.Helper()
	e, ok := errors.AsType[*errors.Error](err)
	if !ok {
		t.Fatalf("%v is not an error for people", err)
	}
	f, ok := e.Detail.(marker.Failure)
	if !ok {
		t.Fatalf("detail of %v is %T", err, e.Detail)
	}
	return f
}

func from(source marker.Source, values ...string) (all []marker.Candidate) {
	for _, v := range values {
		all = append(all, marker.Candidate{Source: source, Value: v})
	}
	return all
}

// roots are entries of roots/list.
func roots(values ...string) []marker.Candidate {
	all := from(marker.Roots, values...)
	for i := range all {
		all[i].URI = true
	}
	return all
}

func join(lists ...[]marker.Candidate) []marker.Candidate { return slices.Concat(lists...) }

// levels replaces the number of levels of walks, which depends on the directory of the tests.
func levels(text string) string {
	return regexp.MustCompile(`\d+ levels`).ReplaceAllString(text, "N levels")
}
