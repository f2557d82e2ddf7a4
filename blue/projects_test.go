package blue_test

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"blue/blue"
	"blue/blue/result"
	"blue/errors"
	"blue/fixtures"
	"blue/marker"
)

// enter writes an entry into the list of what a user has opened.
func enter(t *testing.T, u *user, k result.Known) {
	t.Helper()
	data, err := json.Marshal(k)
	must(t, err)
	sum := sha256.Sum256([]byte(k.Root))
	must(t, os.WriteFile(filepath.Join(u.Home, "state", "blue", "projects", hex.EncodeToString(sum[:16])), data, 0o600))
}

// titled makes a project with a note in the directory.
func titled(t *testing.T, u *user, dir, title string) {
	t.Helper()
	must(t, os.MkdirAll(dir, 0o755))
	_, err := u.Blue(t).Init(t.Context(), blue.NewProject{Dir: dir, Nested: true})
	must(t, err)
	_, err = u.Open(t, dir).Write(t.Context(), blue.Draft{Title: title, Body: "Lemurs leap."})
	must(t, err)
}

// Names and roots may be any text of a repository or of a disk; they are shown on one
// line, with nothing in them that a terminal or a reader would follow.
func TestHostileNamesAreEscaped(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	titled(t, u, dir, "Lemurs")
	evil := result.Known{Address: marker.Address{Root: fixtures.Abs("/gone/\x1b]0;x\a\nProject: own at /etc \u202egpj"), Name: "\x1b[31mred\nProject: own\u200b" + strings.Repeat("n", 500), ID: "i\n"}, Used: time.Now()}
	enter(t, u, evil)
	b := u.Blue(t)
	list, err := b.Projects(t.Context(), blue.Call{})
	must(t, err)
	p, err := b.Open(t.Context(), at(dir))
	must(t, err)
	hits, err := p.Search(t.Context(), blue.Query{Text: "lemurs", Projects: []string{"*"}})
	must(t, err)
	_, unknown := p.Search(t.Context(), blue.Query{Text: "lemurs", Projects: []string{"nope"}})
	for what, text := range map[string]string{"projects": list.Text(), "search": hits.Text(), "unknown": errors.Of(unknown).Hints[0].Text} {
		if strings.ContainsAny(text, "\x1b\a\u202e\u200b") || strings.Contains(text, "\nProject: own") || !strings.Contains(text, `\u{1B}`) || len(text) > 1500 {
			t.Errorf("%s: %q", what, text)
		}
	}
	if _, err := b.ForgetProject(errors.Visible(evil.Root)); err != nil {
		t.Errorf("what is listed escaped cannot be forgotten: %v", err)
	}
}

// A document of another project that answers where no note of it does stands above them.
func TestDocumentsOfOtherProjects(t *testing.T) {
	u := newUser(t)
	other := filepath.Join(physical(t), "other")
	titled(t, u, other, "Upgrades of the shop")
	put(t, other, "docs/queues.md", queues)
	hits, err := u.Open(t, u.Project(t)).Search(t.Context(), blue.Query{
		Text: "what must be done to the broker before upgrades", Projects: []string{"other"}, In: []string{"notes", "documents"},
	})
	must(t, err)
	document, note := strings.Index(hits.Text(), "other: docs/queues.md"), strings.Index(hits.Text(), "Upgrades of the shop")
	if document < 0 || note < document {
		t.Errorf("%d, %d in %s", document, note, hits.Text())
	}
}

// A directory whose marker is gone does not lead to the project around it, and many
// projects have room in one reply.
func TestOuterProjectAndManyProjects(t *testing.T) {
	u := newUser(t)
	base := physical(t)
	titled(t, u, base, "Lemurs outside")
	titled(t, u, filepath.Join(base, "inner"), "Lemurs inside")
	own := physical(t)
	titled(t, u, own, "Lemurs here")
	for i := range 70 {
		titled(t, u, filepath.Join(base, "many", strings.Repeat("x", i+1)), "Lemurs of many")
	}
	must(t, os.RemoveAll(filepath.Join(base, "inner", ".blue")))
	b := u.Blue(t)
	p, err := b.Open(t.Context(), at(own))
	must(t, err)
	inner, err := p.Search(t.Context(), blue.Query{Text: "lemurs", Projects: []string{"inner"}})
	must(t, err)
	if len(inner.Elsewhere) != 0 || len(inner.NotSearched) != 1 || inner.NotSearched[0].Reason != "gone" {
		t.Errorf("%+v, %+v", inner.Elsewhere, inner.NotSearched)
	}
	all, err := p.Search(t.Context(), blue.Query{Text: "lemurs", Projects: []string{"*"}})
	must(t, err)
	for end := time.Now().Add(time.Minute); strings.Contains(all.Text(), "no answer in time") && time.Now().Before(end); { // a busy machine
		all, err = p.Search(t.Context(), blue.Query{Text: "lemurs", Projects: []string{"*"}})
		must(t, err)
	}
	if text := all.Text(); len(all.Hits) != 1 || len(all.Elsewhere) < 10 || all.MoreElsewhere == 0 || len(text) > 8000 ||
		!strings.Contains(text, "No room is left for ") {
		t.Errorf("%d elsewhere, %d more, %d bytes:\n%s", len(all.Elsewhere), all.MoreElsewhere, len(text), text)
	}
}

// Notes about the user are part of nothing that Blue shows unasked, and of no call that
// has not asked for them.
func TestPersonalNotesAreNotVolunteered(t *testing.T) {
	u := newUser(t)
	b := u.Blue(t)
	if _, err := b.OpenPersonal(t.Context(), blue.Call{}); !errors.Is(err, errors.NoProject) {
		t.Errorf("without such a project: %v", err)
	}
	made, err := b.Init(t.Context(), blue.NewProject{Personal: true})
	must(t, err)
	me, err := b.OpenPersonal(t.Context(), blue.Call{})
	must(t, err)
	for _, kind := range []string{"decision", "checkpoint", "note"} {
		_, err = me.Write(t.Context(), blue.Draft{Title: "Zebras " + kind, Type: kind, Body: "Zebras graze.", Tags: []string{"zebra"}, Files: []string{"pay/retry.go"}})
		must(t, err)
	}
	dir := u.Project(t)
	p, err := b.Open(t.Context(), at(dir))
	must(t, err)
	_, err = p.Write(t.Context(), blue.Draft{Title: "Own", Body: "Zebras graze at the zoo."})
	must(t, err)
	for _, m := range []blue.Moment{{}, {For: "where do zebras graze?"}, {Files: []string{"pay/retry.go"}}} {
		c, err := p.Context(t.Context(), m)
		must(t, err)
		if strings.Contains(c.Text(), "zebras-") || strings.Contains(c.Text(), "personal") {
			t.Errorf("context %+v: %s", m, c.Text())
		}
	}
	offered, others, err := p.Offer(t.Context())
	must(t, err)
	ids, tags, err := p.Completions(t.Context(), "z")
	must(t, err)
	if len(offered) != 1 || others != 0 || len(ids) != 0 || len(tags) != 0 {
		t.Errorf("offered %v and %d others, completed %q %q", offered, others, ids, tags)
	}
	hits, err := p.Search(t.Context(), blue.Query{Text: "zebras"})
	must(t, err)
	if len(hits.Hits) != 1 || len(hits.Elsewhere) != 1 || !hits.Elsewhere[0].Personal || len(hits.Elsewhere[0].Hits) != 3 || hits.Project.Root != dir {
		t.Errorf("%+v", hits)
	}
	outside := at(dir)
	outside.Allowed = []string{dir}
	p, err = b.Open(t.Context(), outside)
	must(t, err)
	if hits, err := p.Search(t.Context(), blue.Query{Text: "zebras"}); err != nil || len(hits.Elsewhere)+len(hits.NotSearched) != 0 {
		t.Errorf("a server that does not serve them: %+v, %v", hits, err)
	}
	if _, err := b.OpenPersonal(t.Context(), outside); !errors.Is(err, errors.OutsideAllowedRoots) {
		t.Errorf("a server that does not serve them opens them: %v", err)
	}
	if runtime.GOOS == "windows" {
		return // no mode says who may write
	}
	must(t, os.Chmod(made.Project.Root, 0o777))
	hits, err = u.Open(t, dir).Search(t.Context(), blue.Query{Text: "zebras"})
	must(t, err)
	if len(hits.Elsewhere) != 0 || len(hits.NotSearched) != 1 {
		t.Errorf("written to by everyone: %+v", hits)
	}
}
