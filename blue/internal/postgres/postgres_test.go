package postgres_test

import (
	"context"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"blue/blue/internal/postgres"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/fixtures"
	"blue/fixtures/database"
)

func TestMain(m *testing.M) { os.Exit(runTests(m)) }

func runTests(m *testing.M) (code int) {
	defer fixtures.InMemory()()
	return database.Main(m)
}

// open makes a database with one project and opens it as a server does.
func open(t testing.TB) (d *postgres.Database, o *postgres.Operator, url, project string) {
	t.Helper()
	url = database.New(t)
	if _, err := postgres.Migrate(t.Context(), url); err != nil {
		t.Fatal(err)
	}
	return connected(t, url)
}

// connected opens a database that has tables, with one project.
func connected(t testing.TB, url string) (d *postgres.Database, o *postgres.Operator, _, project string) {
	t.Helper()
	o, err := postgres.Operate(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { o.Close(context.Background()) })
	if project, err = o.AddProject(t.Context(), "shop", ""); err != nil {
		t.Fatal(err)
	}
	if d, err = postgres.Open(database.Serving(url)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(d.Close)
	return d, o, url, project
}

// as is the notes of the project for a writer, as far as they are now.
func as(d *postgres.Database, project, subject string) *postgres.Notes {
	stand, _ := d.Stand(context.Background(), project, subject) // one that is gone has none
	stand.Own = true
	return d.Notes(context.Background(), postgres.Access{Project: project, Subject: subject, Client: "test", Role: postgres.Writer, Stand: stand})
}

// change makes one write, again when it met another one.
func change(n *postgres.Notes, do func(h *postgres.Held) error) error {
	for {
		h, err := n.Lock(context.Background(), "write")
		if err == nil {
			if err = do(h); err == nil {
				err = h.Commit()
			}
			h.Unlock()
		}
		if !errors.Is(err, store.ErrAgain) {
			return err
		}
	}
}

func create(t testing.TB, n *postgres.Notes, name, text string) {
	t.Helper()
	err := change(n, func(h *postgres.Held) error { _, err := h.Create(name, []byte(text)); return err })
	must(t, err)
}

func names(t testing.TB, n *postgres.Notes) (all []string) {
	t.Helper()
	for file, err := range n.Files(context.Background()) {
		must(t, err)
		all = append(all, file.Name)
	}
	return all
}

// Migrations run once, one waits for the other, and none goes back: from an empty database, and from
// the tables of each release.
func TestMigrationsRunOnce(t *testing.T) {
	releases, err := filepath.Glob("../../../fixtures/released/*/tables.sql")
	if err != nil || len(releases) == 0 {
		t.Fatal("there are no tables of a release", err)
	}
	for _, tables := range append(releases, "") {
		url := database.New(t)
		if d, err := postgres.Open(database.Serving(url)); err != nil || !errors.Is(d.Check(t.Context()), errors.Invalid) {
			t.Errorf("a database without tables passes: %v", err)
		}
		if tables != "" {
			script, err := os.ReadFile(tables)
			must(t, err)
			database.In(t, url, string(script))
		}
		migratesOnce(t, url)
	}
}

// migratesOnce migrates a database, and then takes it for one of a later version.
func migratesOnce(t *testing.T, url string) {
	t.Helper()
	stood := 0
	if !database.Holds(t, url, "to_regclass('blue.version') IS NULL") {
		database.Ask(t, url, "SELECT version FROM blue.version", &stood)
	}
	var group sync.WaitGroup
	made := make(chan int, 8)
	for range cap(made) {
		group.Go(func() {
			from, err := postgres.Migrate(context.Background(), url)
			if err != nil {
				t.Error(err)
			}
			made <- from
		})
	}
	group.Wait()
	close(made)
	first := 0
	for from := range made {
		if from == stood {
			first++
		}
	}
	if stood < postgres.Version && first != 1 {
		t.Errorf("%d migrations upgraded the tables, one should have", first)
	}
	if from, err := postgres.Migrate(t.Context(), url); err != nil || from != postgres.Version {
		t.Errorf("again: from %d, %v", from, err)
	}
	d, err := postgres.Open(database.Serving(url))
	if err != nil || d.Check(t.Context()) != nil {
		t.Fatalf("%v, %v", err, d.Check(t.Context()))
	}
	d.Close()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer conn.Close(context.Background())
	if _, err := conn.Exec(t.Context(), "UPDATE blue.version SET version = 99"); err != nil {
		t.Fatal(err)
	}
	if _, err := postgres.Migrate(t.Context(), url); err == nil || !strings.Contains(err.Error(), "version 99") {
		t.Errorf("tables of a later version: %v", err)
	}
	later, _ := postgres.Open(database.Serving(url))
	defer later.Close()
	if err := later.Check(t.Context()); err == nil || !strings.Contains(err.Error(), "version 99") {
		t.Errorf("a server on tables of a later version: %v", err)
	}
}

// A connection without a project, or with another one, sees nothing, whoever asks.
func TestNoRowsOfOtherProjects(t *testing.T) {
	d, o, url, project := open(t)
	create(t, as(d, project, "ann"), "notes/plan-aaaa.md", "A plan.\n")
	other, err := o.AddProject(t.Context(), "bank", "")
	must(t, err)
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	defer conn.Close(context.Background())
	count := func(table string) (n int) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM blue."+table).Scan(&n); err != nil {
			t.Fatal(table, err)
		}
		return n
	}
	tables := []string{"project", "note", "revision", "erased", "grants", "token"}
	for _, table := range append(tables, "audit") {
		if n := count(table); n != 0 {
			t.Errorf("the owner sees %d rows of %s without asking for them", n, table)
		}
	}
	set := func(name, value string) {
		t.Helper()
		if _, err := conn.Exec(t.Context(), "SELECT set_config($1, $2, false)", name, value); err != nil {
			t.Fatal(err)
		}
	}
	if conn, err = pgx.Connect(t.Context(), database.Serving(url)); err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	set("blue.operator", "on") // which is for the owner alone
	for _, setting := range []string{"", other, "%", "' OR true --"} {
		set("blue.project", setting)
		for _, table := range tables {
			if n := count(table); n != 0 && (table != "project" || setting != other) {
				t.Errorf("with the project %q a server sees %d rows of %s", setting, n, table)
			}
		}
	}
	set("blue.project", project)
	if n := count("note"); n != 1 {
		t.Errorf("with its project a server sees %d notes", n)
	}
	for _, forbidden := range []string{
		"INSERT INTO blue.note (project, owner, name, revision, seq, at) VALUES ('" + other + "', '', 'notes/x.md', '', 1, 1)",
		"UPDATE blue.note SET project = '" + other + "'", "DELETE FROM blue.note", "DELETE FROM blue.revision", "UPDATE blue.revision SET bytes = ''",
		"UPDATE blue.audit SET subject = ''", "UPDATE blue.project SET quota = 0", "SELECT subject FROM blue.audit", "DROP TABLE blue.note", "ALTER TABLE blue.note DISABLE ROW LEVEL SECURITY", "UPDATE blue.version SET version = 2",
		"INSERT INTO blue.grants VALUES ('" + project + "', 'eve', 'admin')", "INSERT INTO blue.token VALUES ('x', 'eve', '', 'admin', 1, 0)",
	} {
		if tag, err := conn.Exec(t.Context(), forbidden); err == nil && tag.RowsAffected() > 0 || err == nil && strings.HasPrefix(forbidden, "DROP") {
			t.Errorf("a server may: %s", forbidden)
		}
	}
}

// Another subject's private note does not exist, even for one who knows its name.
func TestNoPrivateNotesOfOthers(t *testing.T) {
	d, o, _, project := open(t)
	ann, bob := as(d, project, "ann"), as(d, project, "bob")
	create(t, ann, "private/diary-aaaa.md", "My diary.\n")
	create(t, ann, "notes/plan-aaaa.md", "A plan.\n")
	if all := names(t, bob); len(all) != 1 {
		t.Errorf("bob lists %q", all)
	}
	if _, _, err := bob.Read("private/diary-aaaa.md"); !errors.Is(err, errors.NotFound) {
		t.Errorf("bob reads it: %v", err)
	}
	if past, err := bob.Revisions("private/diary-aaaa.md"); err != nil || len(past) != 0 {
		t.Errorf("bob sees revisions: %v, %v", past, err)
	}
	changes, _, err := bob.Changes(store.Mark{})
	if err != nil || len(changes) != 1 {
		t.Errorf("bob's index is told of %v, %v", changes, err)
	}
	create(t, bob, "private/diary-aaaa.md", "Bob's.\n") // the name is free for him
	err = change(ann, func(h *postgres.Held) error { _, _, err := h.Remove("private/diary-aaaa.md", ""); return err })
	must(t, err)
	if trashed, err := bob.Trash(); err != nil || len(trashed) != 0 {
		t.Errorf("bob's trash has %v, %v", trashed, err)
	}
	audit, err := o.Audit(t.Context(), "shop", time.Time{})
	for _, line := range audit {
		if strings.Contains(line.Note, "diary") || line.Note == "private" && line.After+line.Before != "" {
			t.Errorf("the audit tells of it: %+v", line)
		}
	}
	if err != nil || len(audit) != 4 {
		t.Errorf("%d lines, %v", len(audit), err)
	}
	// An index that all share has no private note, whoever brings it in line, even within a write.
	shared := d.Notes(t.Context(), postgres.Access{Project: project, Subject: "bob", Role: postgres.Writer})
	err = change(shared, func(*postgres.Held) error {
		if all := names(t, shared); len(all) != 1 {
			t.Errorf("the shared index would have %q", all)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestHistory: the texts that a note had, when each was replaced, and the trash.
func TestHistory(t *testing.T) {
	d, _, _, project := open(t)
	n := as(d, project, "ann")
	const name = "notes/plan-aaaa.md"
	create(t, n, name, "one")
	for _, text := range []string{"two", "one", "three"} {
		if err := change(n, func(h *postgres.Held) error { _, err := h.Replace(name, "", []byte(text)); return err }); err != nil {
			t.Fatal(err)
		}
	}
	past, err := n.Revisions(name)
	if err != nil || len(past) != 2 || past[0].Revision != store.Revision([]byte("two")) || past[1].Revision != store.Revision([]byte("one")) {
		t.Errorf("%+v, %v", past, err)
	}
	if data, err := n.ReadPast(name, store.Revision([]byte("two"))); err != nil || string(data) != "two" {
		t.Errorf("%q, %v", data, err)
	}
	err = change(n, func(h *postgres.Held) error {
		_, err := h.Replace(name, "0123456789abcdef", []byte("four"))
		return err
	})
	if !errors.Is(err, errors.Conflict) {
		t.Errorf("a stale revision: %v", err)
	}
	var file string
	err = change(n, func(h *postgres.Held) (err error) { _, file, err = h.Remove(name, ""); return err })
	must(t, err)
	trashed, err := n.Trash()
	if err != nil || len(trashed) != 1 || trashed[0].File != file || trashed[0].Name != name {
		t.Errorf("%+v, %v, removed as %q", trashed, err, file)
	}
	if data, revision, err := n.ReadTrashed(file); err != nil || string(data) != "three" || revision != store.Revision(data) {
		t.Errorf("%q, %v", data, err)
	}
	if err := change(n, func(h *postgres.Held) error { _, err := h.Untrash(name); return err }); err != nil {
		t.Fatal(err)
	}
	if data, _, err := n.Read(name); err != nil || string(data) != "three" {
		t.Errorf("%q, %v", data, err)
	}
	if past, err := n.Revisions(name); err != nil || len(past) != 2 {
		t.Errorf("after it came back: %+v, %v", past, err)
	}
	changes, _, err := n.Changes(store.Mark{Seq: 4})
	if err != nil || len(changes) != 1 || changes[0].Gone {
		t.Errorf("%+v, %v", changes, err)
	}
}

// TestNothingHalf: what is not committed is not there, and takes no number.
func TestNothingHalf(t *testing.T) {
	d, _, _, project := open(t)
	n := as(d, project, "ann")
	h, err := n.Lock(t.Context(), "write")
	must(t, err)
	if _, err := h.Create("notes/half-aaaa.md", []byte("half")); err != nil {
		t.Fatal(err)
	}
	if last, _ := n.Last(); last.Seq != 0 {
		t.Errorf("within the write the index stands at %d", last.Seq)
	}
	if all := names(t, as(d, project, "bob")); len(all) != 0 {
		t.Errorf("seen before it was committed: %q", all)
	}
	h.Unlock()
	if stand, err := d.Stand(t.Context(), project, "ann"); err != nil || stand.Seq != 0 || len(names(t, n)) != 0 {
		t.Errorf("%+v, %v", stand, err)
	}
}

// TestNothingReplaced: a text that does not take the place of the one that was read is an
// error, also where that shows at the commit.
func TestNothingReplaced(t *testing.T) {
	d, _, url, project := open(t)
	create(t, as(d, project, "ann"), "notes/odd-aaaa.md", "text")
	database.In(t, url, "UPDATE blue.note SET revision = 'odd'; UPDATE blue.revision SET revision = 'odd'")
	err := change(as(d, project, "ann"), func(h *postgres.Held) error {
		_, err := h.Replace("notes/odd-aaaa.md", "", []byte("other"))
		return err
	})
	if !errors.Is(err, errors.Busy) {
		t.Error(err)
	}
}

// TestReadsWhatItWrote: within a write a note reads as it was written there.
func TestReadsWhatItWrote(t *testing.T) {
	d, _, _, project := open(t)
	n := as(d, project, "ann")
	err := change(n, func(h *postgres.Held) error {
		if _, err := h.Create("notes/one-aaaa.md", []byte("first")); err != nil {
			return err
		}
		if data, _, err := n.Read("notes/one-aaaa.md"); err != nil || string(data) != "first" {
			return fmt.Errorf("%q, %w", data, err)
		}
		_, err := h.Create("notes/two-aaaa.md", []byte("second"))
		return err
	})
	if all := names(t, n); err != nil || len(all) != 2 {
		t.Errorf("%q, %v", all, err)
	}
}

// TestWritersFollowOneAnother: many writers on several replicas lose nothing, and each
// change has a number of its own.
func TestWritersFollowOneAnother(t *testing.T) {
	d, _, url, project := open(t)
	second, err := postgres.Open(database.Serving(url))
	must(t, err)
	defer second.Close()
	create(t, as(d, project, "ann"), "notes/count-aaaa.md", "")
	var group sync.WaitGroup
	const writers, each = 20, 10
	for i := range writers {
		group.Go(func() {
			for range each {
				n := as([]*postgres.Database{d, second}[i%2], project, fmt.Sprint("s", i))
				err := change(n, func(h *postgres.Held) error {
					data, revision, err := n.Read("notes/count-aaaa.md")
					if err == nil {
						_, err = h.Replace("notes/count-aaaa.md", revision, append(data, '+'))
					}
					return err
				})
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	data, _, err := as(d, project, "ann").Read("notes/count-aaaa.md")
	if err != nil || len(data) != writers*each {
		t.Errorf("%d of %d edits are there, %v", len(data), writers*each, err)
	}
	if stand, err := d.Stand(t.Context(), project, "ann"); err != nil || stand.Seq != writers*each+1 {
		t.Errorf("%+v, %v", stand, err)
	}
}

// TestRoles: who only reads writes nothing, and the audit has the attempt.
func TestRoles(t *testing.T) {
	d, o, _, project := open(t)
	n := d.Notes(t.Context(), postgres.Access{Project: project, Subject: "ann", Client: "c", Role: postgres.Reader})
	if _, err := n.Lock(t.Context(), "write"); !errors.Is(err, errors.Denied) {
		t.Errorf("%v", err)
	}
	audit, err := o.Audit(t.Context(), "shop", time.Time{})
	if err != nil || len(audit) != 1 || audit[0].Outcome != "refused" || audit[0].Subject != "ann" {
		t.Errorf("%+v, %v", audit, err)
	}
}

// TestTokens: a token of a project has that alone, one of a subject what was granted; and
// what is over counts no more.
func TestTokens(t *testing.T) {
	d, o, _, _ := open(t)
	ctx := t.Context()
	if _, err := o.AddProject(ctx, "bank", ""); err != nil {
		t.Fatal(err)
	}
	must(t, o.Grant(ctx, "bank", "ann", postgres.Reader))
	add := func(tok postgres.Token) (string, string) {
		t.Helper()
		token, id, err := o.AddToken(ctx, tok)
		must(t, err)
		return token, id
	}
	own, id := add(postgres.Token{Subject: "ann"})
	ci, _ := add(postgres.Token{Subject: "ann", Project: "shop", Role: postgres.Writer})
	late, _ := add(postgres.Token{Subject: "ann", Expires: time.Now().Add(-time.Second)})
	seen := func(token string) string {
		t.Helper()
		c, ok, err := d.Identify(ctx, token, postgres.Look{})
		must(t, err)
		text := fmt.Sprint(ok, c.Subject)
		for _, s := range c.Seen {
			text += " " + s.Name + ":" + s.Role
		}
		return text
	}
	for token, want := range map[string]string{own: "trueann bank:reader", ci: "trueann shop:writer", late: "false", "": "false", own + "x": "false"} {
		if got := seen(token); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	must(t, o.RevokeToken(ctx, id))
	if got := seen(own); got != "false" {
		t.Errorf("a revoked token: %s", got)
	}
	all, err := o.Tokens(ctx)
	if err != nil || len(all) != 3 {
		t.Errorf("%+v, %v", all, err)
	}
	if everything, err := d.Everything(ctx, postgres.Look{}); err != nil || len(everything.Seen) != 2 {
		t.Errorf("%+v, %v", everything, err)
	}
}

// What could break a statement is stored as bytes, or refused as by files.
func TestHostileTextIsStoredAsBytes(t *testing.T) {
	d, _, _, project := open(t)
	n := as(d, project, "ann'; DROP TABLE blue.note; --")
	for i, text := range []string{"'; DROP TABLE blue.note; --", "a\x00b", "\xff\xfe", strings.Repeat("x", 256<<10), "$1 \\x00 %s"} {
		name := fmt.Sprintf("notes/n'%d); --.md", i)
		create(t, n, name, text)
		if data, _, err := n.Read(name); err != nil || string(data) != text {
			t.Errorf("%q came back as %d bytes, %v", text[:min(20, len(text))], len(data), err)
		}
	}
	for _, name := range []string{"notes/a\x00b.md", "notes/\xff.md", "notes/../x.md", "../x.md", "notes/x", "notes/" + strings.Repeat("x", 300) + ".md"} {
		err := change(n, func(h *postgres.Held) error { _, err := h.Create(name, []byte("x")); return err })
		if !errors.Is(err, errors.Invalid) {
			t.Errorf("%q: %v", name, err)
		}
		if _, _, err := n.Read(name); !errors.Is(err, errors.Invalid) {
			t.Errorf("reading %q: %v", name, err)
		}
	}
	if err := change(n, func(h *postgres.Held) error {
		_, err := h.Create("notes/x.md", make([]byte, store.Limit+1))
		return err
	}); !errors.Is(err, errors.TooLarge) {
		t.Errorf("%v", err)
	}
	if _, err := n.ReadPast("notes/x.md", "\x00'\xff"); !errors.Is(err, errors.NotFound) {
		t.Errorf("%v", err)
	}
}

// The index of a database that has lost changes learns that its last change is not
// known there, though numbers were used again, and no text of the lost history is shown.
func TestLostChangesAreNoticed(t *testing.T) {
	d, _, url, project := open(t)
	create(t, as(d, project, "ann"), "notes/kept-aaaa.md", "kept")
	kept, _ := as(d, project, "ann").Last()
	create(t, as(d, project, "ann"), "notes/plan-aaaa.md", "lost")
	lost, _ := as(d, project, "ann").Last()
	if changes, known, err := as(d, project, "ann").Changes(kept); err != nil || !known || len(changes) != 1 {
		t.Errorf("%+v, %v, %v", changes, known, err)
	}
	number := changes(t, as(d, project, "ann"), kept)[0].Inode
	stand, err := as(d, project, "ann").PublicStand()
	must(t, err)
	database.In(t, url, fmt.Sprintf(`DELETE FROM blue.note WHERE seq > %[1]d; DELETE FROM blue.revision WHERE seq > %[1]d; DELETE FROM blue.audit WHERE seq > %[1]d;
		UPDATE blue.project SET seq = %[1]d, at = %[2]d, entry = %[3]d`, kept.Seq, kept.At, kept.Entry))
	create(t, as(d, project, "bob"), "notes/plan-aaaa.md", "new")
	if now, err := as(d, project, "bob").PublicStand(); err != nil || now == stand {
		t.Errorf("the stand is that of the lost change, %v", err)
	}
	create(t, as(d, project, "bob"), "notes/found-aaaa.md", "found")
	if _, known, err := as(d, project, "ann").Changes(lost); err != nil || known {
		t.Errorf("a lost change is known, %v", err)
	}
	all := changes(t, as(d, project, "ann"), kept)
	if len(all) != 2 || all[0].Name != "notes/plan-aaaa.md" || all[0].Inode == number {
		t.Errorf("%+v", all)
	}
	if data, err := as(d, project, "ann").Texts().Read("notes/plan-aaaa.md", all[0].Inode); err != nil || string(data) != "new" {
		t.Errorf("%q, %v", data, err)
	}
}

func changes(t testing.TB, n *postgres.Notes, since store.Mark) []postgres.Change {
	t.Helper()
	all, known, err := n.Changes(since)
	if err != nil || !known {
		t.Fatal(known, err)
	}
	return all
}

// A program meets the tables of a later one in the middle of its life: it writes no more and says
// why. No other starts.
func TestTablesOfALaterVersion(t *testing.T) {
	d, _, url, project := open(t)
	n := as(d, project, "ann")
	database.In(t, url, fmt.Sprintf("UPDATE blue.version SET version = %d", postgres.Version+1))
	err := change(n, func(h *postgres.Held) error { _, err := h.Create("notes/new-aaaa.md", []byte("new")); return err })
	if !errors.Is(err, errors.Invalid) || !strings.Contains(err.Error(), fmt.Sprint("version ", postgres.Version+1)) {
		t.Error(err)
	}
	if all := names(t, n); len(all) != 0 {
		t.Errorf("wrote %q", all)
	}
	if err := d.Check(t.Context()); !errors.Is(err, errors.Invalid) {
		t.Errorf("the server is ready: %v", err)
	}
}

// TestQueryModes: a server needs no prepared statements, which a pooler may not keep.
func TestQueryModes(t *testing.T) {
	_, o, url, project := open(t)
	token, _, err := o.AddToken(t.Context(), postgres.Token{Subject: "ann", Project: "shop", Role: postgres.Writer})
	must(t, err)
	for _, mode := range []string{"cache_statement", "cache_describe", "exec"} {
		d, err := postgres.Open(database.Serving(url) + "&default_query_exec_mode=" + mode)
		must(t, err)
		t.Cleanup(d.Close)
		name, texts := "notes/"+mode+".md", []string{"a\x00b\xff", "", "three"}
		create(t, as(d, project, "ann"), name, texts[0])
		before, _ := as(d, project, "ann").Last()
		for _, text := range texts[1:] {
			if err := change(as(d, project, "ann"), func(h *postgres.Held) error { _, err := h.Replace(name, "", []byte(text)); return err }); err != nil {
				t.Fatal(mode, err)
			}
		}
		n := as(d, project, "ann")
		if all := changes(t, n, before); len(all) != 1 || string(all[0].Text) != "three" || all[0].ModTime.Before(time.Now().Add(-time.Hour)) {
			t.Errorf("%s: %+v", mode, all)
		}
		past, err := n.Revisions(name)
		if err != nil || len(past) != 2 || past[0].Time.IsZero() {
			t.Fatalf("%s: %+v, %v", mode, past, err)
		}
		if data, err := n.ReadPast(name, past[1].Revision); err != nil || string(data) != texts[0] {
			t.Errorf("%s: %q, %v", mode, data, err)
		}
		err = change(n, func(h *postgres.Held) error { _, _, err := h.Remove(name, ""); return err })
		if trashed, listed := n.TrashedAs(name); err != nil || listed != nil || len(trashed) != 1 {
			t.Errorf("%s: %+v, %v, %v", mode, trashed, err, listed)
		}
		if bodies, err := n.Bodies([]string{name}); err != nil || len(bodies) > 0 {
			t.Errorf("%s: %q, %v", mode, bodies, err)
		}
		if c, ok, err := d.Identify(t.Context(), token, postgres.Look{}); err != nil || !ok || len(c.Seen) != 1 || c.Seen[0].Role != postgres.Writer {
			t.Errorf("%s: %+v, %v, %v", mode, c, ok, err)
		}
	}
}

// TestSilentHost: a host that does not answer delays a connection to the next one, and no more.
func TestSilentHost(t *testing.T) {
	fixtures.Slow(t)
	_, _, url, _ := open(t)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	defer silent.Close()
	at, err := pgx.ParseConfig(database.Serving(url))
	must(t, err)
	host, port, _ := net.SplitHostPort(silent.Addr().String())
	d, err := postgres.Open(fmt.Sprintf("postgres://%s@/%s?sslmode=disable&host=%s,%s&port=%s,%d", at.User, at.Database, host, at.Host, port, at.Port))
	must(t, err)
	defer d.Close()
	for err = d.Check(t.Context()); errors.Is(err, errors.Busy); { // while the first connection is made
		err = d.Check(t.Context())
	}
	if err != nil {
		t.Error(err)
	}
}

// A call that finds all connections in use says that it has waited for one, and not that the
// database does not answer.
func TestWaitsForAConnection(t *testing.T) {
	t.Parallel()
	_, _, url, project := open(t)
	d, err := postgres.Open(database.Serving(url) + "&pool_max_conns=1")
	must(t, err)
	defer d.Close()
	holder, err := pgx.Connect(t.Context(), strings.Replace(url, "blue@", "postgres@", 1))
	must(t, err)
	defer holder.Close(context.Background())
	if _, err := holder.Exec(t.Context(), "BEGIN; LOCK TABLE blue.note IN ACCESS EXCLUSIVE MODE"); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error)
	go func() { _, err := d.Stand(t.Context(), project, "ann"); ended <- err }()
	for _, busy, _ := d.Pool(); busy == 0; _, busy, _ = d.Pool() {
		time.Sleep(time.Millisecond)
	}
	if err := d.Check(t.Context()); !errors.Is(err, errors.Busy) || !strings.Contains(errors.Of(err).Message, "all 1 connections") {
		t.Error(err)
	}
	if _, err := holder.Exec(t.Context(), "ROLLBACK"); err != nil {
		t.Fatal(err)
	}
	<-ended // on a busy machine it has run out of time
}
