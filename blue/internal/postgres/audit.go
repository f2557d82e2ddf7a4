package postgres

import (
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5"

	"blue/blue/internal/store"
)

// Audited is one line of the audit.
type Audited struct {
	Project string
	store.Mark
	Subject, Client, Verb, Note, Before, After, Outcome string
	Link                                                []byte // to the chain of the project; empty for none
}

// auditColumns are the columns that a program writes, after the project. The database adds the
// line's place in the chain.
const auditColumns = "seq, at, entry, subject, client, verb, note, before, after, outcome"

// selectAudit selects the columns of an [Audited].
const selectAudit = "SELECT coalesce(p.name, a.project), " + auditColumns + `, a.link
	FROM blue.audit a LEFT JOIN (SELECT id, name FROM blue.project) p ON p.id = a.project
	WHERE ($1::text IS NULL OR a.project = $1) AND `

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
