package blue_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"blue/blue"
	"blue/blue/result"
	"blue/errors"
	"blue/fixtures"
)

// heron makes a project of the documents of a message broker, with a history.
func heron(t *testing.T, u *user) (dir string, p *blue.Project) {
	t.Helper()
	dir = u.Project(t)
	must(t, os.CopyFS(dir, os.DirFS("testdata/firstday/heron")))
	gitIn(t, dir, "init", "-q", "-b", "main")
	commitAll(t, dir, "Add the documents\n\nThey describe the broker, its consumers and queues.")
	return dir, u.Open(t, dir)
}

// questions are 35 of the broker, each with the document that answers it, written by one who
// did not know the search.
func questions(t *testing.T) (all [][2]string) {
	t.Helper()
	text, err := os.ReadFile("testdata/firstday/questions.tsv")
	must(t, err)
	for line := range strings.Lines(string(text)) {
		question, file, _ := strings.Cut(strings.TrimSpace(line), "\t")
		all = append(all, [2]string{question, file})
	}
	return all
}

// For .85 of questions that nothing was tuned on the right document is among the first
// three, and none gets nothing.
func TestRightDocumentInThree(t *testing.T) {
	_, p := heron(t, newUser(t))
	all, first, three := questions(t), 0, 0
	for _, q := range all {
		found := ask(t, p, q[0])
		if len(found) == 0 {
			t.Errorf("%q finds nothing", q[0])
		}
		for i, ref := range found[:min(len(found), 3)] {
			if file, _, _ := strings.Cut(ref, "#"); file == q[1] {
				three++
				if i == 0 {
					first++
				}
			}
		}
	}
	if t.Logf("of %d %d first, %d in three", len(all), first, three); len(all) != 35 || three*100 < len(all)*85 {
		t.Errorf("%d of %d in the first three", three, len(all))
	}
}

// Passages hold a word of the query, and no boilerplate.
func TestPassagesHoldTheWord(t *testing.T) {
	_, p := heron(t, newUser(t))
	asked := map[string]bool{}
	passages, lack := 0, 0
	for _, q := range questions(t) {
		for word := range strings.FieldsFuncSeq(strings.ToLower(q[0]), func(r rune) bool { return !unicode.IsLetter(r) }) {
			if len(word) < 5 || asked[word] || len(asked) == 100 {
				continue
			}
			asked[word] = true
			h, err := p.Search(t.Context(), blue.Query{Text: word, In: []string{"documents"}})
			must(t, err)
			for _, b := range h.Also {
				passages++
				if len(b.Marks) == 0 && !strings.Contains(strings.ToLower(b.Title+b.Snippet), word[:len(word)-2]) {
					lack++
					t.Logf("%s in %s: %q", word, b.Ref, b.Snippet)
				}
			}
		}
	}
	if len(asked) != 100 || passages < 100 || lack*50 > passages {
		t.Errorf("%d of the passages for %d words lack the word: %d", passages, len(asked), lack)
	}
}

// Where another sentence has the word, no checklist, table of contents or comment is
// shown.
func TestBoilerplate(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, "docs/otters.md", "# Animals\n\n<!-- otters: describe them here -->\n\n- [Otters](#otters)\n\n- [ ] otters are described\n- [x] beavers are described\n\n## Otters\n\n## Where they live\n\nOtters live at the river.\n\n- [ ] the river is named\n")
	put(t, dir, "docs/list.md", "# Work\n\n- [ ] count the pelicans\n- [ ] feed the herons\n")
	p := u.Open(t, dir)
	h, err := p.Search(t.Context(), blue.Query{Text: "otters"})
	must(t, err)
	if len(h.Also) != 1 || h.Also[0].Snippet != "## Where they live: Otters live at the river. …" {
		t.Errorf("%+v", h.Also)
	}
	h, err = p.Search(t.Context(), blue.Query{Text: "pelicans"})
	must(t, err)
	if len(h.Also) != 1 || !strings.Contains(h.Also[0].Snippet, "count the pelicans") {
		t.Errorf("%+v", h.Also)
	}
}

// A document has its title and heading, its path with the section, and the day of its
// last commit; without git, that of its file. A commit has its subject, its short hash, its
// day and author, and each file once, at most three.
func TestRowsOfDocumentsAndCommits(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	gitIn(t, dir, "init", "-q", "-b", "main")
	long := strings.Repeat("Nothing of interest stands in this sentence. ", 50)
	put(t, dir, "docs/guide.md", "# Guide\n\n"+long+"\n\n## Rotation\n\nThe otter certificate is renewed in March.\n")
	gitIn(t, dir, "add", "-A")
	gitIn(t, dir, "-c", "user.name=Ann", "commit", "-q", "-m", "Guide", "--date=2019-05-06T12:00:00Z")
	search := func(text string) result.Hits {
		t.Helper()
		h, err := u.Open(t, dir).Search(t.Context(), blue.Query{Text: text})
		must(t, err)
		return h
	}
	day := gitIn(t, dir, "log", "-1", "--format=%as")
	check := func(want string) {
		t.Helper()
		if text := search("otter certificate").Text(); !strings.Contains(text, "docs/guide.md#rotation  Guide: Rotation  (document, "+want+")\n  The otter certificate") {
			t.Errorf("no %s in\n%s", want, text)
		}
	}
	check(day)
	for _, name := range []string{"a", "b", "c", "d", "e"} {
		put(t, dir, "src/"+name+".go", "package src\n")
	}
	hash := commitAll(t, dir, "Feed the walrus\n\nIt was hungry.\n\nSigned-off-by: Ann <a@example.com>")
	check(day) // another commit is newer, but did not change it
	text := search("walrus hungry").Text()
	if want := "commit " + hash[:7] + "  Feed the walrus  (" + gitIn(t, dir, "log", "-1", "--format=%cs") + ", Ann, src/a.go src/b.go src/c.go and 2 more)\n  It was hungry.\n"; !strings.Contains(text, want) {
		t.Errorf("no %q in\n%s", want, text)
	}
	plain := u.Project(t)
	put(t, plain, "docs/otter.md", "# Otter\n\nThe otter certificate.\n")
	then := time.Date(2019, 7, 8, 12, 0, 0, 0, time.UTC)
	must(t, os.Chtimes(filepath.Join(plain, "docs/otter.md"), then, then))
	h, err := u.Open(t, plain).Search(t.Context(), blue.Query{Text: "otter"})
	must(t, err)
	if len(h.Also) != 1 || h.Also[0].Date != "2019-07-08" {
		t.Errorf("%+v", h.Also)
	}
}

// To read a new project tells what is in it, and proposes a search whose first document
// says what it asks.
func TestInitReads(t *testing.T) {
	for _, records := range []bool{true, false} {
		u := newUser(t)
		dir := t.TempDir()
		must(t, os.CopyFS(dir, os.DirFS("testdata/firstday/heron")))
		if !records {
			must(t, os.RemoveAll(filepath.Join(dir, "docs", "adr")))
		}
		gitIn(t, dir, "init", "-q", "-b", "main")
		commitAll(t, dir, "Add the documents")
		b := u.Blue(t)
		i, err := b.Init(t.Context(), blue.NewProject{Dir: dir, Read: true})
		must(t, err)
		text := i.Text()
		m := regexp.MustCompile(`(?m)^Read (\d+) documents and 1 commit in \d+\.\d s\nTry: blue search (.+)$`).FindStringSubmatch(text)
		if m == nil || m[1] != map[bool]string{true: "30", false: "18"}[records] {
			t.Fatal(text)
		}
		found := ask(t, u.Open(t, dir), m[2])
		if len(found) == 0 || strings.HasPrefix(found[0], "docs/adr/00") != records {
			t.Errorf("%q finds %q", m[2], found)
		}
		if again, err := b.Init(t.Context(), blue.NewProject{Dir: dir, Read: true}); err != nil || again.Documents != nil {
			t.Errorf("a second time: %+v, %v", again, err)
		}
	}
}

// The digest of a project with few notes names decision records that hold, the newest
// first, then the documents that others lead to most.
func TestDigestNamesWhatMatters(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	for i, status := range []string{"Accepted", "Superseded by 3", "accepted", "Proposed", "Rejected"} {
		put(t, dir, fmt.Sprintf("docs/adr/000%d-record.md", i+1), fmt.Sprintf("# %d. Record\n\n## Status\n\n%s\n\n## Decision\n\nWe do it. See [this](../much.md) and [that](/docs/some.md#part).\n", i+1, status))
	}
	put(t, dir, "README.md", "# Shop\n\nSee [the guide](docs/much.md).\n")
	put(t, dir, "docs/much.md", "# Much linked\n\nText.\n")
	put(t, dir, "docs/some.md", "# Also linked\n\nText, and [itself](some.md).\n")
	put(t, dir, "docs/none.md", "# Linked by nobody\n\nText.\n")
	c := withDocuments(t, u.Open(t, dir))
	var names []string
	for _, d := range c.Documents {
		names = append(names, d.Path)
	}
	const want = "docs/adr/0003-record.md docs/adr/0001-record.md docs/adr/0004-record.md docs/much.md docs/some.md README.md docs/none.md"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// Of the documents that are told unasked .85 are right, and at most a fifth of the
// questions whose document is absent is told of another one.
func TestDocumentsTold(t *testing.T) {
	fixtures.Slow(t)
	dir, p := heron(t, newUser(t))
	told := func(question string) string {
		t.Helper()
		c, err := p.Context(t.Context(), blue.Moment{For: question})
		must(t, err)
		if c.Document == nil {
			return ""
		}
		file, _, _ := strings.Cut(c.Document.Ref, "#")
		return file
	}
	all, right, other := 0, 0, 0
	for _, q := range questions(t) {
		ask(t, p, q[0]) // reads what has changed
		if file := told(q[0]); file != "" {
			all++
			if file == q[1] {
				right++
			}
		}
		at := filepath.Join(dir, q[1])
		must(t, os.Rename(at, at+".away"))
		ask(t, p, q[0])
		if told(q[0]) != "" {
			other++
		}
		must(t, os.Rename(at+".away", at))
	}
	if t.Logf("told %d, right %d, without the document %d", all, right, other); all < 7 || right*100 < all*85 || other > 7 {
		t.Errorf("told %d, right %d, without the document %d", all, right, other)
	}
}

// A project keeps its name: init of another one fails, and without one it does nothing, also for the
// notes about the user.
func TestInitKeepsTheName(t *testing.T) {
	u := newUser(t)
	for _, n := range []blue.NewProject{{Dir: u.Project(t)}, {Personal: true}} {
		made, err := u.Blue(t).Init(t.Context(), n)
		must(t, err)
		root := made.Project.Root
		settings := strings.Replace(string(fileAt(t, root, ".blue/project.yaml")), "name: ", "name: my ", 1)
		put(t, root, ".blue/project.yaml", strings.ReplaceAll(settings, `my "`, `"my `))
		if made, err = u.Blue(t).Init(t.Context(), n); err != nil || made.Created || !strings.HasPrefix(made.Project.Name, "my ") {
			t.Errorf("%+v: %+v, %v", n, made, err)
		}
		n.Name = "another"
		if _, err = u.Blue(t).Init(t.Context(), n); errors.Of(err).Kind != errors.Exists {
			t.Errorf("%+v: %v", n, err)
		}
	}
}
