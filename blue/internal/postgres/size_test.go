package postgres_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"blue/blue/internal/postgres"
	"blue/fixtures"
	"blue/fixtures/database"
)

// A note of 1 kB costs at most 2.2 kB in tables and indexes: its text is stored once, and
// longer texts are compressed with lz4 by an engine that has it. The rule for the size of a
// database in docs/server.md comes from what this logs.
func TestBytesOfANote(t *testing.T) {
	fixtures.Slow(t)
	d, _, url, project := open(t)
	words := wordsOf(t, "../../../docs/*.md")
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
	must(t, err)
}

// sizes are the bytes of each table with its indexes, and "" of all.
func sizes(t *testing.T, url string) map[string]int64 {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
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

// wordsOf are the words of the pages that match a pattern.
func wordsOf(t *testing.T, pattern string) (words []string) {
	t.Helper()
	pages, err := filepath.Glob(pattern)
	for _, page := range pages {
		data, err := os.ReadFile(page)
		must(t, err)
		words = append(words, strings.Fields(string(data))...)
	}
	if err != nil || len(words) < 10_000 {
		t.Fatalf("%s: %d words, %v", pattern, len(words), err)
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
