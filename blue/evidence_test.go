package blue_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"blue/blue"
	"blue/errors"
)

// retrySource is a file with a function that notes cite, on the lines 5 to 10.
const retrySource = `package pay

func first() {}

func Retry(n int) bool {
	if n > 3 {
		return false
	}
	return true
}

func last() {}
`

// cited writes a note that cites parts of a file by name and by lines, which are the same.
func cited(t *testing.T, p *blue.Project) string {
	t.Helper()
	return writeNote(t, p, "decision", "Webhook retries", "Three tries, the bank blocks us at the fourth.", "pay/retry.go#Retry", "pay/retry.go#L5-L10", "pay/retry.go")
}

// What is said of a part when its file changes: lines above it, the part itself, its
// place, the name of the file, the file.
func TestEvidenceBySpan(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := repository(t, u, "other")
	put(t, dir, "pay/retry.go", retrySource)
	mustGit(t, dir, "add", "-A", "pay")
	mustGit(t, dir, "commit", "-qm", "source")
	p := u.Open(t, dir)
	id := cited(t, p)
	function := retrySource[strings.Index(retrySource, "func Retry"):strings.Index(retrySource, "\nfunc last")]
	rename := func(to string) func() {
		return func() {
			mustGit(t, dir, "checkout", "-q", "-f", "other")
			must(t, os.MkdirAll(filepath.Join(dir, "pay", "new"), 0o755))
			mustGit(t, dir, "mv", "pay/retry.go", to)
		}
	}
	for _, c := range []struct {
		about string
		do    func()
		files string // of the text of a reading
		row   string // of a search
		check []string
	}{
		{"as it was", func() {}, "pay/retry.go#Retry, pay/retry.go#L5-L10, pay/retry.go", "now", nil},
		{"lines inserted above", func() { put(t, dir, "pay/retry.go", "// A comment.\n"+retrySource) },
			"pay/retry.go#Retry (now pay/retry.go#L6-L11), pay/retry.go#L5-L10 (now pay/retry.go#L6-L11), pay/retry.go", "now", nil},
		{"span edited", func() { put(t, dir, "pay/retry.go", strings.Replace(retrySource, "n > 3", "n > 4", 1)) },
			"pay/retry.go#Retry (changed since), pay/retry.go#L5-L10 (changed since), pay/retry.go", "now · pay/retry.go#Retry: 1 of 4 lines since, and 1 more",
			[]string{"pay/retry.go#Retry: 1 of 4 lines since", "pay/retry.go#L5-L10: 1 of 4 lines since"}},
		{"span moved", func() { put(t, dir, "pay/retry.go", strings.Replace(retrySource, function, "", 1)+"\n"+function) },
			"pay/retry.go#Retry (now pay/retry.go#L8-L13), pay/retry.go#L5-L10 (now pay/retry.go#L8-L13), pay/retry.go", "now", nil},
		{"file renamed, staged", rename("pay/new/again.go"),
			"pay/retry.go#Retry (now pay/new/again.go#Retry), pay/retry.go#L5-L10 (now pay/new/again.go#L5-L10), pay/retry.go (now pay/new/again.go)", "now · pay/retry.go#Retry gone or renamed, and 2 more",
			[]string{"pay/retry.go#Retry is now pay/new/again.go#Retry, unchanged", "pay/retry.go#L5-L10 is now pay/new/again.go#L5-L10, unchanged", "pay/retry.go is now pay/new/again.go, unchanged"}},
		{"file renamed, committed, and again", func() {
			mustGit(t, dir, "commit", "-qm", "move")
			mustGit(t, dir, "mv", "pay/new/again.go", "pay/third.go")
			put(t, dir, "pay/third.go", "// A comment.\n"+retrySource)
			mustGit(t, dir, "add", "-A", "pay")
			mustGit(t, dir, "commit", "-qm", "again")
		}, "pay/retry.go#Retry (now pay/third.go#L6-L11), pay/retry.go#L5-L10 (now pay/third.go#L6-L11), pay/retry.go (now pay/third.go)", "now · pay/retry.go#Retry gone or renamed, and 2 more",
			[]string{"pay/retry.go#Retry is now pay/third.go#L6-L11, unchanged", "pay/retry.go#L5-L10 is now pay/third.go#L6-L11, unchanged", "pay/retry.go is now pay/third.go, unchanged"}},
		{"file gone", func() { must(t, os.Remove(filepath.Join(dir, "pay/third.go"))) },
			"pay/retry.go#Retry (gone), pay/retry.go#L5-L10 (gone), pay/retry.go (gone)", "now · pay/retry.go#Retry gone or renamed, and 2 more",
			[]string{"pay/retry.go#Retry is gone", "pay/retry.go#L5-L10 is gone", "pay/retry.go is gone"}},
		{"without git", func() {
			must(t, os.Rename(filepath.Join(dir, ".git"), filepath.Join(dir, "git")))
		}, "pay/retry.go#Retry (gone), pay/retry.go#L5-L10 (gone), pay/retry.go (gone)", "now · pay/retry.go#Retry gone or renamed, and 2 more", []string{"pay/retry.go#Retry is gone", "pay/retry.go#L5-L10 is gone", "pay/retry.go is gone"}},
	} {
		c.do()
		p := u.Open(t, dir)
		page, err := p.Read(t.Context(), blue.Reading{ID: id})
		must(t, err)
		for range 4 { // git has only so much time to find what was renamed
			if strings.Contains(page.Text(), "\nfiles: "+c.files+"\n") {
				break
			}
			page, err = p.Read(t.Context(), blue.Reading{ID: id})
			must(t, err)
		}
		if !strings.Contains(page.Text(), "\nfiles: "+c.files+"\n") {
			t.Errorf("%s: read says\n%s", c.about, page.Text())
		}
		hits, err := p.Search(t.Context(), blue.Query{Text: "bank", In: []string{"notes"}})
		must(t, err)
		rows, err := p.List(t.Context(), blue.Filter{})
		must(t, err)
		for _, text := range []string{hits.Text(), rows.Text()} {
			if !strings.Contains(text, "(decision, "+c.row+")") {
				t.Errorf("%s: a row says\n%s", c.about, text)
			}
		}
		checked, err := p.Check(t.Context())
		must(t, err)
		var found []string
		for _, issue := range checked.Findings {
			found = append(found, issue.What)
			if issue.Wrong || issue.Line == 0 || !strings.HasSuffix(issue.Remedy, "blue edit "+id+" --verified") {
				t.Errorf("%s: %+v", c.about, issue)
			}
		}
		if !slices.Equal(found, c.check) {
			t.Errorf("%s: check says %q", c.about, found)
		}
	}
}

// Age and evidence are said apart, of notes that cite files alone.
func TestAgeAndEvidence(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, "pay/retry.go", retrySource)
	p := u.Open(t, dir)
	id := cited(t, p)
	plain := writeNote(t, p, "note", "Plain", "No file.")
	for _, name := range []string{id, plain} {
		file := filepath.Join(dir, ".blue", "notes", name+".md")
		text, err := os.ReadFile(file)
		must(t, err)
		front, rest, _ := strings.Cut(string(text), "created: ")
		_, rest, _ = strings.Cut(rest, "\n")
		old := time.Now().Add(-2 * 366 * 24 * time.Hour).UTC().Format(time.RFC3339)
		must(t, os.WriteFile(file, []byte(front+"created: "+old+"\n"+rest), 0o644))
	}
	says := func(want string) {
		t.Helper()
		rows, err := u.Open(t, dir).List(t.Context(), blue.Filter{})
		must(t, err)
		if text := rows.Text(); !strings.Contains(text, "2 years"+want) || !strings.Contains(text, plain+"  Plain  (2 years)") {
			t.Errorf("want %q\n%s", want, text)
		}
		page, err := u.Open(t, dir).Read(t.Context(), blue.Reading{IDs: []string{id, plain}})
		must(t, err)
		if text := page.Text(); strings.Contains(text, "\nevidence: 2 years"+want+"\n") != (want != "") || strings.Count(text, "evidence:") > 1 {
			t.Errorf("want %q\n%s", want, text)
		}
	}
	says("")
	put(t, dir, "pay/retry.go", strings.Replace(retrySource, "n > 3", "n > 4", 1))
	says(" · pay/retry.go#Retry: 1 of 4 lines since, and 1 more")
}

// A name that is defined twice is the first, with a warning; one that is defined
// nowhere is refused with the names near it, and so are lines that are not there.
func TestNames(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, "a.go", "func (c Client) Run() {\n\tc()\n}\n\nfunc (s Server) Run() {\n\ts()\n}\n\nfunc RetryOnce() {}\n")
	put(t, dir, "docs/why.md", "# Why\n\n## Three tries\n\nText.\n\n## Next\n")
	must(t, os.Mkdir(filepath.Join(dir, "dir"), 0o755))
	put(t, dir, "large.go", strings.Repeat("a\n", 60_000))
	put(t, dir, "odd#name.go", "package odd\n")
	p := u.Open(t, dir)
	w, err := p.Write(t.Context(), blue.Draft{Title: "Twice", Body: "x", Files: []string{"a.go#Run"}})
	must(t, err)
	want := "a.go#Run is defined 2 times: the first is cited, lines 1-3; to cite another, name what it is defined in, or lines"
	if !slices.Contains(w.Warnings, want) || !strings.Contains(w.Text(), "Warning: "+want) {
		t.Errorf("%q", w.Warnings)
	}
	for _, files := range [][]string{{"a.go#Server.Run"}, {"a.go#L2"}, {"docs/why.md#three-tries"}, {"docs/why.md#Three tries"}, {"odd#name.go"}, {"later.go#Name"}} {
		e, err := p.Edit(t.Context(), blue.Change{ID: w.ID, Files: &files})
		must(t, err)
		if len(e.Warnings) > 0 != (files[0] == "later.go#Name") {
			t.Errorf("%q: %q", files, e.Warnings)
		}
		page, err := u.Open(t, dir).Read(t.Context(), blue.Reading{ID: w.ID})
		must(t, err)
		want := files[0]
		if want == "a.go#L2" {
			want = "a.go#L2-L2"
		}
		if f := page.Notes[0].Files[0]; f.Path != want || f.Changed || (f.Hash == "") != (want == "later.go#Name") {
			t.Errorf("%q: %+v", files, f)
		}
	}
	before := tree(t, filepath.Join(dir, ".blue", "notes"))
	for ref, say := range map[string]string{
		"a.go#Retry": "names near it: RetryOnce", "a.go#runn": "names near it: Run", "a.go#nothing": "cite lines", "a.go#L3-L99": "the file has 9 lines", "docs/why.md#tries": "names near it: three-tries",
		"large.go#a": "takes a regular file of at most 1 MiB and 50000 lines", "dir#x": "takes a regular file", "../x#Run": "is outside the project",
	} {
		_, err := p.Edit(t.Context(), blue.Change{ID: w.ID, Files: &[]string{ref}})
		failure := errors.Of(err)
		if text := fmt.Sprint(failure.Message, failure.Hints); failure.Kind != errors.Invalid || !strings.Contains(text, say) {
			t.Errorf("%s: %v, %s", ref, failure.Kind, text)
		}
	}
	if tree(t, filepath.Join(dir, ".blue", "notes")) != before {
		t.Error("a refused citation changed a note")
	}
}

// Verified renews the hashes and says when and who, and leaves the bytes of the body;
// nothing else does.
func TestVerified(t *testing.T) {
	t.Parallel()
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, "pay/retry.go", retrySource)
	p := u.Open(t, dir)
	id := cited(t, p)
	file := filepath.Join(dir, ".blue", "notes", id+".md")
	body := func() []byte {
		text, err := os.ReadFile(file)
		must(t, err)
		if bytes.Contains(text, []byte("\nverified: ")) {
			t.Errorf("verified too early:\n%s", text)
		}
		_, after, _ := bytes.Cut(text[4:], []byte("\n---\n"))
		return after
	}
	odd := "\r\n\r\nOdd  \t\r\nbody.\n\n\n"
	text, err := os.ReadFile(file)
	must(t, err)
	must(t, os.WriteFile(file, append(text, odd...), 0o644))
	before := body()
	put(t, dir, "pay/retry.go", "\n\n"+strings.Replace(retrySource, "n > 3", "n > 4", 1))
	changed := func() (changed []bool) {
		page, err := u.Open(t, dir).Read(t.Context(), blue.Reading{ID: id})
		must(t, err)
		for _, f := range page.Notes[0].Files {
			changed = append(changed, f.Changed)
		}
		return changed
	}
	title := "Another title"
	_, err = u.Open(t, dir).Edit(t.Context(), blue.Change{ID: id, Title: &title})
	must(t, err)
	if !slices.Equal(changed(), []bool{true, true, false}) || !bytes.Equal(body(), before) {
		t.Errorf("reading or an edit renewed the hashes: %v", changed())
	}
	put(t, dir, "pay/retry.go", strings.Replace(retrySource, "n > 3", "n > 4", 1))
	e, err := u.Open(t, dir).Edit(t.Context(), blue.Change{ID: id, Verified: true})
	must(t, err)
	if !slices.Equal(changed(), []bool{false, false, false}) || e.Unchanged || len(e.Warnings) > 0 {
		t.Errorf("%v, %+v", changed(), e)
	}
	text, err = os.ReadFile(file)
	must(t, err)
	line := "\nverified: " + time.Now().UTC().Format(time.DateOnly) + " by "
	if !bytes.HasSuffix(text, append([]byte("\n---\n"), before...)) || !bytes.Contains(text, []byte(line)) {
		t.Errorf("%s", text)
	}
	page, err := u.Open(t, dir).Read(t.Context(), blue.Reading{ID: id})
	must(t, err)
	if verified := page.Notes[0].Verified; !strings.HasPrefix("\nverified: "+verified, line) || !strings.Contains(page.Text(), "\nverified: "+verified+"\n") {
		t.Errorf("%q\n%s", verified, page.Text())
	}
	if e, err = u.Open(t, dir).Edit(t.Context(), blue.Change{ID: id, Verified: true, Revision: e.Previous}); err != nil || !e.Unchanged {
		t.Errorf("sent twice: %+v, %v", e, err)
	}
	put(t, dir, "pay/retry.go", "package pay\n\nfunc RetryOnce() {}\n")
	if _, err = u.Open(t, dir).Edit(t.Context(), blue.Change{ID: id, Verified: true}); !errors.Is(err, errors.Invalid) || !strings.Contains(fmt.Sprint(errors.Of(err).Hints), "RetryOnce") {
		t.Errorf("a name that is no longer defined: %v", err)
	}
	must(t, os.Remove(filepath.Join(dir, "pay", "retry.go")))
	e, err = u.Open(t, dir).Edit(t.Context(), blue.Change{ID: id, Verified: true})
	if must(t, err); len(e.Warnings) != 3 || !slices.Equal(changed(), []bool{false, false, false}) {
		t.Errorf("%+v", e)
	}
}
