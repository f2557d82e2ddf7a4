package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"blue/errors"
	"blue/fixtures"
)

// says runs a command line that must succeed, and returns what it says.
func (p *place) says(t *testing.T, args ...string) string {
	t.Helper()
	out, code := p.run(args...)
	if code != 0 {
		t.Fatalf("blue %q: exit %d: %s", args, code, out)
	}
	return out
}

// refuses runs a command line that must fail with an exit code, and words in its message.
func (p *place) refuses(t *testing.T, code int, words string, args ...string) {
	t.Helper()
	if out, got := p.run(args...); got != code || !strings.Contains(out, words) {
		t.Errorf("blue %q: exit %d instead of %d, or not %q: %s", args, got, code, words, out)
	}
}

// The start of an id is enough in the trash too, and the trash can be listed.
func TestTrash(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"one-aaaa": "One.\n", "one-bbbb": "Another one.\n", "two-aaaa": "Two.\n"})
	if said := p.says(t, "trash"); !strings.HasPrefix(said, "The trash is empty\n") {
		t.Error(said)
	}
	p.says(t, "remove", "one-a")
	p.says(t, "rm", "two")
	said := p.says(t, "trash")
	if !regexp.MustCompile(`^two-aaaa  two-aaaa  \(removed .*Z\)\none-aaaa  one-aaaa  \(removed .*Z\)\n`).MatchString(said) {
		t.Error(said)
	}
	if said := p.says(t, "remove", "one-a", "--restore"); !strings.HasPrefix(said, "Back from the trash: one-aaaa ") {
		t.Error(said)
	}
	if said := p.says(t, "restore", "tw"); !strings.HasPrefix(said, "Back from the trash: two-aaaa ") {
		t.Error(said)
	}
	p.says(t, "remove", "one-aaaa")
	p.says(t, "remove", "one-bbbb")
	p.refuses(t, 2, `"one-" is the start of 2 ids`, "restore", "one-")
	p.refuses(t, 3, "three", "restore", "three")
}

// Without a directory blue trust is about this project; until then where, setup,
// list and search say that it is not trusted.
func TestTrustThisProject(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"one-aaaa": "One.\n"})
	p.says(t, "trust", "--remove")
	const not = "not trusted: run blue trust to have these notes told unasked\n"
	says := func(want bool) {
		t.Helper()
		for _, args := range [][]string{{"where"}, {"list"}, {"search", "one"}, {"setup"}, {"setup", "claude-code", "--dry-run"}} {
			if said := p.says(t, args...); strings.Contains(said, not) != want || strings.Contains(said, "repository)") {
				t.Errorf("%q says %s", args, said)
			}
		}
	}
	says(true)
	if said := p.says(t, "trust"); !strings.Contains(said, "Trusted ") || !strings.Contains(said, filepath.FromSlash("/shop: its notes may be told unasked")) {
		t.Error(said)
	}
	says(false)
	below := filepath.Join(p.dir, "below")
	must(t, os.Mkdir(below, 0o755))
	if said := p.says(t, "trust", "-C", below, "--remove"); !strings.Contains(said, filepath.FromSlash("/shop is not trusted any more")) {
		t.Error(said)
	}
	says(true)
	if said := p.says(t, "trust", p.dir); !strings.Contains(said, "its notes may be told") {
		t.Error(said)
	}
	if said := p.says(t, "trust", below); !strings.Contains(said, "which is no project") {
		t.Error(said)
	}
	if said := p.says(t, "trust", "--remove", p.dir); !strings.Contains(said, "not trusted any more") {
		t.Error(said)
	}
	if said := p.says(t, "trust", "--remove"); !strings.Contains(said, "was not trusted") {
		t.Error(said)
	}
	p.refuses(t, 4, "not detected", "trust", "--cwd", filepath.Dir(p.dir))
}

// The terminal and --json show as many notes as were asked for.
func TestUnbounded(t *testing.T) {
	fixtures.Slow(t)
	t.Parallel()
	notes := map[string]string{}
	for i := range 1100 {
		notes[fmt.Sprintf("n%04d-aaaa", i)] = fmt.Sprintf("---\ntitle: Note %d %s\ntags: [ops]\n---\n\ndeploy\n", i, strings.Repeat("with a long title ", 8))
	}
	p := newPlace(t, notes)
	listed := regexp.MustCompile(`"id": "n\d{4}-`) // the id of the project may begin with n, too
	for _, row := range []struct {
		args []string
		want int
	}{
		{[]string{"list", "--limit", "1000"}, 1000}, {[]string{"list", "--all"}, 1100}, {[]string{"ls", "-a", "-t", "ops"}, 1100},
		{[]string{"list"}, 50}, {[]string{"search", "deploy", "-n", "1050"}, 1050}, {[]string{"search", "deploy", "-n700"}, 700}, {[]string{"log", "--all"}, 1100},
		{[]string{"review", "--all"}, 0},
	} {
		said := p.says(t, append(row.args, "--json")...)
		if n := len(listed.FindAllString(said, -1)); n != row.want {
			t.Errorf("%q: %d of %d", row.args, n, row.want)
		}
		if n := strings.Count(p.screen(t, 120, false, row.args...), "-aaaa"); n < row.want {
			t.Errorf("%q on a terminal: %d of %d", row.args, n, row.want)
		}
	}
	if said := p.says(t, "list", "--limit", "1000", "--max-tokens", "500"); strings.Count(said, "-aaaa") > 20 {
		t.Errorf("tokens that were asked for do not bound: %s", said)
	}
	p.refuses(t, 2, "--limit", "list", "--limit", "-3")
}

// What is piped is the text, and the argument its title.
func TestPipedText(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		in   string
		args []string
		want string // title and text
	}{
		"pipe and argument":    {"the text\n", []string{"Why", "it fails"}, "Why it fails|the text"},
		"pipe alone":           {"the text\n", nil, "the text|the text"},
		"argument alone":       {"", []string{"the", "text"}, "the text|the text"},
		"an empty pipe":        {" \n", []string{"the text"}, "the text|the text"},
		"pipe and title":       {"the text\n", []string{"--title", "Why"}, "Why|the text"},
		"a dash":               {"the text\n", []string{"-"}, "the text|the text"},
		"text and argument":    {"not read", []string{"Why", "-m", "the text"}, "Why|the text"},
		"the flag reads it":    {"the text\n", []string{"Why", "--body", "-"}, "Why|the text"},
		"text that is no flag": {"", []string{"- an item"}, "- an item|- an item"},
		"text behind --":       {"", []string{"--", "-x is broken", "--badly"}, "-x is broken --badly|-x is broken --badly"},
	} {
		p := newPlace(t, nil)
		p.std.In = strings.NewReader(row.in)
		p.says(t, append([]string{"write"}, row.args...)...)
		said := p.says(t, "list", "--json")
		_, id, _ := strings.Cut(said, `"id": "`)
		for strings.Contains(id, `"id": "`) { // the project's comes first
			_, id, _ = strings.Cut(id, `"id": "`)
		}
		id, _, _ = strings.Cut(id, `"`)
		title, text, _ := strings.Cut(row.want, "|")
		if read := p.says(t, "read", id); !strings.HasPrefix(read, "# "+title+"\n") || !strings.Contains(read, "\n\n"+text+"\n") {
			t.Errorf("%s: %s", name, read)
		}
	}
	p := newPlace(t, nil)
	p.std.In = strings.NewReader("the text")
	p.refuses(t, 2, "--title", "write", "--title", "One", "Another")
	if said := p.says(t, "write", "--help"); !strings.Contains(said, "comes through a pipe") {
		t.Error(said)
	}
}

// Flags that exist are flags wherever they stand, others are refused, and behind --
// everything is text.
func TestFlagsAreNoWords(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a-aaaa": "deploy staging\n", "b-aaaa": "deploy production -n 1\n"})
	if said := p.says(t, "search", "deploy", "-n", "1"); strings.Count(said, "  (now") != 1 {
		t.Error(said)
	}
	if said := p.says(t, "search", "-n", "1", "deploy"); strings.Count(said, "  (now") != 1 {
		t.Error(said)
	}
	if said := p.says(t, "search", "deploy", "-staging"); strings.Contains(said, "a-aaaa") || !strings.Contains(said, "b-aaaa") {
		t.Errorf("a word that must not occur: %s", said)
	}
	if said := p.says(t, "search", "deploy", "--", "--json"); strings.Contains(said, "{") || !strings.Contains(said, "b-aaaa") {
		t.Errorf("what stands behind --: %s", said)
	}
	p.refuses(t, 2, `has no flag "-x"`, "search", "deploy", "-x")
	p.refuses(t, 2, `has no flag "--staging"`, "search", "deploy", "--staging")
	p.refuses(t, 2, `has no flag "-staging"`, "write", "deploy", "-staging")
	p.refuses(t, 2, `has no flag "-x"`, "read", "a-aaaa", "-x")
}

// The manners of other tools.
func TestManners(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"a-aaaa": "---\ntags: [ops]\n---\n\nA\n"})
	if said := p.says(t, "--version"); said != p.says(t, "version") {
		t.Error(said)
	}
	if said := p.says(t, "--version", "--json"); said != p.says(t, "version", "--json") {
		t.Error(said)
	}
	for _, args := range [][]string{{"help", "search"}, {"search", "-h"}, {"-C", p.dir, "help", "search"}} {
		if said := p.says(t, args...); said != p.says(t, "search", "--help") {
			t.Errorf("%q: %s", args, said)
		}
	}
	first := p.says(t)
	for _, args := range [][]string{{"help"}, {"--help"}, {"-h"}, {"-C", "/"}} {
		if said := p.says(t, args...); said != first {
			t.Errorf("%q: %s", args, said)
		}
	}
	p.refuses(t, 2, `no command "serch"`, "help", "serch")
	p.refuses(t, 2, `no flag "--bogus"`, "--bogus")
	list := p.says(t, "list", "-v")
	p.std.Dir = filepath.Dir(p.dir)
	for _, args := range [][]string{{"-C", p.dir, "ls", "-v"}, {"-C", "shop", "list", "-v"}, {"-v", "--cwd=shop", "list"}, {"--verbose", "list", "-C", "shop"}} {
		if said := strings.ReplaceAll(p.says(t, args...), "source: argument", "source: cwd"); said != list {
			t.Errorf("%q: %s", args, said)
		}
	}
	if said := p.says(t, "--json", "-C", "shop", "list"); !strings.HasPrefix(said, "{") {
		t.Error(said)
	}
	p.refuses(t, 2, "given twice", "-C", "shop", "list", "--cwd", "shop")
	must(t, os.Mkdir(filepath.Join(filepath.Dir(p.dir), "new"), 0o755))
	if said := p.says(t, "-C", "new", "init"); !strings.Contains(said, filepath.FromSlash("new/.blue")) {
		t.Error(said)
	}
	p.std.Dir = p.dir
	p.says(t, "write", "B", "--tag", "ops", "-t", "more", "--file", "shop.go", "-f", "a.go", "--type", "decision")
	if said := p.says(t, "read", "b-"); !strings.Contains(said, "ops, more") || !strings.Contains(said, "shop.go") || !strings.Contains(said, "a.go") {
		t.Error(said)
	}
	p.says(t, "rm", "a-")
	for _, names := range []string{"list, ls", "remove, rm"} {
		if !strings.Contains(first, names) {
			t.Errorf("the first page does not name %s: %s", names, first)
		}
	}
}

// TestWholeIDs: no layout cuts an id, and none is wider than the terminal but for an id.
func TestWholeIDs(t *testing.T) {
	t.Parallel()
	const id = "a-note-about-the-deploys-of-the-shop-and-how-they-are-done-aaaa"
	p := newPlace(t, map[string]string{id: "---\ntitle: A note about the deploys of the shop, and how they are done\ntags: [ops]\n---\n\nDeploys.\n"})
	for _, args := range [][]string{{"list"}, {"search", "deploys"}, {"log"}, {"read", id}} {
		for _, width := range []int{40, 120} {
			screen := p.screen(t, width, false, args...)
			if !strings.Contains(screen, id) {
				t.Errorf("%q at %d columns: %s", args, width, screen)
			}
			for line := range strings.Lines(screen) {
				if columnsOfText(strings.TrimSuffix(line, "\n")) > width && strings.TrimSpace(line) != id {
					t.Errorf("%q at %d columns: %s", args, width, line)
				}
			}
		}
	}
}

// Of several notes one that is not there is told by the exit code, as of a single one; and
// Ctrl-C ends what waits for a text, without a word.
func TestExitCodes(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"one-aaaa": "One.\n"})
	p.refuses(t, 3, "No such notes: two", "read", "one", "two")
	ctx, interrupt := context.WithCancel(t.Context())
	input, never := io.Pipe()
	defer never.Close()
	p.std.In = input
	interrupt()
	p.err.Reset()
	if code := Run(ctx, []string{"blue", "write", "-"}, p.std, p.b, nil); code != interrupted || p.err.Len() > 0 {
		t.Errorf("exit %d: %s", code, p.err.String())
	}
	p.std.Out = failing{}
	p.refuses(t, 1, "the output cannot be written: no space", "list")
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.E(errors.Disk, "no space") }

// The start of a revision is enough wherever one is brought back or read.
func TestStartOfARevision(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"one-aaaa": "One.\n"})
	first, _, _ := strings.Cut(p.says(t, "history", "one"), " ")
	p.says(t, "edit", "one", "--append", "More.")
	if said := p.says(t, "read", "one", "-r", first[:6]); strings.Contains(said, "More.") {
		t.Error(said)
	}
	p.says(t, "restore", "one", first[:6])
	if said := p.says(t, "read", "one"); !strings.Contains(said, "revision: "+first) {
		t.Error(said)
	}
	p.refuses(t, 3, `has no revision "zz"`, "restore", "one", "zz")
	p.refuses(t, 3, "no note", "restore", "two", first)
}
