package blue_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"blue/blue"
	"blue/blue/result"
	"blue/errors"
)

// record is a document of the project that notes supersede in tests.
const record = "docs/adr/0003-storage.md"

const recordText = "# 3. Ledger storage\n\n## Status\n\nAccepted\n\n## Decision\n\nThe ledger entries are kept in a PostgreSQL cluster with synchronous replicas.\n"

// withRecord makes a trusted project with one decision record.
func withRecord(t *testing.T) (u *user, dir string, p *blue.Project) {
	t.Helper()
	u = newUser(t)
	dir = u.Project(t)
	put(t, dir, record, recordText)
	trustDir(t, u, dir)
	return u, dir, u.Open(t, dir)
}

// supersedes are what the file of a note says.
func supersedes(t *testing.T, p *blue.Project, id string) string {
	t.Helper()
	return strings.Join(read(t, p, id).Supersedes, " ")
}

// A note supersedes a document by its path, in each way to write a note; the path is kept
// from the root, and one that names no document is refused with the next step.
func TestSupersedesByPath(t *testing.T) {
	_, dir, p := withRecord(t)
	put(t, dir, "docs/other.md", "# Other\n\nText.\n")
	older := write(t, p, blue.Draft{Title: "Older", Body: "An older note."})
	for i, path := range []string{record, "./docs/other.md/../adr/0003-storage.md", filepath.Join(dir, filepath.FromSlash(record))} {
		id := write(t, p, blue.Draft{Title: fmt.Sprint("Storage ", i), Body: fmt.Sprint("SQLite, ", i), Supersedes: []string{path, "older"}})
		if got := supersedes(t, p, id); got != record+" "+older {
			t.Errorf("%s: %s", path, got)
		}
	}
	id := write(t, p, blue.Draft{Title: "Edited", Body: "By edits."})
	_, err := p.Edit(t.Context(), blue.Change{ID: id, Supersedes: &[]string{"./" + record}})
	must(t, err)
	if got := supersedes(t, p, id); got != record {
		t.Error(got)
	}
	_, text, _, err := p.ShowFile(t.Context(), id)
	must(t, err)
	text = strings.Replace(text, record, record+", ./docs/other.md", 1)
	_, err = p.Edit(t.Context(), blue.Change{ID: id, File: &text})
	must(t, err)
	if got := supersedes(t, p, id); got != record+" docs/other.md" {
		t.Error(got)
	}
	put(t, dir, ".gitignore", "docs/secret.md\n")
	gitIn(t, dir, "init", "-q", "-b", "main")
	put(t, dir, "docs/secret.md", "# Secret\n\nText.\n")
	for path, want := range map[string][2]string{
		"docs/adr/0004-x.md":  {`no document "docs/adr/0004-x.md": the project has no such file`, "from the root of the project"},
		"../elsewhere/x.md":   {`"../elsewhere/x.md": it is outside the project`, "left out"},
		"docs/secret.md":      {`"docs/secret.md": git ignores it`, "left out"},
		record + "#decision":  {`"supersedes" cannot be "` + record + `#decision"`, "the whole document, " + record},
		"docs/adr/0003-stora": {`no note "docs/adr/0003-stora"`, "see the ids"},
	} {
		_, err := p.Write(t.Context(), blue.Draft{Title: "Refused", Body: "Text.", Supersedes: []string{path}})
		if err == nil || !strings.Contains(err.Error(), want[0]) || !strings.Contains(fmt.Sprint(errors.Of(err).Hints), want[1]) {
			t.Errorf("%s: %v, %v", path, err, errors.Of(err).Hints)
		}
		if _, err := p.Edit(t.Context(), blue.Change{ID: id, Supersedes: &[]string{path}}); err == nil {
			t.Errorf("%s: an edit takes it", path)
		}
	}
	if found := ask(t, p, "Refused", "notes"); len(found) > 0 {
		t.Errorf("written: %q", found)
	}
}

// A superseded document says so in a search and when it is read, until the note that
// supersedes it goes, and again when that comes back.
func TestMarkedAsLongAsTheNoteSaysSo(t *testing.T) {
	_, dir, p := withRecord(t)
	by := write(t, p, blue.Draft{Title: "One file", Body: "SQLite is enough.", Supersedes: []string{record}})
	check := func(what, by, title string) {
		t.Helper()
		for _, in := range [][]string{nil, {"documents"}} {
			h, err := p.Search(t.Context(), blue.Query{Text: "ledger entries cluster", In: in})
			must(t, err)
			if len(h.Also) != 1 || h.Also[0].By != by || h.Also[0].ByTitle != title || strings.Contains(h.Text(), ", superseded by "+by+")") != (by != "") {
				t.Errorf("%s, in %q: %+v\n%s", what, in, h.Also, h.Text())
			}
			data, err := json.Marshal(h.Also)
			must(t, err)
			if strings.Contains(string(data), `"superseded_by":"`+by+`","by_title":"`+title+`"`) != (by != "") {
				t.Errorf("%s: %s", what, data)
			}
		}
		page, err := p.Read(t.Context(), blue.Reading{ID: record})
		must(t, err)
		if n := page.Notes[0]; n.By != by || (n.Status == "superseded") != (by != "") || strings.Contains(page.Text(), "\nstatus: superseded by "+by+"\n") != (by != "") {
			t.Errorf("%s: %s", what, page.Text())
		}
	}
	check("written", by, "One file")
	if data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(record))); err != nil || string(data) != recordText {
		t.Errorf("%s, %v", data, err)
	}
	_, err := p.Remove(t.Context(), blue.Removal{ID: by})
	must(t, err)
	check("removed", "", "")
	_, err = p.Remove(t.Context(), blue.Removal{ID: by, Restore: true})
	must(t, err)
	check("back", by, "One file")
	_, err = p.Edit(t.Context(), blue.Change{ID: by, Supersedes: &[]string{}})
	must(t, err)
	check("taken back", "", "")
	put(t, dir, ".blue/notes/typed.md", "---\ntitle: Typed\nsupersedes: ./"+record+"\n---\n\nBy hand.\n")
	check("typed", "typed", "Typed")
	put(t, dir, ".blue/notes/typed.md", "---\ntitle: Typed\nsupersedes: [docs/adr/0004.md]\n---\n\nBy hand.\n")
	check("of another", "", "")
}

// A document in a directory called notes is none of the notes, nor is a note of its name.
func TestDirectoryCalledNotes(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	put(t, dir, "notes/harbour.md", "# Harbour\n\nThe walrus sleeps in the harbour.\n")
	put(t, dir, "harbour.md", "# Another\n\nThe walrus sleeps elsewhere.\n")
	p := u.Open(t, dir)
	by := write(t, p, blue.Draft{Title: "Pier", Body: "It sleeps on the pier.", Supersedes: []string{"notes/harbour.md"}})
	h, err := p.Search(t.Context(), blue.Query{Text: "walrus sleeps", In: []string{"documents"}})
	must(t, err)
	got := map[string]string{}
	for _, b := range h.Also {
		got[b.Ref] = b.By
	}
	if len(got) != 2 || got["notes/harbour.md"] != by || got["harbour.md"] != "" {
		t.Errorf("%q", got)
	}
}

// Of documents that answer alike those in force stand first, whatever page is asked for;
// one that is superseded never stands above the notes.
func TestSupersededStandBehind(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	for i := range 6 {
		put(t, dir, fmt.Sprintf("docs/plan-%d.md", i), fmt.Sprintf("# Plan %d\n\nThe walrus is fed with herring at noon.\n", i))
	}
	put(t, dir, "docs/other.md", "# Other\n\nOnce a walrus was seen far away, when nobody had expected one, and it had left again before noon.\n")
	p := u.Open(t, dir)
	list := func(limit int) (refs []string) {
		t.Helper()
		for cursor := ""; ; {
			h, err := p.Search(t.Context(), blue.Query{Text: "walrus herring noon", In: []string{"documents"}, Paging: blue.Paging{Limit: limit, Cursor: cursor}})
			must(t, err)
			for _, b := range h.Also {
				refs = append(refs, strings.TrimSuffix(strings.TrimPrefix(b.Ref, "docs/"), ".md"))
			}
			if cursor = h.Cursor; cursor == "" {
				return refs
			}
		}
	}
	plain := list(10)
	if len(plain) != 7 || plain[6] != "other" {
		t.Fatalf("%q", plain)
	}
	best := plain[0]
	write(t, p, blue.Draft{Title: "Fish", Body: "Mackerel now.", Supersedes: []string{"docs/" + best + ".md"}})
	want := append(slices.Clone(plain[1:6]), best, "other")
	for _, limit := range []int{10, 2, 3} {
		if got := list(limit); !slices.Equal(got, want) {
			t.Errorf("limit %d: %q, want %q", limit, got, want)
		}
	}
	if got := ask(t, p, "walrus herring noon"); slices.Contains(got, "docs/"+best+".md") || len(got) == 0 {
		t.Errorf("%q", got)
	}
}

// Of versions of one document the one in force is shown, and not a later one that a note
// supersedes.
func TestVersionInForce(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	for _, version := range []string{"v1", "v2"} {
		put(t, dir, "docs/"+version+"/plan.md", "# Plan\n\nThe walrus is fed with herring at noon.\n")
	}
	p := u.Open(t, dir)
	if got := ask(t, p, "walrus herring"); !slices.Equal(got, []string{"docs/v2/plan.md"}) {
		t.Fatalf("%q", got)
	}
	write(t, p, blue.Draft{Title: "Back", Body: "The first plan it is.", Supersedes: []string{"docs/v2/plan.md"}})
	if got := ask(t, p, "walrus herring"); !slices.Equal(got, []string{"docs/v1/plan.md"}) {
		t.Errorf("%q", got)
	}
}

// A superseded document stays below the notes where it would stand above them.
func TestSupersededNotAboveNotes(t *testing.T) {
	u := newUser(t)
	dir, _ := recorded(t, u)
	put(t, dir, ".blue/notes/broker-0001.md", "# Office plants\n\nThe plants near the queues at the counter are watered on Mondays.\n")
	p := u.Open(t, dir)
	search := func() result.Hits {
		t.Helper()
		h, err := p.Search(t.Context(), blue.Query{Text: "why do payment webhooks use quorum queues"})
		must(t, err)
		if len(h.Hits) != 1 || len(h.Also) == 0 {
			t.Fatalf("%+v", h)
		}
		return h
	}
	if h := search(); h.Above != 1 {
		t.Fatalf("%d above: %s", h.Above, h.Text())
	}
	_, err := p.Edit(t.Context(), blue.Change{ID: "broker-0001", Supersedes: &[]string{"docs/adr/0007-queues.md"}})
	must(t, err)
	if h := search(); h.Above != 0 || !slices.ContainsFunc(h.Also, func(b result.ShelfHit) bool { return b.By == "broker-0001" }) {
		t.Errorf("%d above: %s", h.Above, h.Text())
	}
}

// A superseded document is never told; the note that stands in its place is told where
// the document would be, and when the document is read or changed. The digest does not name it.
func TestTold(t *testing.T) {
	u, dir, p := withRecord(t)
	const question = "are the ledger entries kept in a PostgreSQL cluster with synchronous replicas?"
	ask := func(m blue.Moment) result.Context {
		t.Helper()
		c, err := p.Context(t.Context(), m)
		must(t, err)
		return c
	}
	told := func() (c result.Context) {
		t.Helper()
		for range 50 { // documents have so little time that a busy machine needs another try
			if c = ask(blue.Moment{For: question}); c.Document != nil || len(c.Answers) > 0 {
				break
			}
		}
		return c
	}
	if c := told(); c.Document == nil || len(ask(blue.Moment{}).Documents) != 1 {
		t.Fatalf("%+v", c)
	}
	by := write(t, p, blue.Draft{Title: "One file", Body: "SQLite is enough.", Supersedes: []string{record}})
	if c := told(); c.Document != nil || len(c.Answers) != 1 || c.Answers[0].ID != by || !strings.HasPrefix(c.Answers[0].Replaces, "3. Ledger storage") {
		t.Errorf("%+v, %+v", c.Answers, c.Document)
	}
	if c := ask(blue.Moment{}); len(c.Documents) > 0 {
		t.Errorf("%+v", c.Documents)
	}
	c := ask(blue.Moment{Files: []string{filepath.Join(dir, filepath.FromSlash(record))}})
	if len(c.Cited) != 1 || c.Cited[0].ID != by || c.Cited[0].Replaces != record {
		t.Errorf("%+v", c.Cited)
	}
	if c := ask(blue.Moment{For: question, Seen: whole(func(id string) bool { return id == by })}); c.Document != nil || len(c.Answers) > 0 {
		t.Errorf("told again: %+v, %+v", c.Answers, c.Document)
	}
	newest := write(t, p, blue.Draft{Title: "Two files", Body: "One for each year.", Supersedes: []string{by}})
	if c := told(); c.Document != nil || len(c.Answers) != 1 || c.Answers[0].ID != newest {
		t.Errorf("%+v, %+v", c.Answers, c.Document)
	}
	gitIn(t, dir, "init", "-q", "-b", "main")
	_, err := p.Remove(t.Context(), blue.Removal{ID: newest})
	must(t, err)
	_, err = p.Remove(t.Context(), blue.Removal{ID: by})
	must(t, err)
	p = u.Open(t, dir)
	if c := told(); c.Document == nil {
		t.Errorf("%+v", c)
	}
}

// A link to a document leads there, with a section or without; a check finds one that is
// missing, and a path that no document has.
func TestLinksToDocuments(t *testing.T) {
	_, dir, p := withRecord(t)
	put(t, dir, "docs/guide.md", "# The guide\n\nText.\n")
	id := write(t, p, blue.Draft{Title: "Links", Body: "See [[" + record + "#decision]], [[" + record + "|it]], [[docs/guide.md]] and [[docs/none.md]].", Files: []string{record}})
	n := read(t, p, id)
	if got := fmt.Sprint(n.Links); got != fmt.Sprint([]result.Link{{ID: record, Title: "3. Ledger storage"}, {ID: "docs/guide.md", Title: "The guide"}, {ID: "docs/none.md", Missing: true}}) {
		t.Error(got)
	}
	if len(n.Files) != 1 || n.Files[0].Path != record || n.Files[0].Hash == "" {
		t.Errorf("%+v", n.Files)
	}
	if back := read(t, p, record).Backlinks; len(back) != 1 || back[0].ID != id {
		t.Errorf("%+v", back)
	}
	put(t, dir, ".blue/notes/typed.md", "---\ntitle: Typed\nsupersedes: ["+record+", docs/gone.md]\n---\n\nBy hand.\n")
	c, err := p.Check(t.Context())
	must(t, err)
	var got []string
	for _, f := range c.Findings {
		got = append(got, fmt.Sprintf("%s %v %s:%d %s", f.Kind, f.Wrong, f.File, f.Line, f.What))
	}
	if len(got) != 2 || !strings.Contains(got[0], `link true .blue/notes/`+id) || !strings.Contains(got[0], `the link to "docs/none.md" leads to no note`) ||
		got[1] != `supersedes false .blue/notes/typed.md:3 it supersedes "docs/gone.md", which is no document of the project` {
		t.Errorf("%q", got)
	}
	put(t, dir, "docs/none.md", "# There now\n\nText.\n")
	put(t, dir, "docs/gone.md", "# There too\n\nText.\n")
	if c, err := p.Check(t.Context()); err != nil || len(c.Findings) > 0 {
		t.Errorf("%+v, %v", c.Findings, err)
	}
}
