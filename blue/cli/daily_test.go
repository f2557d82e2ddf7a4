package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blue/blue/setup"
	"blue/errors"
	"blue/fixtures"
)

// A type or a tag that no note has is answered with the nearest in use, a new type that is
// probably misspelled with the one that is meant, and a former id with the note that it means.
func TestNearest(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"a-aaaa": "---\ntype: decision\ntags: [storage]\n---\n\nA word.\n", "b-aaaa": "---\ntype: runbook\ntags: [ops]\n---\n\nB word.\n",
	})
	for words, want := range map[string]string{
		"list --type decisoin":        "no note has the type \"decisoin\"; did you mean decision?",
		"list --type Runbook":         "no note has the type \"Runbook\"; did you mean runbook?",
		"list -t sotrage":             "no note has the tag \"sotrage\"; did you mean storage?",
		"search word -t opps":         "no note has the tag \"opps\"; did you mean ops?",
		"search word --type runbok":   "no note has the type \"runbok\"; did you mean runbook?",
		"log --type runboook":         "no note has the type \"runboook\"; did you mean runbook?",
		"review -t storag":            "no note has the tag \"storag\"; did you mean storage?",
		"list --type decisoin --json": `"no note has the type \"decisoin\"; did you mean decision?"`,
		"list --type elephant":        "",
		"list --type decision -t ops": "",
		"list --type decision":        "",
	} {
		said := p.says(t, strings.Fields(words)...)
		if want == "" && strings.Contains(said, "did you mean") || !strings.Contains(said, want) {
			t.Errorf("%s: %s, want %s", words, said, want)
		}
	}
	said := p.says(t, "write", "--type", "runboko", "Restart it.")
	id := regexp.MustCompile(`restart-it-[a-z2-7]{4}`).FindString(said)
	if !strings.Contains(said, "no other note has the type \"runboko\"; if you meant runbook: blue edit "+id+" --type runbook\n") {
		t.Error(said)
	}
	for _, given := range []string{"runboko", "runbook", "playbook", "note"} {
		if said := p.says(t, "write", "--type", given, "Another text with "+given); strings.Contains(said, "if you meant") {
			t.Errorf("%s: %s", given, said)
		}
	}
	if said := p.says(t, "restore", "b-aaaa"); !strings.HasPrefix(said, "Not in the trash: the note is there: b-aaaa (") || strings.Contains(said, "former") {
		t.Error(said)
	}
}

// An unknown id is answered with ids that resemble it, not with notes that share a word of their text.
func TestNearestIDs(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"webhook-retries-stop-aaaa": "---\ntitle: Webhook retries stop\n---\n\nThere is nothing like a bank.\n",
		"rules-for-the-team-bbbb":   "---\ntitle: Rules\n---\n\nA webhook, and nothing else there.\n",
		"two-cccc":                  "---\ntitle: Two\n---\n\nSee [[webhook-retries-stop-aaaa]], whose retries stop.\n",
	})
	for id, want := range map[string]string{
		"webhook-retris":            "did you mean webhook-retries-stop-aaaa:",
		"webhook-retries-stop-zzzz": "did you mean webhook-retries-stop-aaaa:",
		"retries":                   "did you mean webhook-retries-stop-aaaa:",
		"rulse-zzzz":                "did you mean rules-for-the-team-bbbb:",
		"nothing-there":             "",
		"bank":                      "",
	} {
		if said, _ := p.run("edit", id, "--status", "accepted"); want == "" && strings.Contains(said, "did you mean") || !strings.Contains(said, want) {
			t.Errorf("%s: %s, want %s", id, said, want)
		}
	}
}

// Several notes are removed and brought back by one command, or none is.
func TestRemoveSeveral(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"one-aaaa": "One.\n", "two-aaaa": "Two.\n", "three-aaaa": "Three.\n", "three-bbbb": "Three.\n"})
	p.refuses(t, 3, `no note "four"`, "remove", "one", "two", "four")
	p.refuses(t, 2, `"three" is the start of 2 ids`, "rm", "one", "three")
	p.refuses(t, 2, "--revision", "rm", "one", "two", "--revision", "0123456789abcdef")
	p.refuses(t, 2, "takes one or more IDs", "rm")
	if ids := strings.Join(p.files(t), " "); ids != "one-aaaa three-aaaa three-bbbb two-aaaa" {
		t.Fatal(ids)
	}
	said := p.says(t, "rm", "one", "three-b", "one")
	if !regexp.MustCompile(`^Moved to the trash: one-aaaa .*\nMoved to the trash: three-bbbb .*\nAlready in the trash: one-aaaa `).MatchString(said) {
		t.Error(said)
	}
	p.refuses(t, 3, `no note "four" in the trash`, "rm", "--restore", "one", "four")
	var back struct {
		Removed []struct {
			ID      string
			Trashed bool
			Durable bool
		}
	}
	must(t, json.Unmarshal([]byte(p.says(t, "remove", "--restore", "--json", "one", "three-b")), &back))
	if len(back.Removed) != 2 || back.Removed[0].ID != "one-aaaa" || back.Removed[1].ID != "three-bbbb" || back.Removed[1].Trashed || !back.Removed[1].Durable {
		t.Errorf("%+v", back)
	}
	if ids := strings.Join(p.files(t), " "); ids != "one-aaaa three-aaaa three-bbbb two-aaaa" {
		t.Error(ids)
	}
	id := strings.Fields(p.says(t, "write", "Requests are retried with exponential backoff and a pause"))[1]
	if !strings.HasPrefix(id, "requests-are-retried-with-") || len(id) > 40 {
		t.Error(id)
	}
	long := "a-name-from-before-that-has-many-more-letters-than-new-ids-have-aaaa"
	must(t, os.WriteFile(filepath.Join(p.dir, ".blue", "notes", long+".md"), []byte("Long.\n"), 0o600))
	p.says(t, "edit", long, "--append", "More.")
	p.says(t, "rm", "a-name", "two")
	p.says(t, "restore", long)
	if said := p.says(t, "read", long); !strings.Contains(said, "Long.\n\nMore.\n") {
		t.Error(said)
	}
}

// Completion after restore, history, log and diff does not bring the index in line, runs no
// git, and writes nothing.
func TestCompletionOfIDs(t *testing.T) {
	p := newPlace(t, map[string]string{"kept-aaaa": "Kept.\n", "gone-aaaa": "Gone.\n"})
	p.says(t, "rm", "gone-aaaa")
	top := filepath.Dir(p.dir)
	for i := range 600 { // more than an index that is not kept has
		must(t, os.WriteFile(filepath.Join(p.dir, ".blue", "notes", fmt.Sprintf("many-%04d.md", i)), []byte("One of many.\n"), 0o600))
	}
	bin := t.TempDir()
	must(t, os.WriteFile(filepath.Join(bin, "git"), []byte("#!/bin/sh\ntouch "+filepath.Join(top, "ran")+"\n"), 0o700))
	must(t, os.Mkdir(filepath.Join(p.dir, ".git"), 0o700))
	must(t, os.WriteFile(filepath.Join(p.dir, ".git", "HEAD"), []byte("ref: refs/heads/main\n"), 0o600))
	t.Setenv("PATH", bin)
	for _, dir := range []string{"cache", "state", "config"} {
		must(t, os.RemoveAll(filepath.Join(top, dir)))
	}
	before := tree(t, top)
	for _, command := range []string{"restore", "history", "log", "diff"} {
		for words, want := range map[string]string{"k": "kept-aaaa\n", "g": "gone-aaaa\tin the trash since 20", "kept-aaaa ": ""} {
			fresh := p.anew(t)
			args := append([]string{"__complete", "bash", command}, strings.Split(words, " ")...)
			if said := fresh.says(t, args...); !strings.HasPrefix(said, "words\n"+want) {
				t.Errorf("%s %s: %s", command, words, said)
			}
			must(t, fresh.b.Close())
		}
	}
	if after := tree(t, top); !slices.Equal(before, after) {
		t.Errorf("%d files have become %d: %v", len(before), len(after), after[:min(len(after), 20)])
	}
}

// Long output of commands that only show something goes through the pager at a terminal.
func TestPager(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("SKIPPED: the pagers of this test are scripts of a shell")
	}
	p := newPlace(t, map[string]string{"long-aaaa": "# Long\n\n" + strings.Repeat("A word.\n\n", 40), "other-aaaa": "Another.\n"})
	script := filepath.Join(t.TempDir(), "pager")
	must(t, os.WriteFile(script, []byte("#!/bin/sh\necho \"paged $* $LESS\"\nexec cat\n"), 0o700))
	p.std.Pager, p.std.Width, p.std.Height = script+" -x", 80, 20
	says := func(isPaged bool, args ...string) string {
		t.Helper()
		said := p.says(t, args...)
		if strings.HasPrefix(said, "paged -x FRX\n") != isPaged {
			t.Errorf("%s: %.80s", args, said)
		}
		return strings.TrimPrefix(said, "paged -x FRX\n")
	}
	whole := says(true, "read", "long")
	if said := says(false, "--no-pager", "read", "long"); said != whole {
		t.Errorf("%q instead of %q", whole, said)
	}
	p.std.Height = 6
	if said := strings.Split(says(true, "search", "word"), "\n"); !strings.HasPrefix(said[0], "Long") {
		t.Errorf("the best hit is not on the first screen: %s", said)
	}
	p.std.Height = 20
	says(true, "man")
	says(false, "read", "other")              // fits
	says(false, "read", "long", "--json")     // is for programs
	says(false, "read", "long", "--no-pager") // as git has it
	says(false, "write", strings.Repeat("A long text. ", 300))
	says(false, "help")
	p.std.Pager = "cat"
	says(false, "read", "long")
	p.std.Pager = " "
	says(false, "read", "long")
	p.std.Pager = "blue-no-such-pager -x"
	if said := says(false, "read", "long"); said != whole {
		t.Errorf("%q instead of %q", whole, said)
	}
	p.std.Pager = "head -n 1" // leaves early
	if said := p.says(t, "read", "long"); said != strings.SplitAfter(whole, "\n")[0] {
		t.Error(said)
	}
	p.std.Pager = "false"
	p.says(t, "read", "long")
	p.std.Pager, p.std.Width, p.std.Height = script+" -x", 0, 0
	says(false, "read", "long")
}

// Where, check, doctor and setup fit the terminal without breaking words, and copyable lines
// of files stay whole. Doctor begins with the clients that are found, and folds the others.
func TestLayoutOfText(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{
		"a-aaaa": "---\ntags: [ops]\nfiles: [gone.go]\n---\n\nA word, see [[nothing-that-is-there]].\n", "bad-aaaa": "---\ntitle: [\n---\nBroken.\n",
	})
	top := filepath.Dir(p.dir)
	for _, dir := range []string{".cursor", ".gemini"} {
		must(t, os.MkdirAll(filepath.Join(top, dir), 0o700))
	}
	must(t, os.WriteFile(filepath.Join(top, ".gemini", "settings.json"), []byte(`{"mcpServers": {"blue": {"command": "blue", "args": ["mcp"]}}}`), 0o600))
	for _, words := range []string{"where", "check", "doctor", "setup", "setup cursor --dry-run"} {
		args := append(strings.Fields(words), "--no-pager")
		if !slices.Contains(paged, args[0]) {
			args = args[:len(args)-1]
		}
		plain, _ := p.run(args...)
		for _, width := range []int{40, 80, 120} {
			p.std.Width, p.std.Height = width, 24
			said, _ := p.run(args...)
			p.std.Width, p.std.Height = 0, 0
			if strings.Join(strings.Fields(said), " ") != strings.Join(strings.Fields(plain), " ") {
				t.Errorf("%s at %d columns: %s\ninstead of\n%s", words, width, said, plain)
			}
			for line := range strings.Lines(said) {
				line = strings.TrimSuffix(line, "\n")
				if columnsOfText(line) > width && strings.Contains(strings.TrimSpace(line), " ") && !strings.HasPrefix(line, "+") {
					t.Errorf("%s at %d columns: %q", words, width, line)
				}
			}
		}
	}
	said, _ := p.run("doctor")
	order := []string{"\nmend  gemini: ", "\nnote  cursor: ", "\n1 thing to mend"}
	last := -1
	for _, start := range order {
		at := strings.Index(said, start)
		if at <= last {
			t.Errorf("%q is not where it belongs: %s", start, said)
		}
		last = at
	}
	if strings.Contains(said, "zed") {
		t.Errorf("clients that are not there are named: %s", said)
	}
}

var must = fixtures.Must

// A commit is read by its hash, or by the two words that a search prints, also together with notes.
func TestReadCommit(t *testing.T) {
	t.Parallel()
	p := newPlace(t, map[string]string{"one-aaaa": "One.\n"})
	git := func(args ...string) string {
		out, err := exec.Command("git", append([]string{"-C", p.dir, "-c", "user.name=t", "-c", "user.email=t@example.com"}, args...)...).Output()
		if err != nil {
			t.Skip("git: ", err)
		}
		return strings.TrimSpace(string(out))
	}
	git("init", "-q")
	git("commit", "-q", "--allow-empty", "-m", "Feed the walrus\n\nIt was hungry.")
	hash := git("rev-parse", "--short=7", "HEAD")
	for _, line := range []string{"read " + hash, "read commit " + hash, "read one " + hash, "read commit " + hash + " one"} {
		if said := p.says(t, strings.Fields(line)...); !strings.Contains(said, "It was hungry.") || strings.Contains(line, "one") != strings.Contains(said, "One.") {
			t.Errorf("%s: %s", line, said)
		}
	}
	p.refuses(t, 3, `no note "0000000"`, "read", "0000000")
}

// Each line that is entered in the terminal of blue ui asks for a link, until there are no more.
func TestEnterAsksForALink(t *testing.T) {
	t.Parallel()
	d := door{std: IO{In: strings.NewReader("\n \n"), Typed: true}}
	entered := d.eachEnter(t.Context())
	for range 2 {
		<-entered
	}
	if d = (door{std: IO{In: strings.NewReader("\n")}}); d.eachEnter(t.Context()) != nil {
		t.Error("a pipe asks for links")
	}
}

// Ctrl-C at a question ends it, also while nothing is typed, and decides nothing.
func TestInterruptedQuestion(t *testing.T) {
	t.Parallel()
	for name, ask := range map[string]func(ctx context.Context, d *door) (bool, error){
		"yes or no": func(ctx context.Context, d *door) (bool, error) { return d.ask(ctx, "Go on?") },
		"which": func(ctx context.Context, d *door) (bool, error) {
			chosen, err := d.askWhich(ctx, []setup.ClientState{{Client: "codex"}})
			return chosen != nil, err
		},
	} {
		silent, end := io.Pipe()
		defer end.Close()
		ctx, interrupt := context.WithCancel(t.Context())
		d := door{std: IO{In: silent, Err: pipeOf(func(string) { interrupt() }), Typed: true, Watched: true}}
		if decided, err := ask(ctx, &d); decided || !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %t, %v", name, decided, err)
		}
	}
}

// A pipeOf calls a function with what is written.
type pipeOf func(said string)

func (p pipeOf) Write(text []byte) (int, error) {
	p(string(text))
	return len(text), nil
}
