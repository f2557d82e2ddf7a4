package postgres_test

import (
	"context"
	"strings"
	"testing"
	"time"

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
	if err != nil {
		t.Fatal(err)
	}
	count := func(where string) (n int) {
		t.Helper()
		database.Ask(t, url, "SELECT count(*) FROM blue."+where, &n)
		return n
	}
	rows := count("revision")
	for _, sure := range []bool{false, true} {
		r, ids, _, err := o.EraseNote(t.Context(), "shop", "second", sure)
		if err != nil || r.Texts != 3 || r.Notes != 3 || len(ids) != 3 {
			t.Fatalf("%v %v %v", r, ids, err)
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
	if found := faults(t, o); found != "" {
		t.Error(found)
	}
	if n := count("audit WHERE note IN ('first', 'second')"); n != 0 {
		t.Errorf("%d lines name it", n)
	}
	if _, _, _, err := o.EraseNote(t.Context(), "shop", "second", true); !errors.Is(err, errors.NotFound) {
		t.Errorf("again: %v", err)
	}
}

// A subject goes from history, texts, audit, grants and tokens; what the text of a note says
// elsewhere is counted.
func TestSubjectRows(t *testing.T) {
	d, o, url, project := open(t)
	for _, step := range []error{
		o.Grant(t.Context(), "shop", "xenia", "writer"),
		o.Grant(t.Context(), "shop", "xenia2", "writer"),
	} {
		if step != nil {
			t.Fatal(step)
		}
	}
	if _, _, err := o.AddToken(t.Context(), postgres.Token{Subject: "xenia"}); err != nil {
		t.Fatal(err)
	}
	create(t, as(d, project, "xenia"), "private/mine.md", "Mine.\n")
	create(t, as(d, project, "xenia"), "notes/a.md", "---\r\ntitle: A\r\nauthor: \"xenia\"\r\n---\r\nauthor: bob\r\n")
	create(t, as(d, project, "bob"), "notes/b.md", "---\ntitle: B\nauthor: bob\n---\nAsk xenia.\n")
	as(d, project, "xenia").RecordRefusal("write")
	r, still, err := o.EraseSubject(t.Context(), "xenia", true)
	if err != nil || r.Texts != 2 || r.Notes != 1 || still != 1 {
		t.Errorf("%v %d %v", r, still, err)
	}
	for table, want := range map[string]int{"audit": 1, "revision": 0, "grants": 1, "token": 0, "note": 0} { // those of xenia2
		var n int
		if database.Ask(t, url, "SELECT count(*) FROM blue."+table+" t WHERE t::text LIKE '%xenia%'", &n); n != want {
			t.Errorf("%s: %d rows", table, n)
		}
	}
	data, revision, err := as(d, project, "bob").Read("notes/a.md")
	if want := "---\r\ntitle: A\r\nauthor: (erased)\r\n---\r\nauthor: bob\r\n"; err != nil || string(data) != want || revision != store.Revision([]byte(want)) {
		t.Errorf("%q %s %v", data, revision, err)
	}
	if found := faults(t, o); found != "" {
		t.Error(found)
	}
}

// Retention removes what is older, and nothing that a present note needs, also when it has
// the text of a removed one; where programs of an earlier version may serve, nothing is erased.
func TestPrune(t *testing.T) {
	d, o, url, project := open(t)
	const text = "---\ntitle: Same\n---\nthe same text\n"
	create(t, as(d, project, "ann"), "notes/same.md", text)
	if err := change(as(d, project, "ann"), func(h *postgres.Held) error { _, _, err := h.Remove("notes/same.md", ""); return err }); err != nil {
		t.Fatal(err)
	}
	database.In(t, url, "UPDATE blue.note SET removed = removed - 100 * 86400000000000 WHERE removed > 0")
	create(t, as(d, project, "ann"), "notes/same.md", text)
	day := 24 * time.Hour
	age := 30 * day
	if r, err := o.Retain(t.Context(), "shop", nil, &age, nil); err != nil || r != (postgres.Retention{Trash: age}) {
		t.Fatal(r, err)
	}
	stand := func() int64 {
		t.Helper()
		s, err := d.Stand(context.Background(), project, "ann")
		if err != nil {
			t.Fatal(err)
		}
		return s.Erased
	}
	pruned, err := o.Prune(t.Context())
	if err != nil || len(pruned) != 1 || pruned[0].Notes != 1 || pruned[0].Texts != 1 || stand() == 0 {
		t.Fatalf("%+v %v", pruned, err)
	}
	if data, _, err := as(d, project, "ann").Read("notes/same.md"); err != nil || string(data) != text {
		t.Errorf("the present note: %q %v", data, err)
	}
	if found, err := as(d, project, "ann").ErasedAmong([]string{store.Revision([]byte(text))}); err != nil || len(found) != 0 {
		t.Errorf("what was pruned cannot come back: %v %v", found, err)
	}
	at := stand()
	if pruned, err := o.Prune(t.Context()); err != nil || len(pruned) != 0 || stand() != at {
		t.Errorf("again: %v %v", pruned, err)
	}
	year := time.Nanosecond
	if _, err := o.Retain(t.Context(), "shop", &year, nil, &year); err != nil {
		t.Fatal(err)
	}
	if pruned, err := o.Prune(t.Context()); err != nil || len(pruned) != 1 || pruned[0].Lines == 0 || stand() != at {
		t.Errorf("%+v %v: history and audit are not in an index", pruned, err)
	}
	if found := faults(t, o); found != "" {
		t.Error(found)
	}
	if data, _, err := as(d, project, "ann").Read("notes/same.md"); err != nil || string(data) != text {
		t.Errorf("the present note: %q %v", data, err)
	}
	database.In(t, url, "UPDATE blue.version SET version = 4 WHERE one")
	if _, _, _, err := o.EraseNote(t.Context(), "shop", "same", true); !errors.Is(err, errors.Invalid) || !strings.Contains(err.Error(), "version 4") {
		t.Errorf("%v", err)
	}
}
