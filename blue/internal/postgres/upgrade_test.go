package postgres_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"blue/blue/internal/postgres"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/fixtures"
	"blue/fixtures/database"
)

// earlier is a program of version 2 or 3 on a project, for a subject: it has the statements
// of these programs.
type earlier struct {
	t                *testing.T
	conn             *pgx.Conn
	project, subject string
}

func (e earlier) exec(sql string, args ...any) error {
	_, err := e.conn.Exec(e.t.Context(), sql, args...)
	return err
}

func (e earlier) must(sql string, args ...any) {
	e.t.Helper()
	if err := e.exec(sql, args...); err != nil {
		e.t.Fatal(err)
	}
}

// startEarlier starts such a program on the project p.
func startEarlier(t *testing.T, url string) earlier {
	t.Helper()
	database.In(t, url, "INSERT INTO blue.project (id, name, created) VALUES ('p', 'p', 1) ON CONFLICT DO NOTHING")
	conn, err := pgx.Connect(t.Context(), database.Serving(url))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	e := earlier{t, conn, "p", "ann"}
	e.must("SET ROLE blue_serving")
	e.must("SELECT set_config('blue.project', $1, false), set_config('blue.subject', $2, false)", e.project, e.subject)
	return e
}

func (e earlier) owner(name string) string {
	if strings.HasPrefix(name, "private/") {
		return e.subject
	}
	return ""
}

// lock takes the next number of the project, which begins a write.
func (e earlier) lock() (seq int64) {
	e.t.Helper()
	e.must("BEGIN")
	err := e.conn.QueryRow(e.t.Context(), "UPDATE blue.project SET seq = seq + 1 WHERE id = $1 RETURNING seq", e.project).Scan(&seq)
	if err != nil {
		e.t.Fatal(err)
	}
	return seq
}

const earlierKept = `, kept AS (INSERT INTO blue.revision (project, owner, name, seq, revision, bytes, subject, client, at, verb)
	SELECT $1, $2, $3, $6, $5, $4, '', '', $7, 'write' FROM made RETURNING name) SELECT count(*) FROM kept`

func (e earlier) create(name, text string) {
	e.t.Helper()
	seq := e.lock()
	e.must(`WITH made AS (INSERT INTO blue.note (project, owner, name, bytes, revision, seq, at)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING name)`+earlierKept,
		e.project, e.owner(name), name, []byte(text), revisionOf(text), seq, seq)
	e.must("COMMIT")
}

func (e earlier) replace(name, text string) {
	e.t.Helper()
	seq := e.lock()
	e.must(`WITH made AS (UPDATE blue.note SET bytes = $4, revision = $5, seq = $6, at = $7
		WHERE project = $1 AND owner = $2 AND name = $3 AND removed = 0 RETURNING name)`+earlierKept,
		e.project, e.owner(name), name, []byte(text), revisionOf(text), seq, seq)
	e.must("COMMIT")
}

// remove moves a note to the trash, and back.
func (e earlier) remove(name string, back bool) {
	e.t.Helper()
	seq := e.lock()
	removed, where := time.Now().UnixNano(), "removed = 0"
	if back {
		removed, where = 0, "removed > 0"
	}
	e.must("UPDATE blue.note SET removed = $1, seq = $2 WHERE project = $3 AND owner = $4 AND name = $5 AND "+where, removed, seq, e.project, e.owner(name), name)
	e.must(`INSERT INTO blue.revision (project, owner, name, seq, revision, bytes, subject, client, at, verb)
		VALUES ($1, $2, $3, $4, '', '', '', '', $5, 'remove')`, e.project, e.owner(name), name, seq, seq)
	e.must("COMMIT")
}

// texts are the texts that the program reads, and where they are in the trash.
func (e earlier) texts() map[string]string {
	e.t.Helper()
	rows, err := e.conn.Query(e.t.Context(), "SELECT name, removed <> 0, bytes FROM blue.note WHERE project = $1 AND owner IN ('', $2)", e.project, e.subject)
	if err != nil {
		e.t.Fatal(err)
	}
	all := map[string]string{}
	var name string
	var removed bool
	var data []byte
	if _, err := pgx.ForEachRow(rows, []any{&name, &removed, &data}, func() error {
		all[fmt.Sprint(name, " ", removed)] = string(data)
		return nil
	}); err != nil {
		e.t.Fatal(err)
	}
	return all
}

// textsOf is [earlier.texts] of this program, by each way to read a text.
func textsOf(t *testing.T, n *postgres.Notes) map[string]string {
	t.Helper()
	all := map[string]string{}
	bodies, err := n.Bodies(names(t, n))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range bodies {
		all[name+" false"] = string(text)
		if data, _, err := n.Read(name); err != nil || string(data) != string(text) {
			t.Errorf("%s: %q, %v", name, data, err)
		}
	}
	trash, err := n.Trash()
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range trash {
		data, _, err := n.ReadTrashed(file.File)
		if texts, asked := n.RemovedTexts([]string{file.File}); err != nil || asked != nil || string(texts[file.File]) != string(data) || int(file.Size) != len(data) {
			t.Errorf("%s: %q, %q, %v, %v", file.File, data, texts, err, asked)
		}
		all[file.Name+" true"] = string(data)
	}
	for file, err := range n.Files(t.Context()) {
		if err != nil || int(file.Size) != len(bodies[file.Name]) {
			t.Errorf("%s has %d bytes, %v", file.Name, file.Size, err)
		}
	}
	return all
}

func revisionOf(text string) string { return store.Revision([]byte(text)) }

// Programs of earlier versions and of this one read each other's writes in tables that
// were extended; contracted tables have what this program reads, and refuse the earlier ones.
func TestProgramsOfTwoVersions(t *testing.T) {
	url := database.New(t)
	if err := postgres.MakeVersion(t.Context(), url, 3); err != nil {
		t.Fatal(err)
	}
	old := startEarlier(t, url)
	for _, name := range []string{"notes/a.md", "notes/b.md", "notes/c.md", "private/d.md"} {
		old.create(name, name+" of before")
	}
	old.remove("notes/c.md", false)
	if _, _, err := postgres.Migrate(t.Context(), url, true); !errors.Is(err, errors.Invalid) || !strings.Contains(err.Error(), "version 3") {
		t.Errorf("tables that earlier programs use are contracted: %v", err)
	}
	if from, least, err := postgres.Migrate(t.Context(), url, false); from != 3 || least != 2 || err != nil {
		t.Fatal(from, least, err)
	}
	if !database.Holds(t, url, "(SELECT version FROM blue.version WHERE one) = 2") {
		t.Error("programs of version 2 refuse the tables")
	}
	d, err := postgres.Open(database.Serving(url))
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	agree := func(after string) {
		t.Helper()
		old, now := old.texts(), textsOf(t, as(d, "p", "ann"))
		if !maps.Equal(old, now) || len(now) == 0 {
			t.Errorf("after %s earlier programs read %q, this one %q", after, old, now)
		}
	}
	agree("the migration")
	write := func(do func(h *postgres.Held) error) {
		t.Helper()
		if err := change(as(d, "p", "ann"), do); err != nil {
			t.Fatal(err)
		}
	}
	replace := func(name, text string) {
		t.Helper()
		write(func(h *postgres.Held) error { _, err := h.Replace(name, "", []byte(text)); return err })
	}
	long := strings.Repeat("a text that is moved out of its row ", 1000)
	for _, name := range []string{"notes/new.md", "private/new.md"} {
		create(t, as(d, "p", "ann"), name, "new "+name)
		agree("a note of this program")
		old.replace(name, "edited by an earlier one"+long)
		agree("an edit of it by an earlier one")
		replace(name, long)
		agree("an edit back")
		replace(name, "")
		agree("a text without a byte")
	}
	for _, name := range []string{"notes/a.md", "private/d.md"} {
		replace(name, "edited by this one"+long)
		agree("an edit of an earlier note")
		write(func(h *postgres.Held) error { _, _, err := h.Remove(name, ""); return err })
		agree("its removal")
		write(func(h *postgres.Held) error { _, err := h.Untrash(name); return err })
		agree("its return")
		old.replace(name, name+" of before")
		agree("its first text")
	}
	replace("notes/b.md", "other")
	old.remove("notes/b.md", false)
	agree("a removal")
	create(t, as(d, "p", "ann"), "notes/b.md", "of the same name")
	agree("a note in its place")
	old.remove("notes/c.md", true)
	agree("a return")

	before := textsOf(t, as(d, "p", "ann"))
	for again := range 2 {
		if from, least, err := postgres.Migrate(t.Context(), url, true); from != postgres.Version || least != postgres.Version || err != nil {
			t.Fatal(again, from, least, err)
		}
	}
	if now := textsOf(t, as(d, "p", "ann")); !maps.Equal(before, now) || now["notes/b.md true"] != "other" {
		t.Errorf("the contraction changed %q to %q", before, now)
	}
	for _, sql := range []string{"SELECT bytes FROM blue.note", "UPDATE blue.note SET bytes = ''",
		"INSERT INTO blue.note (project, owner, name, bytes, revision, seq, at) VALUES ('p', '', 'notes/x.md', '', '', 1, 1)"} {
		if err := old.exec(sql); err == nil {
			t.Errorf("earlier programs are not refused: %s", sql)
		}
	}
	create(t, as(d, "p", "ann"), "notes/after.md", "after")
	replace("notes/after.md", "and later")
	if data, _, err := as(d, "p", "ann").Read("notes/after.md"); err != nil || string(data) != "and later" {
		t.Errorf("%q, %v", data, err)
	}
}

// A migration does not hold up the servers while a long transaction keeps it from the
// tables. It gives up, and has changed nothing.
func TestPatienceWithAnUpgrade(t *testing.T) {
	fixtures.Slow(t)
	url := database.New(t)
	if err := postgres.MakeVersion(t.Context(), url, 3); err != nil {
		t.Fatal(err)
	}
	old, dump := startEarlier(t, url), startEarlier(t, url)
	dump.must("BEGIN")
	dump.texts()
	done := make(chan error)
	go func() {
		_, _, err := postgres.Migrate(context.Background(), url, false)
		done <- err
	}()
	for waiting := true; waiting; {
		old.create(fmt.Sprint("notes/", len(old.texts()), ".md"), "text")
		select {
		case err := <-done:
			if !errors.Is(err, errors.Busy) || !strings.Contains(err.Error(), "does not end") {
				t.Error(err)
			}
			waiting = false
		default:
		}
	}
	if len(old.texts()) < 2 {
		t.Error("no writes went on")
	}
	dump.must("COMMIT")
	if from, _, err := postgres.Migrate(t.Context(), url, false); from != 3 || err != nil {
		t.Error(from, err)
	}
}

// A note of 1 kB costs at most 2.2 kB in tables and indexes: its text is stored once, and
// longer texts are compressed with lz4 by an engine that has it. docs/server.md has the figures
// that this logs.
func TestBytesOfANote(t *testing.T) {
	fixtures.Slow(t)
	d, _, url, project := open(t)
	words := wordsOf(t, "../../../docs/reliability.md", "../../../docs/search.md", "../../../docs/sync.md")
	costs := map[int]int64{}
	for _, size := range []int{1000, 300, 4000, 16000} {
		notes := costNotes()
		if size == 1000 {
			notes *= 10
		}
		for _, verb := range []string{"write", "edit", "remove"} {
			before := sizes(t, url)
			for first := 0; first < notes; first += together {
				write(t, as(d, project, fmt.Sprintf("person%d@example.com", first/together%100)), verb, words, first, size)
			}
			after := sizes(t, url)
			cost := (after[""] - before[""]) / int64(notes)
			t.Logf("%s of %d bytes, %d times: %d bytes each, of them %d in note, %d in revision, %d in audit", verb, size, notes, cost,
				(after["note"]-before["note"])/int64(notes), (after["revision"]-before["revision"])/int64(notes), (after["audit"]-before["audit"])/int64(notes))
			if verb == "write" {
				costs[size] = cost
			}
			if size != 1000 {
				break
			}
		}
	}
	if costs[1000] > 2200 || costs[16000] > 16000 {
		t.Errorf("notes cost, by their size, %d", costs)
	}
	if !database.Holds(t, url, `(SELECT min(pg_column_compression(bytes)) FROM blue.revision WHERE length(bytes) = 16000) = CASE
		WHEN (SELECT 'lz4' = ANY(enumvals) FROM pg_settings WHERE name = 'default_toast_compression') THEN 'lz4' ELSE 'pglz' END`) {
		t.Error("long texts are not compressed")
	}
}

const together = 100 // notes of one transaction

// write changes some notes of a size.
func write(t *testing.T, n *postgres.Notes, verb string, words []string, first, size int) {
	t.Helper()
	err := change(n, func(h *postgres.Held) error {
		for i := first; i < first+together; i++ {
			name, text := noteOf(words, i, size)
			var err error
			switch verb {
			case "write":
				_, err = h.Create(name, text)
			case "edit":
				copy(text[size-6:], "edited")
				_, err = h.Replace(name, "", text)
			case "remove":
				_, _, err = h.Remove(name, "")
			}
			if err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// sizes are the bytes of each table with its indexes, and "" of all.
func sizes(t *testing.T, url string) map[string]int64 {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	rows, _ := conn.Query(t.Context(), "SELECT relname, pg_total_relation_size(oid) FROM pg_class WHERE relnamespace = 'blue'::regnamespace AND relkind = 'r'")
	all := map[string]int64{}
	var name string
	var size int64
	if _, err := pgx.ForEachRow(rows, []any{&name, &size}, func() error { all[name] = size; all[""] += size; return nil }); err != nil {
		t.Fatal(err)
	}
	return all
}

// wordsOf are the words of pages.
func wordsOf(t *testing.T, pages ...string) (words []string) {
	t.Helper()
	for _, page := range pages {
		data, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		words = append(words, strings.Fields(string(data))...)
	}
	return words
}

// noteOf makes a note of size bytes, with a name and a front matter as the program makes them.
func noteOf(words []string, i, size int) (name string, text []byte) {
	at := i * 37 % (len(words) - size/2)
	title := strings.Join(words[at:at+4], " ")
	id := strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' {
			return r
		}
		return '-'
	}, strings.ToLower(title)), "-")
	name = fmt.Sprintf("notes/%.24s-%d-%05x.md", id, size/1000, i)
	body := fmt.Sprintf("---\ntype: decision\ntitle: %q\ntags: [ops, release]\ncreated: 2026-01-02T03:04:05Z\nauthor: ana\nuid: %026d\n---\n\n%s",
		title, i, strings.Join(words[at:at+size/2], " "))
	return name, []byte(body[:size])
}

// costNotes is the number of notes of each size in TestBytesOfANote, of 1 kB ten times as many.
func costNotes() int { return fixtures.Size(300, 300, 2000) }
