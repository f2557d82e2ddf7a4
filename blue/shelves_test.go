package blue_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"blue/blue"
	"blue/blue/result"
	"blue/errors"
)

// gitIn runs git in a directory, with a person of its own.
func gitIn(t testing.TB, dir string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("SKIPPED: there is no git")
	}
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(slices.DeleteFunc(os.Environ(), func(e string) bool { return strings.HasPrefix(e, "GIT_") }), "HOME="+t.TempDir(), "GIT_CONFIG_NOSYSTEM=1",
		"GIT_AUTHOR_NAME=Ann", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=Ann", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// commitAll commits everything there is with a message.
func commitAll(t testing.TB, dir, message string) (hash string) {
	t.Helper()
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "commit", "-q", "--allow-empty", "-m", message)
	return gitIn(t, dir, "rev-parse", "HEAD")
}

const queues = "# Queues\n\n## Context\n\nWorkers polled a table of the database every second, which was slow and made locks.\n\n" +
	"## Decision\n\nPayment webhooks go through RabbitMQ with quorum queues.\n\n## Consequences\n\nThe broker must be backed up before upgrades.\n"

// recorded makes a project in a repository with a decision record and two commits.
func recorded(t *testing.T, u *user) (dir, hash string) {
	t.Helper()
	dir = u.Project(t)
	gitIn(t, dir, "init", "-q", "-b", "main")
	put(t, dir, "docs/adr/0007-queues.md", queues)
	put(t, dir, "README.md", "# Shop\n\nA shop for bicycles.\n")
	commitAll(t, dir, "Add the shop")
	put(t, dir, "pay/retry.go", "package pay\n")
	return dir, commitAll(t, dir, "Retry with exponential backoff\n\nThe provider answers 503 for minutes during its deployments.")
}

// ask returns what a search finds beside the notes, by reference.
func ask(t *testing.T, p *blue.Project, text string, in ...string) (refs []string) {
	t.Helper()
	h, err := p.Search(t.Context(), blue.Query{Text: text, In: in})
	must(t, err)
	for _, b := range h.Also {
		refs = append(refs, b.Ref)
	}
	return refs
}

// A fresh project answers from its documents and commits, with place and label.
func TestStartsFull(t *testing.T) {
	u := newUser(t)
	dir, hash := recorded(t, u)
	p := u.Open(t, dir)
	h, err := p.Search(t.Context(), blue.Query{Text: "why do payment webhooks use quorum queues"})
	must(t, err)
	if len(h.Also) == 0 || h.Also[0].Ref != "docs/adr/0007-queues.md" || !strings.Contains(h.Also[0].Snippet, "RabbitMQ with quorum queues") {
		t.Errorf("%+v", h.Also)
	}
	if text := h.Text(); strings.Contains(text, "No hits") || !strings.Contains(text, "Also in this project:\ndocs/adr/0007-queues.md  Queues  (document, ") {
		t.Error(text)
	}
	h, err = p.Search(t.Context(), blue.Query{Text: "exponential backoff when the provider answers 503"})
	must(t, err)
	if len(h.Also) != 1 || h.Also[0].Ref != "commit "+hash[:7] || h.Also[0].Author != "Ann" || h.Also[0].Date == "" || !slices.Equal(h.Also[0].Files, []string{"pay/retry.go"}) {
		t.Errorf("%+v", h.Also)
	}
	id := writeNote(t, p, "decision", "Zanzibar retries", "They stop after three tries.")
	mustGit(t, dir, "add", ".blue/notes")
	mustGit(t, dir, "commit", "-qm", "What was decided")
	if h, err = p.Search(t.Context(), blue.Query{Text: "zanzibar"}); err != nil || len(h.Hits) != 1 || h.Hits[0].ID != id || len(h.Also) != 0 {
		t.Errorf("a commit is found by the name of a note in it: %v, %+v", err, h)
	}
	for _, chatter := range []string{"run the tests again", "fix the typo", "continue"} {
		if found := ask(t, p, chatter); len(found) > 0 {
			t.Errorf("%q finds %q", chatter, found)
		}
	}
	w, err := u.Blue(t).Where(t.Context(), at(dir))
	must(t, err)
	if text := w.Text(); !strings.Contains(text, "Documents: 2\nCommits: 3\n") {
		t.Error(text)
	}
}

// A long document is found by its section, which is read by that name.
func TestSections(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	long := strings.Repeat("Nothing of interest stands in this sentence. ", 30)
	put(t, dir, "docs/guide.md", "# Guide\n\n"+long+"\n\n## Rotating certificates\n\nThe intermediate authority is renewed in March.\n\n## Other\n\n"+long)
	p := u.Open(t, dir)
	if found := ask(t, p, "renew intermediate authority certificates"); !slices.Equal(found, []string{"docs/guide.md#rotating-certificates"}) {
		t.Errorf("%q", found)
	}
	page, err := p.Read(t.Context(), blue.Reading{ID: "docs/guide.md#rotating-certificates"})
	must(t, err)
	if len(page.Notes) != 1 || page.Notes[0].Body != "## Rotating certificates\n\nThe intermediate authority is renewed in March.\n\n" {
		t.Errorf("%+v", page.Notes)
	}
}

// What lies on the shelves changes nothing of what is said of the notes.
func TestNotesAreRankedAmongThemselves(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	for i := range 12 {
		put(t, dir, fmt.Sprintf(".blue/notes/queues-%04d.md", i), fmt.Sprintf("# Queues %d\n\nQuorum queues%s and webhooks.\n", i, strings.Repeat(" of payment", i%4)))
	}
	search := func() result.Hits {
		h, err := u.Open(t, dir).Search(t.Context(), blue.Query{Text: "payment webhooks quorum queues", Explain: true})
		must(t, err)
		return h
	}
	with := search()
	yaml := filepath.Join(dir, ".blue", "project.yaml")
	text, err := os.ReadFile(yaml)
	must(t, err)
	must(t, os.WriteFile(yaml, append(text, "sources: none\n"...), 0o644))
	without := search()
	if len(with.Also) == 0 || len(without.Also) > 0 {
		t.Errorf("%+v, %+v", with.Also, without.Also)
	}
	with.Also = nil
	if a, b := with.Text(), without.Text(); a != b || len(with.Hits) != 10 {
		t.Errorf("%s\n---\n%s", a, b)
	}
}

// The next call sees what has become of documents and of the history, in one process
// and in a new one.
func TestFreshness(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	server := u.Open(t, dir)
	sees := func(what, text string, want ...string) {
		t.Helper()
		for name, p := range map[string]*blue.Project{"server": server, "new": u.Open(t, dir)} {
			if found := ask(t, p, text); !slices.Equal(found, want) {
				t.Errorf("%s, %s: %q, want %q", what, name, found, want)
			}
		}
	}
	for range 4 { // from here on the kernel tells the server of changes
		ask(t, server, "nothing")
	}
	put(t, dir, "docs/new/tokens.md", "# Tokens\n\nRefresh tokens rotate hourly.\n")
	sees("new directory", "refresh rotate hourly", "docs/new/tokens.md")
	put(t, dir, "docs/new/tokens.md", "# Tokens\n\nBearer secrets expire weekly.\n")
	sees("changed", "refresh rotate hourly")
	sees("changed to", "bearer secrets expire weekly", "docs/new/tokens.md")
	for range 4 {
		ask(t, server, "nothing")
	}
	must(t, os.Rename(filepath.Join(dir, "docs/new/tokens.md"), filepath.Join(dir, "docs/new/bearer.md")))
	sees("renamed", "bearer secrets expire weekly", "docs/new/bearer.md")
	put(t, dir, "top.md", "# Flamingo\n\nFlamingo gateways terminate handshakes.\n")
	sees("at the top", "flamingo gateways terminate handshakes", "top.md")
	put(t, dir, ".gitignore", "bearer.md\n")
	sees("ignored", "bearer secrets expire weekly")
	put(t, dir, ".gitignore", "# nothing\n")
	sees("ignored no more", "bearer secrets expire weekly", "docs/new/bearer.md")
	put(t, dir, ".git/info/exclude", "bearer.md\n")
	sees("excluded", "bearer secrets expire weekly")
	put(t, dir, ".git/info/exclude", "# nothing\n")
	put(t, u.Home, "mine/rules", "bearer.md\n")
	sees("excluded no more", "bearer secrets expire weekly", "docs/new/bearer.md")
	put(t, u.Home, ".gitconfig", "[core]\n\texcludesFile = ~/mine/rules\n")
	sees("excluded by the user", "bearer secrets expire weekly")
	gitIn(t, dir, "config", "core.excludesFile", "/nowhere")
	sees("not in this repository", "bearer secrets expire weekly", "docs/new/bearer.md")
	gitIn(t, dir, "config", "core.excludesFile", "~/mine/rules")
	sees("in this repository", "bearer secrets expire weekly")
	gitIn(t, dir, "config", "--unset", "core.excludesFile")
	put(t, u.Home, "mine/rules", "# nothing\n")
	must(t, os.Remove(filepath.Join(dir, "top.md")))
	sees("removed", "flamingo gateways terminate handshakes")

	hash := commitAll(t, dir, "Marmalade sandwiches expire")
	sees("commit", "marmalade sandwiches", "commit "+hash[:7])
	gitIn(t, dir, "commit", "-q", "--amend", "--allow-empty", "-m", "Honeycomb toffee expires")
	sees("amended", "marmalade sandwiches")
	amended := gitIn(t, dir, "rev-parse", "HEAD")
	sees("amended to", "honeycomb toffee", "commit "+amended[:7])
	gitIn(t, dir, "checkout", "-q", "-b", "other", "HEAD^")
	sees("another branch", "honeycomb toffee")
	gitIn(t, dir, "cherry-pick", "--allow-empty", "main")
	rebased := gitIn(t, dir, "rev-parse", "HEAD")
	if rebased == amended { // nothing has changed but the parent, which is the same
		gitIn(t, dir, "commit", "-q", "--amend", "--allow-empty", "--reset-author", "-C", "HEAD", "--date", "2001-01-01T00:00:00Z")
		rebased = gitIn(t, dir, "rev-parse", "HEAD")
	}
	sees("rebased", "honeycomb toffee", "commit "+rebased[:7])
	gitIn(t, dir, "pack-refs", "--all")
	sees("packed", "honeycomb toffee", "commit "+rebased[:7])
}

// Where there is no history the documents stand alone, and where says why.
func TestNoHistory(t *testing.T) {
	for name, tt := range map[string]struct {
		make   func(t *testing.T, u *user) (dir string)
		reason string
	}{
		"no repository": {func(t *testing.T, u *user) string { return u.Project(t) }, "none, no git repository"},
		"no commit": {func(t *testing.T, u *user) string {
			dir := u.Project(t)
			gitIn(t, dir, "init", "-q")
			return dir
		}, "none, no commit yet"},
		"shallow": {func(t *testing.T, u *user) string {
			from, _ := recorded(t, u)
			dir := filepath.Join(physical(t), "clone")
			gitIn(t, from, "clone", "-q", "--depth", "1", "file://"+from, dir)
			return dir
		}, "none, the clone is shallow"},
		"corrupted": {func(t *testing.T, u *user) string {
			dir, _ := recorded(t, u)
			first := gitIn(t, dir, "rev-parse", "HEAD^")
			must(t, os.Remove(filepath.Join(dir, ".git", "objects", first[:2], first[2:])))
			return dir
		}, "none, git rev-list: "},
		"broken .git": {func(t *testing.T, u *user) string {
			dir := u.Project(t)
			put(t, dir, ".git", "gitdir: /nowhere\n")
			return dir
		}, "none, the file .git leads nowhere"},
		"detached": {func(t *testing.T, u *user) string {
			dir, _ := recorded(t, u)
			gitIn(t, dir, "checkout", "-q", "--detach", "HEAD^")
			return dir
		}, "1\n"},
		"worktree of a bare repository": {func(t *testing.T, u *user) string {
			from, _ := recorded(t, u)
			top := physical(t)
			gitIn(t, top, "clone", "-q", "--bare", from, "bare.git")
			gitIn(t, filepath.Join(top, "bare.git"), "worktree", "add", "-q", filepath.Join(top, "tree"), "main")
			return filepath.Join(top, "tree")
		}, "2\n"},
		"submodule": {func(t *testing.T, u *user) string {
			from, _ := recorded(t, u)
			top := physical(t)
			gitIn(t, top, "init", "-q")
			gitIn(t, top, "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", from, "sub")
			return filepath.Join(top, "sub")
		}, "2\n"},
	} {
		t.Run(name, func(t *testing.T) {
			u := newUser(t)
			dir := tt.make(t, u)
			if _, err := os.Stat(filepath.Join(dir, ".blue")); err != nil {
				_, err := u.Blue(t).Init(t.Context(), blue.NewProject{Dir: dir, Name: "shop"})
				must(t, err)
			}
			put(t, dir, "docs/otters.md", "# Otters\n\nOtters juggle pebbles at dusk.\n")
			if found := ask(t, u.Open(t, dir), "otters juggle pebbles dusk"); !slices.Equal(found, []string{"docs/otters.md"}) {
				t.Errorf("%q", found)
			}
			w, err := u.Blue(t).Where(t.Context(), at(dir))
			must(t, err)
			if text := w.Text(); !strings.Contains(text, "\nCommits: "+tt.reason) {
				t.Errorf("no %q in\n%s", tt.reason, text)
			}
		})
	}
}

// Without the program the documents stand alone.
func TestNoProgram(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	t.Setenv("PATH", t.TempDir())
	p := u.Open(t, dir)
	if found := ask(t, p, "payment webhooks quorum queues"); !slices.Equal(found, []string{"docs/adr/0007-queues.md"}) {
		t.Errorf("%q", found)
	}
	w, err := u.Blue(t).Where(t.Context(), at(dir))
	must(t, err)
	if text := w.Text(); !strings.Contains(text, "Commits: none, git is not installed") {
		t.Error(text)
	}
}

// What a message may hold is escaped and bounded, and its secrets are not shown.
func TestMessages(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	secret := "AKIA" + "Q3EGRI7SLJ5XTZ2M"
	hash := commitAll(t, dir, "Deploy walrus \x1b[31mred\u202e\u200b\n\nwalrus key:\naws_access_key_id = "+secret+"\nafterwards walrus")
	large := filepath.Join(t.TempDir(), "message")
	must(t, os.WriteFile(large, []byte("Narwhal\n\n"+strings.Repeat("narwhal tusk 0123456789\n", 45_000)), 0o644))
	gitIn(t, dir, "commit", "-q", "--allow-empty", "-F", large)
	must(t, os.WriteFile(large, []byte("Pelican caf\xe9 \xff beak\n"), 0o644))
	gitIn(t, dir, "-c", "i18n.commitEncoding=binary", "commit", "-q", "--allow-empty", "-F", large)
	p := u.Open(t, dir)
	for _, text := range []string{"deploy walrus red afterwards", "narwhal tusk", "pelican beak"} {
		h, err := p.Search(t.Context(), blue.Query{Text: text, In: []string{"commits"}})
		must(t, err)
		if len(h.Also) == 0 {
			t.Fatalf("%q finds nothing", text)
		}
		page, err := p.Read(t.Context(), blue.Reading{ID: h.Also[0].Ref})
		must(t, err)
		shown := h.Text() + page.Text()
		if strings.Contains(shown, secret) || strings.ContainsAny(shown, "\x1b\u202e\u200b") || strings.ToValidUTF8(shown, "") != shown || len(shown) > 45_000 {
			t.Errorf("%q: %d bytes: %.2000q", text, len(shown), shown)
		}
	}
	if found := ask(t, p, secret, "commits"); len(found) > 0 {
		t.Errorf("the secret is found: %q", found)
	}
	page, err := p.Read(t.Context(), blue.Reading{ID: "commit " + hash[:10]})
	must(t, err)
	if body := page.Notes[0].Body; !strings.Contains(body, "(line left out: it looks like a secret, aws-access-key") || !strings.Contains(body, "afterwards walrus") {
		t.Error(body)
	}
}

// What is no document is skipped and counted.
func TestLeftOut(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, "plan.txt", "Otters juggle pebbles.\n")
	put(t, dir, "large.md", "otters "+strings.Repeat("x", 5<<20))
	put(t, dir, "binary.txt", "otters\x00juggle")
	outside := physical(t)
	put(t, outside, "otters.md", "otters juggle outside")
	want := "Documents: 1 (left out: 1 larger than 1 MiB, 1 not text)\n"
	if runtime.GOOS != "windows" {
		must(t, os.Symlink(outside, filepath.Join(dir, "linked")))
		must(t, os.Symlink(filepath.Join(outside, "otters.md"), filepath.Join(dir, "otters.md")))
		must(t, exec.Command("mkfifo", filepath.Join(dir, "pipe.md")).Run())
		want = "Documents: 1 (left out: 1 larger than 1 MiB, 2 links or other special files, 1 not text)\n"
	}
	for range 2 { // what is no text is not read again
		if found := ask(t, u.Open(t, dir), "otters juggle", "documents"); !slices.Equal(found, []string{"plan.txt"}) {
			t.Errorf("%q", found)
		}
		w, err := u.Blue(t).Where(t.Context(), at(dir))
		must(t, err)
		if text := w.Text(); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}

// What lies on the shelves is read; what does not is refused.
func TestRead(t *testing.T) {
	u := newUser(t)
	dir, hash := recorded(t, u)
	put(t, dir, ".gitignore", "ignored.md\n")
	put(t, dir, "ignored.md", "# Ignored\n")
	put(t, dir, ".blue/notes/ignored-x3kd.md", "# A note whose id begins so\n")
	put(t, filepath.Dir(dir), "outside.md", "# Outside\n")
	p := u.Open(t, dir)
	for ref, want := range map[string]string{
		"docs/adr/0007-queues.md":                     queues,
		"./docs/adr/0007-queues.md":                   queues,
		filepath.Join(dir, "docs/adr/0007-queues.md"): queues,
		"docs/adr/0007-queues.md#consequences":        "## Consequences\n\nThe broker must be backed up before upgrades.\n",
		"docs/adr/0007-queues.md#Decision":            "## Decision\n\nPayment webhooks go through RabbitMQ with quorum queues.\n\n",
		"commit " + hash[:7]:                          "The provider answers 503 for minutes during its deployments.",
		"commit " + hash:                              "The provider answers 503 for minutes during its deployments.",
		hash[:7]:                                      "The provider answers 503 for minutes during its deployments.",
		strings.ToUpper(hash[:12]):                    "The provider answers 503 for minutes during its deployments.",
	} {
		page, err := p.Read(t.Context(), blue.Reading{ID: ref})
		if err != nil || len(page.Notes) != 1 || page.Notes[0].Body != want {
			t.Errorf("%s: %+v, %v", ref, page.Notes, err)
		}
	}
	page, err := p.Read(t.Context(), blue.Reading{ID: "commit " + hash[:7]})
	must(t, err)
	if n := page.Notes[0]; len(n.Files) != 1 || n.Files[0].Path != "pay/retry.go" || n.Author != "Ann" || n.Created == "" || n.Title != "Retry with exponential backoff" {
		t.Errorf("%+v", n)
	}
	for _, ref := range []string{"../outside.md", "../x", "ignored.md", filepath.Join(filepath.Dir(dir), "outside.md"), "/etc/passwd", "docs/none.md", "docs/adr/0007-queues.md#none", "commit 0000000", "0000000", hash[:6], "pay/retry.go", ".git/config"} {
		if page, err := p.Read(t.Context(), blue.Reading{ID: ref}); !errors.Is(err, errors.NotFound) {
			t.Errorf("%s: %+v, %v", ref, page.Notes, err)
		}
	}
	append := "x"
	_, err = p.Edit(t.Context(), blue.Change{ID: "docs/adr/0007-queues.md", Append: &append})
	if e := errors.Of(err); !errors.Is(err, errors.Invalid) || !strings.Contains(fmt.Sprint(e.Hints), filepath.Join(dir, "docs/adr/0007-queues.md")) {
		t.Errorf("%v, %v", err, e.Hints)
	}
}

// withDocuments returns the start of a session that names documents. They have so little time that a
// busy machine needs another try.
func withDocuments(t *testing.T, p *blue.Project) (c result.Context) {
	t.Helper()
	for range 50 {
		var err error
		if c, err = p.Context(t.Context(), blue.Moment{}); err != nil || len(c.Documents) > 0 {
			must(t, err)
			break
		}
	}
	return c
}

// A project with few notes names its documents at the start of a session, decision
// records first, and no commit; one with more notes does not.
func TestDigestNamesDocuments(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	put(t, dir, "docs/adr/0011-cache.md", "# Cache <system>\u202e \"x\"\n\nSecret plans.\n")
	put(t, dir, "docs/adr/template.md", "# Title of the decision\n")
	put(t, dir, "docs/adr/0012-"+strings.Repeat("x", 200)+".md", "# "+strings.Repeat("Long ", 100)+"\n")
	put(t, dir, ".gitignore", "ignored.md\n")
	put(t, dir, "docs/adr/0013-ignored.md", "# Ignored\n")
	put(t, dir, ".git/info/exclude", "*ignored.md\n")
	context := func() result.Context {
		c, err := u.Open(t, dir).Context(t.Context(), blue.Moment{})
		must(t, err)
		return c
	}
	c := withDocuments(t, u.Open(t, dir))
	var paths []string
	for _, d := range c.Documents {
		paths = append(paths, d.Path)
	}
	if len(paths) != 4 || !slices.Equal(paths[1:], []string{"docs/adr/0011-cache.md", "docs/adr/0007-queues.md", "README.md"}) {
		t.Errorf("%q", paths)
	}
	text := c.Text()
	if strings.Count(text, "\n") != 2 || !strings.Contains(text, `"Cache \u{3C}system>\u{202E} 'x'" (docs/adr/0011-cache.md) · "Queues" (docs/adr/0007-queues.md)`) ||
		strings.Contains(text, "Secret") || strings.Contains(text, "backoff") || len(text) > 1500 {
		t.Error(text)
	}
	for i := range 5 {
		put(t, dir, fmt.Sprintf(".blue/notes/n-%04d.md", i), "# A note\n")
	}
	if c := context(); len(c.Documents) > 0 {
		t.Errorf("%+v", c.Documents)
	}
}

// What the key sources says counts; what it cannot say is warned of.
func TestSources(t *testing.T) {
	for value, want := range map[string]struct{ documents, commits, warning bool }{
		"none":                           {},
		"commits":                        {commits: true},
		"documents":                      {documents: true},
		"documents(docs/**/*.md)":        {documents: true},
		"documents(src/**/*.md)":         {},
		"documents, commits":             {documents: true, commits: true},
		"wiki":                           {documents: true, commits: true, warning: true},
		"documents(docs/[*.md), commits": {documents: true, commits: true, warning: true},
	} {
		t.Run(value, func(t *testing.T) {
			u := newUser(t)
			dir, hash := recorded(t, u)
			yaml := filepath.Join(dir, ".blue", "project.yaml")
			text, err := os.ReadFile(yaml)
			must(t, err)
			must(t, os.WriteFile(yaml, append(text, "sources: "+value+"\n"...), 0o644))
			p := u.Open(t, dir)
			documents, commits := ask(t, p, "RabbitMQ"), ask(t, p, "exponential backoff")
			if (len(documents) > 0) != want.documents || (len(commits) > 0) != want.commits {
				t.Errorf("%q, %q", documents, commits)
			}
			if warnings := strings.Join(p.About().Warnings, "\n"); strings.HasPrefix(warnings, yaml+": ") != want.warning {
				t.Errorf("%q", warnings)
			}
			if _, err := p.Read(t.Context(), blue.Reading{ID: "commit " + hash}); (err == nil) != (want.commits) {
				t.Errorf("%v", err)
			}
		})
	}
}

// One shelf alone is searched page by page.
func TestInOneShelf(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	for i := range 25 {
		put(t, dir, fmt.Sprintf("docs/otters-%02d.md", i), "# Otters\n\nOtters juggle pebbles"+strings.Repeat(" again", i)+".\n")
	}
	p := u.Open(t, dir)
	seen, cursor := map[string]bool{}, ""
	for range 4 {
		h, err := p.Search(t.Context(), blue.Query{Text: "otters pebbles", In: []string{"documents"}, Paging: blue.Paging{Limit: 7, Cursor: cursor}})
		must(t, err)
		if len(h.Hits) > 0 || h.Total != 25 {
			t.Errorf("%d notes, %d in all", len(h.Hits), h.Total)
		}
		for _, b := range h.Also {
			if seen[b.Ref] {
				t.Errorf("%s twice", b.Ref)
			}
			seen[b.Ref] = true
		}
		cursor = h.Cursor
	}
	if len(seen) != 25 || cursor != "" {
		t.Errorf("%d found, cursor %q", len(seen), cursor)
	}
	if found := ask(t, p, "otters pebbles", "notes"); len(found) > 0 {
		t.Errorf("beside the notes alone: %q", found)
	}
	if _, err := p.Search(t.Context(), blue.Query{Text: "x", In: []string{"wiki"}}); !errors.Is(err, errors.Invalid) {
		t.Errorf("%v", err)
	}
}

// A link to a commit is one that check verifies.
func TestLinksToCommits(t *testing.T) {
	u := newUser(t)
	dir, hash := recorded(t, u)
	put(t, dir, ".blue/notes/good-aaaa.md", "# Good\n\nSee [[commit "+hash[:7]+"]].\n")
	put(t, dir, ".blue/notes/lost-bbbb.md", "# Lost\n\nSee [[commit 0123456]].\n")
	p := u.Open(t, dir)
	c, err := p.Check(t.Context())
	must(t, err)
	if len(c.Findings) != 1 || c.Findings[0].File != ".blue/notes/lost-bbbb.md" || !c.Findings[0].Wrong || c.Findings[0].What != `the link to "commit 0123456" leads to no note` {
		t.Errorf("%+v", c.Findings)
	}
	page, err := p.Read(t.Context(), blue.Reading{ID: "good"})
	must(t, err)
	if links := page.Notes[0].Links; len(links) != 1 || links[0].Missing || links[0].Title != "Retry with exponential backoff" {
		t.Errorf("%+v", links)
	}
}

// Searches of one process at the same time, while the shelves are first read.
func TestShelvesAtTheSameTime(t *testing.T) {
	u := newUser(t)
	dir, hash := recorded(t, u)
	b := u.Blue(t)
	failed := make(chan error, 8)
	for range cap(failed) {
		go func() {
			p, err := b.Open(context.Background(), at(dir))
			if err == nil {
				var h result.Hits
				if h, err = p.Search(context.Background(), blue.Query{Text: "exponential backoff"}); err == nil && (len(h.Also) != 1 || h.Also[0].Ref != "commit "+hash[:7]) {
					err = errors.New(fmt.Sprint(h.Also))
				}
			}
			failed <- err
		}()
	}
	for range cap(failed) {
		if err := <-failed; err != nil {
			t.Error(err)
		}
	}
}

// A search names up to three documents, one section of each, and up to three commits,
// below the notes, whose order does not change. A higher limit names more.
func TestOneAnswerOverAllShelves(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	for i := range 6 {
		long := strings.Repeat(fmt.Sprintf("Nothing of interest stands in sentence %d. ", i), 30)
		put(t, dir, fmt.Sprintf("docs/otters-%d.md", i), fmt.Sprintf("# Otters %d\n\nOtters juggle pebbles.\n\n%s\n\n## Again\n\nOtters juggle.\n\n%s", i, long, long))
		commitAll(t, dir, fmt.Sprintf("Feed the otters %d times", i))
	}
	for _, version := range []string{"v1.9", "v1.10", "v1.2"} {
		put(t, dir, "docs/"+version+"/beavers.md", "# Beavers\n\nBeavers gnaw willows.\n")
	}
	put(t, dir, ".blue/notes/otter-0001.md", "# Otter\n\nOtters sleep.\n")
	put(t, dir, ".blue/notes/otter-0002.md", "# Otter pebbles\n\nOtters juggle pebbles.\n")
	p := u.Open(t, dir)
	for limit, most := range map[int]int{0: 3, 20: 6, 1: 1} {
		h, err := p.Search(t.Context(), blue.Query{Text: "otters juggle pebbles", Paging: blue.Paging{Limit: limit}})
		must(t, err)
		documents, commits := 0, 0
		seen := map[string]bool{}
		for _, b := range h.Also {
			file, _, _ := strings.Cut(b.Ref, "#")
			if seen[file] {
				t.Errorf("%s twice", file)
			}
			seen[file] = true
			switch {
			case b.Kind == "commit":
				commits++
			case commits > 0:
				t.Errorf("%s below a commit", b.Ref)
			default:
				documents++
			}
		}
		if documents != most || commits != most || h.Hits[0].ID != "otter-0002" {
			t.Errorf("limit %d: %d documents, %d commits, %+v", limit, documents, commits, h.Hits)
		}
	}
	if found := ask(t, p, "beavers gnaw willows"); len(found) == 0 || found[0] != "docs/v1.10/beavers.md" || slices.Contains(found, "docs/v1.9/beavers.md") {
		t.Errorf("%q", found)
	}
}

// A document that surely answers stands above the notes when no note does.
func TestDocumentAboveNotes(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	put(t, dir, ".blue/notes/broker-0001.md", "# Office plants\n\nThe plants near the queues at the counter are watered on Mondays.\n")
	search := func(text string) result.Hits {
		t.Helper()
		h, err := u.Open(t, dir).Search(t.Context(), blue.Query{Text: text})
		must(t, err)
		return h
	}
	const question = "why do payment webhooks use quorum queues"
	h := search(question)
	text := h.Text()
	if h.Above != 1 || len(h.Hits) != 1 || strings.Index(text, "docs/adr/0007-queues.md") > strings.Index(text, "Office plants") {
		t.Errorf("%d above\n%s", h.Above, text)
	}
	put(t, dir, ".blue/notes/queues-0002.md", "# Payment webhooks use quorum queues\n\nPayment webhooks go through RabbitMQ with quorum queues: the broker lost messages.\n")
	if h := search(question); h.Above != 0 || h.Hits[0].ID != "queues-0002" || !strings.Contains(h.Text(), "Also in this project:\ndocs/adr/0007-queues.md") {
		t.Errorf("%d above\n%s", h.Above, h.Text())
	}
}

// A word has no match when nothing holds it that was searched; what was looked for
// instead is of all of it.
func TestWithoutAMatch(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	put(t, dir, "docs/d.md", "# Runtimes\n\nDockershim is removed because CRI replaces it.\n")
	put(t, dir, ".blue/notes/a-0001.md", "# Pelicans\n\nPelicans fish.\n")
	p := u.Open(t, dir)
	for query, want := range map[string]struct {
		unmatched []string
		repaired  map[string][]string
	}{
		"dockershim":          {},
		"pelicans dockershim": {},
		"backoff flamingo":    {unmatched: []string{"flamingo"}},
		"dockershims pelicns": {repaired: map[string][]string{"pelicns": {"pelicans"}}},
		"dokershim walrus":    {unmatched: []string{"walrus"}, repaired: map[string][]string{"dokershim": {"dockershim"}}},
	} {
		h, err := p.Search(t.Context(), blue.Query{Text: query})
		must(t, err)
		if !slices.Equal(h.Unmatched, want.unmatched) || fmt.Sprint(h.Repaired) != fmt.Sprint(want.repaired) {
			t.Errorf("%s: unmatched %q, repaired %v", query, h.Unmatched, h.Repaired)
		}
	}
}

// At most two sections of a document are among the first ten hits, on every page the
// same; none is lost.
func TestTwoSectionsOfADocument(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	long := strings.Repeat("Nothing of interest stands in this sentence. ", 50)
	text := "# Otters\n"
	for i := range 8 {
		text += fmt.Sprintf("\n## Otters %d\n\nOtters juggle otters.\n", i)
	}
	put(t, dir, "docs/all.md", text+long)
	for i := range 9 {
		put(t, dir, fmt.Sprintf("docs/one-%d.md", i), "# One\n\nOtters, and "+long)
	}
	p := u.Open(t, dir)
	var refs []string
	for cursor, more := "", true; more; more = cursor != "" {
		h, err := p.Search(t.Context(), blue.Query{Text: "otters", In: []string{"documents"}, Paging: blue.Paging{Limit: 5, Cursor: cursor}})
		must(t, err)
		for _, b := range h.Also {
			refs = append(refs, b.Ref)
		}
		cursor = h.Cursor
	}
	of := 0
	for _, ref := range refs[:10] {
		if strings.HasPrefix(ref, "docs/all.md") {
			of++
		}
	}
	if of != 2 || len(refs) != 18 || len(slices.Compact(slices.Sorted(slices.Values(refs)))) != 18 {
		t.Errorf("%d of one document: %q", of, refs)
	}
}

// Texts that are nearly the same take one place among the documents of an answer, whatever their names;
// a hit in a list of changes names the version.
func TestNearTwinsTakeOnePlace(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	text := "Otters juggle pebbles at dusk.\n\nThey never drop one.\n\nNobody knows why.\n"
	put(t, dir, "docs/otters.md", "# Otters\n\n"+text)
	put(t, dir, "guide/pebbles.md", "# Otters\n\n"+text+"Least of all they.\n")
	put(t, dir, "third/juggling.md", "# Jugglers\n\n"+text)
	put(t, dir, "CHANGELOG.md", "# Changelog\n\n## 0.28.0 - 2026-01-02\n\n### Added\n\n- Otters juggle, once in a while.\n\n## 0.27.0\n\n### Added\n\n"+strings.Repeat("- Nothing of interest.\n", 100))
	h, err := u.Open(t, dir).Search(t.Context(), blue.Query{Text: "otters juggle pebbles"})
	must(t, err)
	var found []string
	for _, b := range h.Also {
		if b.Kind == "document" {
			found = append(found, b.Title)
		}
	}
	if len(found) != 2 || !slices.Contains(found, "Changelog: 0.28.0, Added") {
		t.Errorf("%q", found)
	}
}

// Without notes, and where nothing else answers, the search says what to do next.
func TestFirstSteps(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	h, err := u.Open(t, dir).Search(t.Context(), blue.Query{Text: "otters"})
	must(t, err)
	if text := h.Text(); !strings.Contains(text, "blue_write") {
		t.Error(text)
	}
	h.Terminal = true
	if text := h.Text(); !strings.Contains(text, "blue write") || !strings.Contains(text, "blue import") {
		t.Error(text)
	}
}
