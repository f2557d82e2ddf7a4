package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"blue/fixtures/database"
)

// The views for administrators show what one of the names administers, and the serving
// role gets nothing more by those names.
func TestViewsOfOperators(t *testing.T) {
	d, o, url, project := open(t)
	create(t, as(d, project, "ann"), "notes/plan-aaaa.md", "A plan.\n")
	create(t, as(d, project, "ann"), "private/mine-aaaa.md", "Mine.\n")
	if _, err := o.AddProject(t.Context(), "bank", ""); err != nil {
		t.Fatal(err)
	}
	for _, grant := range [][3]string{{"shop", "adam", "admin"}, {"shop", "ann", "writer"}, {"bank", "group:keepers", "admin"}, {"bank", "adam", "reader"}} {
		if err := o.Grant(t.Context(), grant[0], grant[1], grant[2]); err != nil {
			t.Fatal(err)
		}
	}
	conn, err := pgx.Connect(t.Context(), database.Serving(url))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(context.Background())
	count := func(rows string) (n int) {
		t.Helper()
		if err := conn.QueryRow(t.Context(), "SELECT count(*) FROM blue."+rows).Scan(&n); err != nil {
			t.Fatal(rows, err)
		}
		return n
	}
	for names, want := range map[string]map[string]int{
		"":                     {"administered": 0, "administered_grants": 0, "administered_tokens": 0, "administered_audit": 0},
		"ann":                  {"administered": 0, "administered_grants": 0, "administered_tokens": 0, "administered_audit": 0},
		"group:adam\n%\nkim":   {"administered": 0, "administered_grants": 0, "administered_tokens": 0, "administered_audit": 0},
		"adam":                 {"administered": 1, "administered_grants": 2, "administered_audit WHERE verb <> 'grant'": 1, "administered_audit WHERE note = 'private'": 0},
		"kim\ngroup:keepers":   {"administered": 1, "administered_grants": 2, "administered_audit WHERE verb <> 'grant'": 0},
		"adam\ngroup:keepers":  {"administered": 2, "administered_grants": 4},
		"adam' OR true --\nx":  {"administered": 0, "administered_grants": 0},
		"adam, group:keepers}": {"administered": 0},
	} {
		if _, err := conn.Exec(t.Context(), "SELECT set_config('blue.names', $1, false)", names); err != nil {
			t.Fatal(err)
		}
		for rows, n := range want {
			if got := count(rows); got != n {
				t.Errorf("%q: %d rows of %s, want %d", names, got, rows, n)
			}
		}
		for _, table := range []string{"project", "note", "grants", "token"} {
			if n := count(table); n != 0 {
				t.Errorf("%q: a server sees %d rows of %s itself", names, n, table)
			}
		}
		if _, err := conn.Exec(t.Context(), "SELECT subject FROM blue.audit"); err == nil {
			t.Errorf("%q: a server reads the subjects of the audit", names)
		}
	}
	if _, ok, err := d.Administer(t.Context(), []string{"ann"}, project, "audit", "x"); ok || err != nil {
		t.Errorf("a writer is told that the page would be there: %v", err)
	}
	a, ok, err := d.Administer(t.Context(), []string{"x", "adam"}, project, "audit", "")
	if err != nil || !ok || a.Project.Name != "shop" || len(a.Audit) == 0 || a.Next != "" {
		t.Errorf("%+v %v %v", a, ok, err)
	}
}
