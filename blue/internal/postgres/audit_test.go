package postgres_test

import (
	"context"
	"testing"
	"time"

	"blue/fixtures"

	"github.com/jackc/pgx/v5"

	"blue/fixtures/database"
)

// An export that goes on behind its last line has every line once, also those of a replica whose
// clock is slow, and those of a transaction that was open during the export before.
func TestExportHasEveryLine(t *testing.T) {
	d, o, url, project := open(t)
	verbs := map[string]int{}
	last := int64(0)
	export := func() {
		t.Helper()
		all, err := o.ExportAudit(t.Context(), "shop", last, 100)
		must(t, err)
		for _, line := range all {
			if line.Number <= last {
				t.Errorf("line %d comes after line %d", line.Number, last)
			}
			last = line.Number
			verbs[line.Verb]++
		}
	}
	insert := "INSERT INTO blue.audit (project, at, entry, seq, subject, client, verb, note, before, after, outcome) VALUES ('" + project + "', "
	refuse := func(verb string) {
		as(d, project, "ann").RecordRefusal(verb)
	}
	refuse("first")
	export()
	database.In(t, url, "SET blue.operator = 'on'; "+insert+"1, 1, 0, 'ann', '', 'by a slow clock', '', '', '', 'refused')")
	export()

	open, err := pgx.Connect(t.Context(), database.Serving(url))
	must(t, err)
	defer open.Close(context.Background())
	if _, err := open.Exec(t.Context(), "SET blue.project = '"+project+"'; SET blue.subject = 'ann'; BEGIN; "+insert+"2, 2, 0, 'ann', '', 'in an open transaction', '', '', '', 'refused')"); err != nil {
		t.Fatal(err)
	}
	refuse("meanwhile")
	committed := make(chan error)
	time.AfterFunc(50*time.Millisecond, func() {
		_, err := open.Exec(context.Background(), "COMMIT")
		committed <- err
	})
	export()
	must(t, <-committed)
	export()
	for _, verb := range []string{"first", "by a slow clock", "in an open transaction", "meanwhile"} {
		if verbs[verb] != 1 {
			t.Errorf("%s: %d times", verb, verbs[verb])
		}
	}
	if all, err := o.ExportAudit(t.Context(), "", 0, 1); err != nil || len(all) != 1 {
		t.Errorf("%d lines, %v", len(all), err)
	}
}

var must = fixtures.Must
