package blue_test

import (
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

// hitIDs are the ids of a search, in order.
func hitIDs(t *testing.T, p *blue.Project, query string) (ids []string, rows []result.Hit) {
	t.Helper()
	h, err := p.Search(t.Context(), blue.Query{Text: query})
	must(t, err)
	for _, hit := range h.Hits {
		ids = append(ids, hit.ID)
	}
	if h.Total != len(ids) {
		t.Errorf("%q: %d hits, total %d", query, len(ids), h.Total)
	}
	return ids, h.Hits
}

// write writes a note and returns its id.
func write(t *testing.T, p *blue.Project, d blue.Draft) string {
	t.Helper()
	w, err := p.Write(t.Context(), d)
	must(t, err)
	return w.ID
}

const (
	retriesFive = "Webhook deliveries are retried five times with exponential backoff, because payment providers answer slowly under load."
	retriesTen  = "From now on ten attempts at fixed intervals; the earlier policy lost events of the ledger."
)

// The older note has the status superseded, stands below the newer one, is never volunteered, and
// is in force again when the newer one goes. Its file stays as it is.
func TestSuperseded(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	for i := range 30 {
		put(t, dir, fmt.Sprintf(".blue/notes/other-%02d.md", i), fmt.Sprintf("# Other matter %d\n\nThe colours of the invoice page number %d.\n", i, i))
	}
	put(t, dir, ".blue/notes/webhook-retries-aaaa.md", "---\ntype: decision\ntitle: Webhook retries\ncreated: 2026-01-02T03:04:05Z\nstatus: accepted\nfiles: [hook.go]\n---\n\n"+retriesFive+"\n")
	older := "webhook-retries-aaaa"
	before, err := os.ReadFile(filepath.Join(dir, ".blue/notes", older+".md"))
	must(t, err)
	trustDir(t, u, dir)
	newer := write(t, p, blue.Draft{Title: "Delivery attempts", Type: "decision", Body: retriesTen, Supersedes: []string{"webhook-ret"}})
	if n := read(t, p, older); n.Status != "superseded" {
		t.Errorf("status %q", n.Status)
	}
	if after, _ := os.ReadFile(filepath.Join(dir, ".blue/notes", older+".md")); string(after) != string(before) {
		t.Errorf("the older note was changed: %s", after)
	}
	// Asked in words of both, of the older alone, by its title and by its id.
	for _, query := range []string{"webhook retries attempts policy", "exponential backoff payment providers", "Webhook retries", older} {
		ids, hits := hitIDs(t, p, query)
		if len(ids) < 2 || ids[0] != newer || ids[1] != older {
			t.Errorf("%q: %q", query, ids)
			continue
		}
		if !hits[1].Superseded || hits[1].By != newer || !strings.Contains(hits[1].Line(), "superseded by "+newer) {
			t.Errorf("%q: %s", query, hits[1].Line())
		}
	}
	if ids, _ := hitIDs(t, p, "exponential -ledger"); !slices.Equal(ids, []string{older}) {
		t.Errorf("a note with an excluded word is shown: %q", ids)
	}
	c, err := p.Context(t.Context(), blue.Moment{For: "are webhook deliveries to payment providers retried with exponential backoff?"})
	must(t, err)
	if len(c.Answers) != 1 || c.Answers[0].ID != newer {
		t.Errorf("volunteered: %+v", c.Answers)
	}
	if c, err = p.Context(t.Context(), blue.Moment{}); err != nil || len(c.Decisions) != 1 || c.Decisions[0].ID != newer {
		t.Errorf("digest: %+v %v", c.Decisions, err)
	}
	if c, err = p.Context(t.Context(), blue.Moment{Files: []string{filepath.Join(dir, "hook.go")}}); err != nil || len(c.Cited) != 1 || c.Cited[0].ID != newer {
		t.Errorf("about the file of the older one: %+v %v", c.Cited, err)
	}
	// Out of the way, and back, twice.
	for range 2 {
		_, err = p.Remove(t.Context(), blue.Removal{ID: newer})
		must(t, err)
		if n := read(t, p, older); n.Status != "accepted" {
			t.Errorf("status %q", n.Status)
		}
		_, err = p.Remove(t.Context(), blue.Removal{ID: newer, Restore: true})
		must(t, err)
		if n := read(t, p, older); n.Status != "superseded" {
			t.Errorf("status %q", n.Status)
		}
	}
	// By an edit, with the same result.
	for _, supersedes := range [][]string{{}, {older}, {}} {
		_, err = p.Edit(t.Context(), blue.Change{ID: newer, Supersedes: &supersedes})
		must(t, err)
		want := map[bool]string{true: "superseded", false: "accepted"}[len(supersedes) > 0]
		if n := read(t, p, older); n.Status != want {
			t.Errorf("supersedes %q: status %q", supersedes, n.Status)
		}
	}
}

// Of a chain the newest is first, and each note stands below what replaces it, on
// whatever page.
func TestChain(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	var ids []string
	for i := range 4 {
		d := blue.Draft{Title: fmt.Sprintf("Quota round %d", i), Body: fmt.Sprintf("The quota of uploads, as decided in round %d.", i)}
		if i > 0 {
			d.Supersedes = ids[:1:1]
		}
		ids = append([]string{write(t, p, d)}, ids...)
	}
	for i := range 20 {
		write(t, p, blue.Draft{Title: fmt.Sprintf("Quota %d", i), Body: strings.Repeat("quota uploads ", i+1)})
	}
	all, _ := func() ([]string, error) {
		h, err := p.Search(t.Context(), blue.Query{Text: "quota uploads", Paging: blue.Paging{Limit: 100}})
		must(t, err)
		var all []string
		for _, hit := range h.Hits {
			all = append(all, hit.ID)
		}
		return all, nil
	}()
	at := slices.Index(all, ids[0])
	if len(all) != 24 || at < 0 || at > 20 || !slices.Equal(all[at:at+4], ids) {
		t.Fatalf("%q of %q", ids, all)
	}
	var paged []string
	for cursor := ""; ; {
		h, err := p.Search(t.Context(), blue.Query{Text: "quota uploads", Paging: blue.Paging{Limit: 3, Cursor: cursor}})
		must(t, err)
		for _, hit := range h.Hits {
			paged = append(paged, hit.ID)
		}
		if cursor = h.Cursor; cursor == "" {
			break
		}
	}
	if !slices.Equal(paged, all) {
		t.Errorf("by pages %q\nat once  %q", paged, all)
	}
}

// What cannot be superseded, with the reason, and nothing is written.
func TestRefused(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	a := write(t, p, blue.Draft{Title: "A first", Body: "First."})
	b := write(t, p, blue.Draft{Title: "B second", Body: "Second.", Supersedes: []string{a}})
	c := write(t, p, blue.Draft{Title: "C third", Body: "Third.", Supersedes: []string{b}})
	gone := write(t, p, blue.Draft{Title: "Gone", Body: "Gone."})
	mine := write(t, p, blue.Draft{Title: "Mine", Body: "Mine.", Private: true})
	_, err := p.Remove(t.Context(), blue.Removal{ID: gone})
	must(t, err)
	before := tree(t, filepath.Join(dir, ".blue/notes"))
	for _, test := range []struct {
		id, older, reason string
		kind              errors.Kind
	}{
		{"", "nothing-here", `no note "nothing-here"`, errors.NotFound},
		{"", gone, "in the trash", errors.Invalid},
		{"", mine, "private", errors.Invalid},
		{a, "nothing-here", `no note "nothing-here"`, errors.NotFound},
		{a, gone, "in the trash", errors.Invalid},
		{a, mine, "private", errors.Invalid},
		{a, a, "itself", errors.Invalid},
		{a, b, "supersedes " + a, errors.Invalid},
		{a, c, "supersedes " + a, errors.Invalid},
	} {
		older := []string{test.older}
		if test.id == "" {
			_, err = p.Write(t.Context(), blue.Draft{Title: "New", Body: "New.", Supersedes: older})
		} else {
			_, err = p.Edit(t.Context(), blue.Change{ID: test.id, Supersedes: &older})
		}
		isKind(t, err, test.kind, test.id+" supersedes "+test.older)
		if err == nil || !strings.Contains(err.Error(), test.reason) {
			t.Errorf("%s supersedes %s: %v", test.id, test.older, err)
		}
	}
	if tree(t, filepath.Join(dir, ".blue/notes")) != before {
		t.Error("something was written")
	}
	own := write(t, p, blue.Draft{Title: "My answer", Body: "Mine, newer.", Private: true, Supersedes: []string{mine, c}})
	if n := read(t, p, own); !slices.Equal(n.Supersedes, []string{mine, c}) {
		t.Errorf("%+v", n.Supersedes)
	}
}

// A status is any word of at most 64 characters.
func TestStatus(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	id := write(t, p, blue.Draft{Title: "Colours", Body: "The colour of the header is blue."})
	other := write(t, p, blue.Draft{Title: "Other", Body: "What else: header, colour, and much more besides of which nobody speaks."})
	for status, want := range map[string]struct{ label, first string }{
		"accepted": {"", id}, "waiting for Ann": {"", id}, "proposed": {"proposed", id},
		"rejected": {"rejected", other}, "Deprecated": {"deprecated", other}, "superseded": {"superseded", other}, "": {"", id},
	} {
		_, err := p.Edit(t.Context(), blue.Change{ID: id, Status: &status})
		must(t, err)
		if n := read(t, p, id); n.Status != status && status != "" || status == "" && n.Status != "active" {
			t.Errorf("%q is kept as %q", status, n.Status)
		}
		ids, hits := hitIDs(t, p, "colour header")
		if ids[0] != want.first {
			t.Errorf("%q: %q", status, ids)
		}
		for _, hit := range hits {
			if hit.ID == id && want.label != "" && !strings.Contains(hit.Line(), ", "+want.label) {
				t.Errorf("%q: %s", status, hit.Line())
			}
		}
	}
	long := strings.Repeat("x", 200)
	_, err := p.Edit(t.Context(), blue.Change{ID: id, Status: &long})
	isKind(t, err, errors.TooLarge, "200 characters")
}

// Of two notes that answer alike, the newer stands first.
func TestNewerFirst(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	for name, day := range map[string]string{"a": "2026-01-02", "b": "2026-03-02", "c": "2026-02-02"} {
		put(t, dir, ".blue/notes/"+name+".md", "---\ntitle: Ports\ncreated: "+day+"\n---\n\nThe proxy listens on 8080.\n")
	}
	if ids, _ := hitIDs(t, u.Open(t, dir), "which ports does the proxy use"); !slices.Equal(ids, []string{"b", "c", "a"}) {
		t.Errorf("%q", ids)
	}
}

// Typed by hand is as good: the older note is superseded at once, whatever its own status says, and
// in force again when no note names it.
func TestSupersededByHand(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	older := write(t, p, blue.Draft{Title: "Older", Body: "Ports are five."})
	put(t, dir, ".blue/notes/newer.md", "---\nsupersedes: ["+older+"]\n---\n\n# Newer\n\nPorts are ten.\n")
	if n := read(t, p, older); n.Status != "superseded" || n.By != "newer" {
		t.Errorf("%s by %s", n.Status, n.By)
	}
	rows, err := p.List(t.Context(), blue.Filter{Selection: blue.Selection{About: blue.Facts{Status: "superseded"}}})
	must(t, err)
	if len(rows.Notes) != 1 || rows.Notes[0].ID != older || rows.Notes[0].By != "newer" {
		t.Errorf("%+v", rows.Notes)
	}
	if found, _ := findings(t, p); len(found) > 0 {
		t.Errorf("check says %q", found)
	}
	status := "accepted"
	e, err := p.Edit(t.Context(), blue.Change{ID: older, Status: &status})
	must(t, err)
	if n := read(t, p, older); n.Status != "superseded" || len(e.Warnings) != 1 || !strings.Contains(e.Warnings[0], "newer") {
		t.Errorf("%s, %q", n.Status, e.Warnings)
	}
	must(t, os.Remove(filepath.Join(dir, ".blue/notes/newer.md")))
	if n := read(t, p, older); n.Status != "accepted" || n.By != "" {
		t.Errorf("%s by %q", n.Status, n.By)
	}
	put(t, dir, ".blue/notes/alone.md", "---\nsupersedes: [alone]\n---\n\n# Alone\n\nIt names itself.\n")
	if n := read(t, p, "alone"); n.Status != "" && n.Status != "active" || n.By != "" {
		t.Errorf("a note supersedes itself: %s by %q", n.Status, n.By)
	}
}

// Writing or editing a note names those of the same matter, and no others: of its type, not linked by it,
// and in force.
func TestSimilarNotes(t *testing.T) {
	u := newUser(t)
	dir := u.Project(t)
	p := u.Open(t, dir)
	for i := range 40 {
		put(t, dir, fmt.Sprintf(".blue/notes/other-%02d.md", i), fmt.Sprintf("# Matter %d\n\nThe colours of page %d, and who may print it.\n", i, i))
	}
	older := write(t, p, blue.Draft{Title: "Webhook retries", Type: "decision", Body: retriesFive})
	amended := blue.Draft{Title: "Webhook retries: ten attempts", Type: "decision", Body: "Webhook deliveries are retried ten times at fixed intervals."}
	w, err := p.Write(t.Context(), amended)
	must(t, err)
	named := func(all []result.Named) (ids []string) {
		for _, n := range all {
			ids = append(ids, n.ID)
		}
		return ids
	}
	if !slices.Equal(named(w.Similar.Similar), []string{older}) {
		t.Errorf("similar %q", w.Similar)
	}
	typed := w
	typed.Terminal = true
	for text, want := range map[string]string{
		w.Text():     `Similar: "Webhook retries" (` + older + "). If this replaces it: blue_edit " + w.ID + " supersedes " + older,
		typed.Text(): "blue edit " + w.ID + " --supersedes " + older,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not say %q", text, want)
		}
	}
	more := "Webhook retries: a webhook is retried ten times."
	e, err := p.Edit(t.Context(), blue.Change{ID: w.ID, Append: &more})
	must(t, err)
	if !slices.Equal(named(e.Similar.Similar), []string{older}) {
		t.Errorf("after an edit: %q", e.Similar)
	}
	e, err = p.Edit(t.Context(), blue.Change{ID: w.ID, Supersedes: &[]string{older}, Body: &more})
	must(t, err)
	if len(e.Similar.Similar) > 0 {
		t.Errorf("it supersedes it: %q", e.Similar)
	}
	_, err = p.Edit(t.Context(), blue.Change{ID: w.ID, Supersedes: &[]string{}})
	must(t, err)
	for name, d := range map[string]blue.Draft{
		"another type":                   {Title: amended.Title, Type: "checkpoint", Body: amended.Body},
		"a link":                         {Title: "Webhook retries", Type: "decision", Body: amended.Body + " See [[" + older + "]] and [[" + w.ID + "]]."},
		"the same place, another matter": {Title: "Webhook signatures", Type: "decision", Body: "A webhook is signed with the secret of its endpoint, so that the shop can check it."},
		"a stranger":                     {Title: "Lunch", Body: "The canteen opens at noon on weekdays."},
	} {
		q := u.Open(t, dir)
		if got, err := q.Write(t.Context(), d); err != nil || len(got.Similar.Similar) > 0 {
			t.Errorf("%s: %q %v", name, got.Similar, err)
		}
	}
}
