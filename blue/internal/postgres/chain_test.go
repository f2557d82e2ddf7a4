package postgres_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	"blue/blue/internal/postgres"
	"blue/errors"
	"blue/fixtures/database"
)

// faults returns what a check of the audit finds wrong, by project.
func faults(t *testing.T, o *postgres.Operator) (all string) {
	t.Helper()
	chains, _, err := o.VerifyAudit(t.Context(), "", "")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range chains {
		for _, fault := range c.Faults {
			all += c.Project + ": " + fault + "\n"
		}
	}
	return all
}

// The lines of the audit are chained in each project, whoever writes them at the same
// time, with programs of earlier versions too. What the owner of the tables changes or deletes
// there shows, and a server can do neither, nor forge a place in the chain.
func TestAuditChain(t *testing.T) {
	d, o, url, project := open(t)
	other, err := o.AddProject(t.Context(), "bank", "")
	if err != nil {
		t.Fatal(err)
	}
	var group sync.WaitGroup
	for _, project := range []string{project, project, other, other} {
		group.Go(func() {
			for i := range 5 {
				name := "notes/" + string(rune('a'+i)) + ".md"
				if err := change(as(d, project, "ann"), func(h *postgres.Held) error {
					_, err := h.Create(name, []byte("A text: über\n"))
					return err
				}); err != nil && !errors.Is(err, errors.Exists) {
					t.Error(err)
				}
				as(d, project, "ann").RecordRefusal("write\nrefused")
				if err := as(d, project, "ann").RecordPrivate("read"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
	e := startEarlier(t, url)
	e.must("INSERT INTO blue.audit (project, at, entry, seq, subject, client, verb, note, before, after, outcome) VALUES ('p', 1, 2, 3, 'ann', 'c', 'write', 'n', '', 'r', 'done')")
	if err := e.exec("INSERT INTO blue.audit (project, at, entry, seq, subject, client, verb, note, before, after, outcome, link) VALUES ('p', 2, 2, 3, 'ann', 'c', 'write', 'n', '', 'r', 'done', repeat('x', 32)::bytea)"); err != nil {
		t.Fatal(err)
	}
	for _, sql := range []string{"SELECT hash FROM blue.chain", "UPDATE blue.chain SET line = 0", "DELETE FROM blue.chain", "SELECT link FROM blue.audit",
		"UPDATE blue.audit SET subject = ''", "DELETE FROM blue.audit", "INSERT INTO blue.chain VALUES ('q', 1, '')", "ALTER TABLE blue.audit DISABLE TRIGGER chain_line"} {
		if e.exec(sql) == nil {
			t.Errorf("a server may: %s", sql)
		}
	}
	if err := o.Grant(t.Context(), "shop", "ann", "writer"); err != nil {
		t.Fatal(err)
	}
	if found := faults(t, o); found != "" {
		t.Fatal(found)
	}
	chains, _, err := o.VerifyAudit(t.Context(), "shop", "")
	if err != nil || len(chains) != 1 || chains[0].Lines != 26 {
		t.Fatalf("%+v, %v", chains, err)
	}

	// A head that was printed is in the chain later, and none that was not.
	for head, want := range map[string]bool{chains[0].Head: true, strings.Repeat("ab", 16): false} {
		if _, found, err := o.VerifyAudit(t.Context(), "", head); found != want || err != nil {
			t.Errorf("head %s: %v %v", head, found, err)
		}
	}

	script := func(sql string) {
		t.Helper()
		database.In(t, url, "ALTER TABLE blue.audit DISABLE TRIGGER chain_line; "+sql+"; ALTER TABLE blue.audit ENABLE TRIGGER chain_line")
	}
	script("CREATE TABLE public.audit AS SELECT * FROM blue.audit; CREATE TABLE public.chain AS SELECT * FROM blue.chain")
	const line = "length(link) > 0 AND get_byte(link, 7) "
	of := " project = '" + project + "' AND "
	for sql, want := range map[string]string{
		"UPDATE blue.audit SET subject = 'bob' WHERE" + of + line + "= 3":                                                                       "line 3 or",
		"UPDATE blue.audit SET at = at + 1 WHERE" + of + line + "= 4":                                                                           "line 4 or",
		"UPDATE blue.audit SET note = '(erased)', link = link || 'abcdefgh' WHERE" + of + line + "= 5":                                          "line 5 or",
		"UPDATE blue.audit SET link = substr(link, 1, 24) || blue.digest(audit, substr(link, 25)), note = '(erased)' WHERE" + of + line + "= 5": "1 lines were erased, the erasures say 0",
		"DELETE FROM blue.audit WHERE" + of + line + "= 6":                                                                                      "missing between 5 and 7",
		"DELETE FROM blue.audit WHERE" + of + line + "< 6":                                                                                      "the lines before 6 are missing",
		"DELETE FROM blue.audit WHERE" + of + line + "> 20":                                                                                     "the last lines are missing: line 20",
		"DELETE FROM blue.audit WHERE" + of + "true":                                                                                            "the last lines are missing: line 0",
		"DELETE FROM blue.audit WHERE" + of + "true; DELETE FROM blue.chain WHERE" + of + "line < 20":                                           "the last lines are missing: line 0",
		"DELETE FROM blue.chain WHERE" + of + "true":                                                                                            "the chain has lost its head",
		"UPDATE blue.audit SET link = overlay(link placing int8send(13 - get_byte(link, 7)) from 1) WHERE" + of + line + "IN (6, 7)":            "line 6 or",
		"UPDATE blue.audit SET link = '' WHERE" + of + line + "= 9":                                                                             "missing between 8 and 10",
		"INSERT INTO blue.audit (project, at, entry, seq, subject, client, verb, note, before, after, outcome) SELECT project, at + 36000000000000, 1, 0, 's', 'c', 'v', '', '', '', 'done' FROM blue.audit WHERE" + of + line + "= 1": "has no link to the chain",
	} {
		script(sql)
		found := faults(t, o)
		if !strings.Contains(found, want) || strings.Contains(found, "bank") {
			t.Errorf("%s:\n%s", sql, found)
		}
		script("DELETE FROM blue.audit WHERE project <> ''; DELETE FROM blue.chain WHERE project <> ''; INSERT INTO blue.audit SELECT * FROM public.audit WHERE project <> ''; INSERT INTO blue.chain SELECT * FROM public.chain WHERE project <> ''")
	}
	if found := faults(t, o); found != "" {
		t.Fatal(found)
	}
}

// Lines that programs of earlier versions wrote before the migration are told apart and
// fail no check; those that they write after it are chained.
func TestAuditOfAnEarlierVersion(t *testing.T) {
	url := database.New(t)
	if err := postgres.MakeVersion(t.Context(), url, 4); err != nil {
		t.Fatal(err)
	}
	e := startEarlier(t, url)
	tell := func(at int) {
		t.Helper()
		e.must("INSERT INTO blue.audit (project, at, entry, seq, subject, client, verb, note, before, after, outcome) VALUES ('p', $1, 2, 3, 'ann', 'c', 'write', 'n', '', 'r', 'done')", at)
	}
	tell(1)
	tell(2)
	if _, _, err := postgres.Migrate(t.Context(), url, false); err != nil {
		t.Fatal(err)
	}
	tell(3)
	tell(4)
	if _, _, err := postgres.Migrate(t.Context(), url, true); err != nil {
		t.Fatal(err)
	}
	o, err := postgres.Operate(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer o.Close(context.Background())
	chains, _, err := o.VerifyAudit(t.Context(), "", "")
	if err != nil || len(chains) != 1 || chains[0].Lines != 2 || chains[0].Unchained != 2 || len(chains[0].Faults) > 0 {
		t.Errorf("%+v %v", chains, err)
	}
}
