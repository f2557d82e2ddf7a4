package postgres

import (
	"math/rand/v2"
	"time"
)

// line is where a line stands in the audit of its project.
type line struct{ at, entry int64 }

func newLine() line { return line{time.Now().UnixNano(), rand.Int64()} }

// audited is one line of the audit.
type audited struct {
	line
	project string
	seq     int64

	subject, client, verb, note, before, after, outcome string
}

// addAudit adds a line of the audit.
func (b *batch) addAudit(a audited) {
	b.add(nil, "INSERT INTO blue.audit (project, at, entry, seq, subject, client, verb, note, before, after, outcome) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)",
		a.project, a.at, a.entry, a.seq, a.subject, a.client, a.verb, a.note, a.before, a.after, a.outcome)
}

// shownInAudit is what the audit says of a note: a private one is not named there.
func shownInAudit(name, before, after string) (id, from, to string) {
	if isPrivate(name) {
		return "private", "", ""
	}
	return idOf(name), before, after
}

// keeper stands in the audit for the people who run a server. No token and no grant can
// have it.
const keeper = "(operator)"

// addKept adds the line of the audit for a change of who may do what.
func (b *batch) addKept(project, verb, what string) {
	b.addAudit(audited{line: newLine(), project: project, subject: keeper, verb: verb, note: what, outcome: "done"})
}
