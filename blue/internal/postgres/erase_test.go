package postgres_test

import (
	"testing"

	"blue/blue/internal/postgres"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/fixtures/database"
)

// A note is erased under every name that it has had, and another note that once had one of
// them stays; the revisions are remembered, so that a checkout learns of a removal and cannot bring
// the text back. Without being sure nothing changes.
func TestEraseByName(t *testing.T) {
	d, o, url, project := open(t)
	ann := as(d, project, "ann")
	const ours, others = "---\ntitle: One\nuid: 01AAAAAAAAAAAAAAAAAAAAAAAA\n---\nxyzzy ", "---\ntitle: Two\nuid: 01BBBBBBBBBBBBBBBBBBBBBBBB\n---\nfrobnicate "
	create(t, ann, "notes/first.md", ours+"1")
	remove := func(name string) {
		t.Helper()
		if err := change(as(d, project, "ann"), func(h *postgres.Held) error { _, _, err := h.Remove(name, ""); return err }); err != nil {
			t.Fatal(err)
		}
	}
	remove("notes/first.md")
	create(t, as(d, project, "ann"), "notes/second.md", ours+"2")
	create(t, as(d, project, "ann"), "private/drafted.md", ours+"3")
	create(t, as(d, project, "bob"), "notes/first.md", others)
	before := as(d, project, "ann")
	stand, err := before.PublicStand()
	must(t, err)
	count := func(where string) (n int) {
		t.Helper()
		database.Ask(t, url, "SELECT count(*) FROM blue."+where, &n)
		return n
	}
	rows := count("revision")
	for _, sure := range []bool{false, true} {
		r, err := o.EraseNote(t.Context(), "shop", "second", sure)
		if err != nil || r.Texts != 3 || r.Notes != 3 || len(r.IDs) != 3 {
			t.Fatalf("%+v %v", r, err)
		}
		if !sure && (count("revision") != rows || count("erased") != 0) {
			t.Error("something changed")
		}
	}
	if n := count("revision WHERE position('xyzzy' in encode(bytes, 'escape')) > 0"); n != 0 {
		t.Errorf("%d texts stay", n)
	}
	if n := count("note"); n != 1 {
		t.Errorf("%d notes stay", n)
	}
	now := as(d, project, "ann")
	if data, _, err := now.Read("notes/first.md"); err != nil || string(data) != others {
		t.Errorf("the other note: %q %v", data, err)
	}
	if after, err := now.PublicStand(); err != nil || after == stand {
		t.Errorf("checkouts are not told: %v", err)
	}
	erased := store.Revision([]byte(ours + "2"))
	type row struct {
		Name, Revision, Author string
		Size, Removed          int64
		Text                   []byte
	}
	past, err := postgres.PublicPast[row](now, []string{"second.md"}, []string{erased}, false)
	if err != nil || len(past) != 1 || past[0].Removed == 0 || past[0].Author != postgres.Erased {
		t.Errorf("%+v %v", past, err)
	}
	if whole, err := postgres.PublicPast[row](now, []string{"second.md"}, []string{erased}, true); err != nil || len(whole) != 0 {
		t.Errorf("%+v %v", whole, err)
	}
	if found, err := now.ErasedAmong([]string{erased, store.Revision([]byte(others))}); err != nil || len(found) != 1 {
		t.Errorf("%v %v", found, err)
	}
	if s, err := d.Stand(t.Context(), project, "ann"); err != nil || s.Erased == 0 {
		t.Errorf("replicas keep their indexes: %+v %v", s, err)
	}
	if n := count("audit WHERE note IN ('first', 'second')"); n != 0 {
		t.Errorf("%d lines name it", n)
	}
	if _, err := o.EraseNote(t.Context(), "shop", "second", true); !errors.Is(err, errors.NotFound) {
		t.Errorf("again: %v", err)
	}
}
