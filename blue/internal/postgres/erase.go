package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"blue/errors"
)

// Erasure describes what was erased.
type Erasure struct {
	IDs   []string // that the note has had
	Texts int64    // of the note, present and former ones
	Notes int64    // present ones and those in the trash
	Lines int64    // of the audit that named it
	Named int64    // texts of other notes that contain one of the ids; they stay
}

// uidOf is an SQL expression for the uid in the front matter of a text r.bytes, or NULL. The
// uid identifies a note under all names that it has had.
const uidOf = `substring(encode(r.bytes, 'escape') from E'(?n)^uid: *"?([0-9A-Za-z]+)')`

// EraseNote erases everything that the database has under the id of a public note, including
// history and trash, and what it has of the same note under other names. Unless sure is set,
// EraseNote changes nothing and only reports.
func (o *Operator) EraseNote(ctx context.Context, project, id string, sure bool) (r Erasure, err error) {
	name := publicDir + id + ".md"
	if checkName(name) != nil {
		return r, errors.BadValue("id", id, "the id of a note")
	}
	projectID, err := o.projectID(ctx, project)
	if err != nil {
		return r, err
	}
	err = transact(ctx, o.conn, func() error {
		if r, err = o.eraseNote(ctx, projectID, name); err == nil && !sure {
			err = errUnsure
		}
		return err
	})
	if errors.Is(err, errUnsure) {
		err = nil
	}
	return r, explain(err)
}

// errUnsure rolls back a transaction that must change nothing.
var errUnsure = errors.New("not sure")

// eraseNote erases a note within a transaction.
func (o *Operator) eraseNote(ctx context.Context, project, name string) (r Erasure, err error) {
	mark := newMark(0)
	err = o.conn.QueryRow(ctx, "UPDATE blue.project SET seq = seq + 1, at = $2, entry = $3, erased = $2 WHERE id = $1 RETURNING seq",
		project, mark.At, mark.Entry).Scan(&mark.Seq)
	if err != nil {
		return r, err
	}
	const ofName = "r.project = $1 AND r.owner = '' AND r.name = $2"
	rows, _ := o.conn.Query(ctx, "SELECT DISTINCT "+uidOf+" FROM blue.revision r WHERE "+ofName+" AND "+uidOf+" IS NOT NULL", project, name)
	uids, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return r, err
	}
	const doomed = "(" + ofName + " OR r.project = $1 AND " + uidOf + " = ANY ($3))"
	rows, _ = o.conn.Query(ctx, "SELECT DISTINCT r.owner, r.name FROM blue.revision r WHERE "+doomed, project, name, uids)
	type named struct{ Owner, Name string }
	all, err := pgx.CollectRows(rows, pgx.RowToStructByPos[named])
	if err != nil {
		return r, err
	}
	if len(all) == 0 {
		return r, errors.NoNote(idOf(name))
	}
	b := &pgx.Batch{}
	b.Queue(`INSERT INTO blue.erased (project, revision, at) SELECT DISTINCT r.project, r.revision, $4::bigint FROM blue.revision r
		WHERE r.owner = '' AND r.revision <> '' AND `+doomed+" ON CONFLICT DO NOTHING", project, name, uids, mark.At)
	b.Queue(`WITH gone AS (DELETE FROM blue.note n USING blue.revision r WHERE n.project = r.project AND n.owner = r.owner
		AND n.name = r.name AND n.revision = r.revision AND `+doomed+" RETURNING 1) SELECT count(*) FROM gone", project, name, uids).QueryRow(into(&r.Notes))
	b.Queue("WITH gone AS (DELETE FROM blue.revision r WHERE "+doomed+` RETURNING revision)
		SELECT count(*) FROM gone WHERE revision <> ''`, project, name, uids).QueryRow(into(&r.Texts))
	for _, n := range all {
		r.IDs = append(r.IDs, idOf(n.Name))
		// Another note may have had the name before or after this one. Only if there is none,
		// the rows without a text are deleted too.
		b.Queue(`DELETE FROM blue.revision r WHERE project = $1 AND owner = $2 AND name = $3 AND NOT EXISTS (
			SELECT 1 FROM blue.revision t WHERE t.project = $1 AND t.owner = $2 AND t.name = $3 AND t.revision <> '')`, project, n.Owner, n.Name)
	}
	b.Queue(`WITH changed AS (UPDATE blue.audit SET note = $2, before = '', after = ''
		WHERE project = $1 AND (subject <> $3 OR verb = 'import') AND note = ANY ($4) RETURNING 1) SELECT count(*) FROM changed`,
		project, Erased, keeper, r.IDs).QueryRow(into(&r.Lines))
	b.Queue(`SELECT count(*) FROM blue.revision r, unnest($2::text[]) id
		WHERE r.project = $1 AND position(id::bytea in r.bytes) > 0`, project, r.IDs).QueryRow(into(&r.Named))
	queueAudit(b, Access{Project: project, Subject: keeper}, mark, "erase", change{note: Erased}, "done")
	err = send(ctx, o.conn, b)
	return r, err
}
