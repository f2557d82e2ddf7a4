package postgres

import (
	"context"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/jackc/pgx/v5"

	"blue/blue/internal/store"
)

// Audited is one line of the audit.
type Audited struct {
	Number  int64 // of the line in the database, in the order of their insertion
	Project string
	store.Mark
	Subject, Client, Verb, Note, Before, After, Outcome string
}

// auditColumns are the columns that a program writes, after the project.
const auditColumns = "seq, at, entry, subject, client, verb, note, before, after, outcome"

// selectAudit selects the columns of an [Audited].
const selectAudit = "SELECT a.number, coalesce(p.name, a.project), " + auditColumns + `
	FROM blue.audit a LEFT JOIN (SELECT id, name FROM blue.project) p ON p.id = a.project
	WHERE ($1 OR a.project = $2) AND `

// Erased stands for what was erased: the id of a note in the audit, and the author of a text. Neither
// can be called that.
const Erased = "(erased)"

// newMark returns the mark of a new audit line.
func newMark(seq uint64) store.Mark {
	return store.Mark{Seq: seq, At: time.Now().UnixNano(), Entry: rand.Int64()}
}

// change describes a changed note in the audit: its id, and its revisions before and after.
type change struct{ note, before, after string }

// changeOf returns the audit's description of a change. It hides private notes.
func changeOf(name, before, after string) change {
	if isPrivate(name) {
		return change{note: "private"}
	}
	return change{idOf(name), before, after}
}

// queueAudit queues the insertion of an audit line.
func queueAudit(b *pgx.Batch, a Access, at store.Mark, verb string, c change, outcome string) {
	b.Queue("INSERT INTO blue.audit (project, "+auditColumns+") VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		a.Project, at.Seq, at.At, at.Entry, a.Subject, a.Client, verb, c.note, c.before, c.after, outcome)
}

// keeper is the audit's name for operators. No token and no grant can have it.
const keeper = "(operator)"

// queueKept queues the audit line of a change of rights.
func queueKept(b *pgx.Batch, project, verb, what string) {
	queueAudit(b, Access{Project: project, Subject: keeper}, newMark(0), verb, change{note: what}, "done")
}

// Audit returns the audit lines since a time, oldest first, of one project if it is named, and
// records in the audit that they were read.
func (o *Operator) Audit(ctx context.Context, project string, since time.Time) ([]Audited, error) {
	id, err := o.auditOf(ctx, project)
	if err != nil {
		return nil, err
	}
	all, err := read[Audited](ctx, o, selectAudit+"a.at >= $3 ORDER BY a.at, a.entry", id == "", id, since.UnixNano())
	if err == nil {
		err = o.recordRead(ctx, id, "read audit")
	}
	return all, err
}

// ExportAudit returns at most that many audit lines whose number is above after, by number, of one
// project if it is named. No line can get a number below those that were returned. It records itself
// in the audit, unless all that it returns is the lines of other exports: who exports until nothing
// is left comes to an end.
func (o *Operator) ExportAudit(ctx context.Context, project string, after int64, most int) ([]Audited, error) {
	const verb = "export audit"
	id, err := o.auditOf(ctx, project)
	if err != nil {
		return nil, err
	}
	var last int64
	err = transact(ctx, o.conn, func() error {
		// An insert locks the table before it takes a number, and until its transaction ends. SHARE
		// conflicts with that lock: once it is granted, every number so far is committed or will never be.
		b := &pgx.Batch{}
		b.Queue("SELECT set_config('lock_timeout', $1, true)", lockTime.String())
		b.Queue("LOCK TABLE blue.audit IN SHARE MODE")
		b.Queue("SELECT coalesce(max(number), 0) FROM blue.audit").QueryRow(into(&last))
		return send(ctx, o.conn, b)
	})
	if err != nil {
		return nil, explainOperating(o.conn, err)
	}
	all, err := read[Audited](ctx, o, selectAudit+"a.number > $3 AND a.number <= $4 ORDER BY a.number LIMIT $5", id == "", id, after, last, most)
	if err == nil && slices.ContainsFunc(all, func(a Audited) bool { return a.Verb != verb }) {
		err = o.recordRead(ctx, id, verb)
	}
	return all, err
}

// auditOf returns the id of the project whose audit is asked for, or "" for all.
func (o *Operator) auditOf(ctx context.Context, project string) (id string, err error) {
	if project != "" {
		id, err = o.projectID(ctx, project)
	}
	return id, err
}

// recordRead records in the audit that an operator has read what only operators see.
func (o *Operator) recordRead(ctx context.Context, project, verb string) error {
	return o.send(ctx, func(b *pgx.Batch) { queueKept(b, project, verb, "") })
}
