package postgres

import (
	"context"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"blue/errors"
)

// Administered is a page of one list of a project, as its administrators see it.
type Administered struct {
	Project Administrable
	List    string // grants, tokens or audit
	Grants  []Granted
	Tokens  []Token
	Audit   []AuditLine
	Next    string // names the next page; "" for the last one
}

// Administrable is a project that a person administers.
type Administrable struct {
	ID, Name, Checkout string
	Created            time.Time
}

// Granted is the role of a subject.
type Granted struct{ Subject, Role string }

// AuditLine is a line of the audit without its number, which would count private notes.
type AuditLine struct {
	At                                                  time.Time
	Entry                                               int64
	Subject, Client, Verb, Note, Before, After, Outcome string
}

// administeredRows is the number of rows on a page.
const administeredRows = 100

// Administer returns a page of a list of a project, and records that in the audit. names are
// those by which a person has grants: its groups, and last the subject. The views of the
// database show only what one of them administers, so ok is false for any other project. after
// is empty, or the Next of a page.
func (d *Database) Administer(
	ctx context.Context, names []string, project, list, after string,
) (a Administered, ok bool, err error) {
	var at, entry int64 // of the last audit line on the previous page, or the number of rows before this page
	parsed, _ := fmt.Sscanf(after, "%d.%d", &at, &entry)
	var found []Administrable
	err = d.administer(ctx, "BEGIN", names, func(b *pgx.Batch) {
		b.Queue("SELECT id, name, checkout, created FROM blue.administered WHERE id = $1", project).
			Query(collect(&found, pgx.RowToStructByPos[Administrable]))
		switch list {
		case "audit":
			if after == "" {
				at = math.MaxInt64
			}
			b.Queue(`SELECT at, entry, subject, client, verb, note, before, after, outcome FROM blue.administered_audit
				WHERE project = $1 AND (at, entry) < ($2, $3) ORDER BY at DESC, entry DESC LIMIT $4`,
				project, at, entry, administeredRows+1).Query(collect(&a.Audit, pgx.RowToStructByPos[AuditLine]))
		case "tokens":
			b.Queue(`SELECT token, subject, '', role, created, expires, revoked FROM blue.administered_tokens
				WHERE project = $1 ORDER BY created DESC, token OFFSET $2 LIMIT $3`,
				project, max(at, 0), administeredRows+1).Query(collect(&a.Tokens, pgx.RowToStructByPos[Token]))
		default:
			list = "grants"
			b.Queue(`SELECT subject, role FROM blue.administered_grants
				WHERE project = $1 ORDER BY subject OFFSET $2 LIMIT $3`,
				project, max(at, 0), administeredRows+1).Query(collect(&a.Grants, pgx.RowToStructByPos[Granted]))
		}
		mark, person := newMark(0), names[len(names)-1]
		b.Queue(setScope, project, person)
		b.Queue("INSERT INTO blue.audit (project, "+auditColumns+`) SELECT id, 0, $2::bigint, $3::bigint, $4::text, 'blue page', $5::text, '', '', '', 'done'
			FROM blue.administered WHERE id = $1`, project, mark.At, mark.Entry, person, "read "+list)
	})
	if err != nil || len(found) == 0 {
		return a, false, err
	}
	if after != "" && (parsed < 2 || at < 0) {
		return a, false, errors.BadValue("after", after, "the link to the next page")
	}
	a.Project, a.List = found[0], list
	if len(a.Grants) > administeredRows || len(a.Tokens) > administeredRows {
		a.Next = fmt.Sprintf("%d.0", at+administeredRows)
	}
	a.Grants, a.Tokens = firstRows(a.Grants), firstRows(a.Tokens)
	if len(a.Audit) > administeredRows {
		a.Audit = firstRows(a.Audit)
		last := a.Audit[len(a.Audit)-1]
		a.Next = fmt.Sprintf("%d.%d", last.At.UnixNano(), last.Entry)
	}
	return a, true, nil
}

// firstRows returns the rows of one page.
func firstRows[T any](rows []T) []T { return rows[:min(len(rows), administeredRows)] }

// Administers returns those of the named projects that a person administers.
func (d *Database) Administers(ctx context.Context, names, projects []string) (administered []string, err error) {
	err = d.administer(ctx, "BEGIN READ ONLY", names, func(b *pgx.Batch) {
		b.Queue("SELECT name FROM blue.administered WHERE name = ANY ($1)", projects).
			Query(collect(&administered, pgx.RowTo[string]))
	})
	return administered, err
}

// administer runs statements in a transaction that sees what the names administer.
func (d *Database) administer(ctx context.Context, begin string, names []string, queue func(b *pgx.Batch)) error {
	return d.send(ctx, func(b *pgx.Batch) {
		b.Queue(begin)
		b.Queue("SELECT set_config('blue.names', $1, true)", strings.Join(names, "\n"))
		queue(b)
		b.Queue("COMMIT")
	})
}
