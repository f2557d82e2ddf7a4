package cli

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"blue/blue"
	"blue/errors"
)

// looks are what Blue itself tells a terminal.
var looks = regexp.MustCompile(`\x1b\[0(;[0-9;]+)?m`)

// place is a project, and a terminal of its own.
type place struct {
	dir string
	b   *blue.Blue
	std IO
	out bytes.Buffer
	err bytes.Buffer
}

func newPlace(t *testing.T, notes map[string]string) *place {
	t.Helper()
	top := t.TempDir()
	p := (&place{dir: filepath.Join(top, "shop")}).anew(t)
	must(t, os.MkdirAll(filepath.Join(p.dir, ".blue", "notes"), 0o755))
	if out, code := p.run("init"); code != 0 {
		t.Fatal(out)
	}
	for id, text := range notes {
		must(t, os.WriteFile(filepath.Join(p.dir, ".blue", "notes", id+".md"), []byte(text), 0o644))
	}
	return p
}

// anew is the place as another process finds it.
func (p *place) anew(t *testing.T) *place {
	t.Helper()
	top, fresh := filepath.Dir(p.dir), &place{dir: p.dir}
	fresh.b = blue.New(blue.Options{
		Home: top, Cache: filepath.Join(top, "cache"), State: filepath.Join(top, "state"), Config: filepath.Join(top, "config"),
		User: "tester", Env: func(string) string { return "" }, Now: func() time.Time { return time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC) },
	})
	t.Cleanup(func() { _ = fresh.b.Close() })
	fresh.std = IO{In: strings.NewReader(""), Out: &fresh.out, Err: &fresh.err, Dir: p.dir}
	return fresh
}

// running keeps command lines of one process after each other: the library's own
// flag --help is shared by them.
var running sync.Mutex

// run runs a command line and returns what stands on the terminal.
func (p *place) run(args ...string) (string, int) {
	running.Lock()
	defer running.Unlock()
	p.out.Reset()
	p.err.Reset()
	code := Run(context.Background(), append([]string{"blue"}, args...), p.std, p.b, nil)
	return p.out.String() + p.err.String(), code
}

// screen is run on a terminal, without its last lines, which name the project.
func (p *place) screen(t *testing.T, width int, color bool, args ...string) string {
	t.Helper()
	p.std.Width, p.std.Color = width, color
	defer func() { p.std.Width, p.std.Color = 0, false }()
	out, code := p.run(append(args, "--verbose")...)
	if code != 0 {
		t.Fatalf("%v: exit %d: %s", args, code, out)
	}
	out, _, _ = strings.Cut(out, "\x1b[0;2mProject: ")
	out, _, _ = strings.Cut(out, "Project: ")
	return out
}

func TestReadOnATerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"retries-bbbb": "---\ntype: decision\ntitle: Webhook retries\ntags: [ops, payments]\nstatus: superseded\n---\n\n# Webhook retries\n\nFive *times*, see [[deploys-aaaa]].\n",
		"deploys-aaaa": "# Deploys\n\nOn Fridays.\n",
	})
	revision := between(p, "retries-bbbb", "revision: ", "\n")
	want := "Webhook retries\nretries-bbbb" + dot + "decision" + dot + revision + "\ntags    ops, payments\nlinks   deploys-aaaa\nstatus  superseded\n" +
		strings.Repeat("─", 50) + "\n\nFive *times*, see [[deploys-aaaa]].\n\n"
	if got := p.screen(t, 50, false, "read", "retries-bbbb"); got != want {
		t.Errorf("%s--- instead of\n%s", got, want)
	}
	if got := p.screen(t, 50, true, "read", "retries-bbbb"); !strings.HasPrefix(got, "\x1b[0;1;38;5;32mWebhook retries\x1b[0m\n") || !strings.Contains(got, "\x1b[0;3mtimes\x1b[0m") {
		t.Errorf("%q", got)
	}
	two := p.screen(t, 150, false, "read", "retries-bbbb", "deploys")
	if !strings.Contains(two, ".\n\n\nDeploys\ndeploys-aaaa"+dot+"note"+dot) || strings.Count(two, strings.Repeat("─", 100)+"\n") != 2 {
		t.Error(two)
	}
	if piped, _ := p.run("read", "retries-bbbb"); !strings.Contains(piped, "id: retries-bbbb · type: decision · revision: ") || strings.Count(piped, "\n# Webhook retries\n") != 1 {
		t.Error(piped)
	}
}

// between is what stands between two texts of a note as it is piped.
func between(p *place, id, from, to string) string {
	out, _ := p.run("read", id)
	_, out, _ = strings.Cut(out, from)
	out, _, _ = strings.Cut(out, to)
	return out
}

func TestListOnATerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"webhook-retries-bbbb": "---\ntype: decision\ntitle: Webhook retries\ntags: [ops, payments, and, more, tags]\ncreated: 2026-03-01T00:00:00Z\n---\n\nx\n",
		"支払い-cccc":             "---\ntitle: 支払いのリトライ方針\ntags: [決済]\ncreated: 2026-02-28T00:00:00Z\n---\n\nx\n",
		"bad-dddd":             "---\ntitle: \"a\\e[31mb\"\nstatus: superseded\ncreated: 2025-01-01T00:00:00Z\n---\n\nx\n",
	})
	for width, want := range map[int]string{
		100: "ID                    TITLE                 TYPE      AGE     STATE       TAGS\n" +
			"webhook-retries-bbbb  Webhook retries       decision  3 days              ops payments and mo…\n" +
			"支払い-cccc           支払いのリトライ方針  note      4 days              決済\n" +
			"bad-dddd              a\\u{1B}[31mb          note      1 year  superseded\n",
		80: "ID                    TITLE                 TYPE      AGE     STATE\n" +
			"webhook-retries-bbbb  Webhook retries       decision  3 days\n" +
			"支払い-cccc           支払いのリトライ方針  note      4 days\n" +
			"bad-dddd              a\\u{1B}[31mb          note      1 year  superseded\n",
		60: "",
		30: "",
	} {
		got := p.screen(t, width, false, "list")
		if want != "" && got != want+"\n" {
			t.Errorf("%d columns:\n%s--- instead of\n%s", width, got, want)
		}
		for line := range strings.Lines(got) {
			if n := columnsOfText(strings.TrimRight(line, "\n")); n > width {
				t.Errorf("%d columns: %d in %s", width, n, line)
			}
		}
	}
	if got := looks.ReplaceAllString(p.screen(t, 80, true, "list"), ""); got != errors.Printable(got) {
		t.Errorf("%q", got)
	}
	if got := p.screen(t, 80, false, "list", "--type", "nix"); got != "No notes\n" {
		t.Errorf("%q", got)
	}
	if piped, _ := p.run("list"); !strings.HasPrefix(piped, "webhook-retries-bbbb  Webhook retries  (decision, 3 days, #ops #payments #and #more #tags)\n") {
		t.Error(piped)
	}
}

func TestSearchOnATerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"retries-bbbb": "---\ntitle: Webhook retries\ntags: [ops]\ncreated: 2026-03-01T00:00:00Z\n---\n\nWe \u202e retry \x1b[31m a failed webhook five times.\n",
	})
	want := "\x1b[0;1;38;5;32mWebhook retries\x1b[0m\n" +
		"  retries-bbbb\x1b[0;2m" + strings.Join([]string{"", "note", "3 days", "#ops"}, dot) + "\x1b[0m\n" +
		"  We \\u{202E} \x1b[0;1;4mretry\x1b[0m [31m a failed \x1b[0;1;4mwebhook\x1b[0m five times.\n\n"
	if got := p.screen(t, 60, true, "search", "webhook", "retries"); got != want {
		t.Errorf("%q instead of\n%q", got, want)
	}
	if got := p.screen(t, 60, false, "search", "webhook", "retries"); got != looks.ReplaceAllString(want, "") {
		t.Error(got)
	}
	if piped, _ := p.run("search", "webhook"); !strings.HasPrefix(piped, "retries-bbbb  Webhook retries  (3 days, #ops)\n  We \\u{202E} retry") {
		t.Error(piped)
	}
	if got := p.screen(t, 60, false, "search", "xyzzy"); !strings.HasPrefix(got, "No hits among 1 note\n") {
		t.Error(got)
	}
	if got := p.screen(t, 60, false, "search", "--explain", "webhook"); !strings.Contains(got, "  score ") {
		t.Error(got)
	}
}

// A terminal that stands in the project is not told its name, unless it asks.
func TestProjectOnATerminal(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a": "# Alpha\n\nText.\n"})
	p.std.Width = 80
	for _, args := range [][]string{{"list"}, {"search", "alpha"}, {"read", "a"}} {
		out, _ := p.run(args...)
		if strings.Contains(out, "Project:") || strings.HasSuffix(out, "\n\n") {
			t.Errorf("%q: %q", args, out)
		}
		if out, _ = p.run(append(args, "-v")...); !strings.Contains(out, "\n\nProject: ") {
			t.Errorf("%q -v: %q", args, out)
		}
	}
}
