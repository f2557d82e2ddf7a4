package postgres

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"blue/blue/internal/store"
)

// Operator is a connection of the owner of the tables, for the commands that administer a
// server.
type Operator struct{ conn *pgx.Conn }

// Operate connects as the owner of the tables, who sees all projects.
func Operate(ctx context.Context, url string) (*Operator, error) {
	c, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if err = checkVersion(ctx, c); err == nil {
		err = checkOperating(ctx, c)
	}
	if err != nil {
		_ = c.Close(ctx)
		return nil, err
	}
	return &Operator{c}, nil
}

// Close closes the connection.
func (o *Operator) Close(ctx context.Context) { _ = o.conn.Close(ctx) }

// send sends the statements that queue adds to a batch as one transaction, which the engine begins
// and commits by itself.
func (o *Operator) send(ctx context.Context, queue func(b *pgx.Batch)) error {
	b := &pgx.Batch{}
	b.Queue(setOperating)
	queue(b)
	return explainOperating(o.conn, send(ctx, o.conn, b))
}

// sendFor is send for a project, by its name. queue gets the id of the project.
func (o *Operator) sendFor(ctx context.Context, project string, queue func(b *pgx.Batch, id string)) error {
	id, err := o.projectID(ctx, project)
	if err != nil {
		return err
	}
	return o.send(ctx, func(b *pgx.Batch) { queue(b, id) })
}

// exec runs one statement and returns the number of rows that it has changed.
func (o *Operator) exec(ctx context.Context, sql string, args ...any) (changed int64, err error) {
	err = o.send(ctx, func(b *pgx.Batch) {
		b.Queue(sql, args...).Exec(func(tag pgconn.CommandTag) error {
			changed = tag.RowsAffected()
			return nil
		})
	})
	return changed, err
}

// read returns the rows of one statement, scanned into structs by position.
func read[T any](ctx context.Context, o *Operator, sql string, args ...any) (all []T, err error) {
	err = o.send(ctx, func(b *pgx.Batch) { b.Queue(sql, args...).Query(collect(&all, pgx.RowToStructByPos[T])) })
	return all, err
}

// Project is a project as operators see it.
type Project struct {
	ID, Name string
	Checkout string // the id of its checkouts
	Created  time.Time
	Removed  time.Time
	Notes    int64 // without private ones
	Bytes    int64 // of these notes
}

// AddProject creates a project. checkout is the id of its checkouts, or "" if unknown.
func (o *Operator) AddProject(ctx context.Context, name, checkout string) (id string, err error) {
	id = rand.Text()
	changed, err := o.exec(ctx, `INSERT INTO blue.project (id, name, created, checkout) VALUES ($1, $2, $3, $4)
		ON CONFLICT (name) WHERE removed = 0 DO NOTHING`, id, name, time.Now().UnixNano(), checkout)
	if err == nil && changed == 0 {
		err = nameTaken(name)
	}
	return id, err
}

// FillProject adds notes to a project, each as its first revision, and returns their number.
// It skips notes that exist.
func (o *Operator) FillProject(ctx context.Context, id, subject string, files map[string][]byte) (filled int, err error) {
	err = transact(ctx, o.conn, func() error {
		mark := newMark(0) // of the project, and of the first audit line
		err := o.conn.QueryRow(ctx, "UPDATE blue.project SET seq = seq + 1, at = $2, entry = $3 WHERE id = $1 RETURNING seq",
			id, mark.At, mark.Entry).Scan(&mark.Seq)
		if err != nil {
			return err
		}
		for names := range slices.Chunk(slices.Sorted(maps.Keys(files)), filledAtOnce) {
			notes, lines := &pgx.Batch{}, &pgx.Batch{}
			for _, name := range names {
				if err := checkWrite(name, files[name]); err != nil {
					return err
				}
				queueFirst(notes, id, subject, name, files[name], mark.Seq).Exec(func(tag pgconn.CommandTag) error {
					if tag.RowsAffected() > 0 {
						filled++
						queueAudit(lines, Access{Project: id, Subject: keeper}, mark, "import", changeOf(name, "", store.Revision(files[name])), "done")
						mark = newMark(mark.Seq)
					}
					return nil
				})
			}
			if err := send(ctx, o.conn, notes); err != nil {
				return err
			}
			if err := send(ctx, o.conn, lines); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		_, err = o.conn.Exec(ctx, "ANALYZE blue.note; ANALYZE blue.revision") // the planner needs the new counts
	}
	return filled, explainOperating(o.conn, err)
}

// filledAtOnce is the number of notes that are added in one round trip.
const filledAtOnce = 50

// queueFirst queues the insertion of a note with its first revision, unless the note exists.
func queueFirst(b *pgx.Batch, project, subject, name string, data []byte, seq uint64) *pgx.QueuedQuery {
	owner := ""
	if isPrivate(name) {
		owner = subject
	}
	return b.Queue(`WITH made AS (INSERT INTO blue.note (project, owner, name, revision, seq, at)
			VALUES ($1, $2, $3, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING name)
		INSERT INTO blue.revision (project, owner, name, seq, revision, bytes, subject, client, at, verb)
			SELECT $1, $2, $3, $6, $5, $4, $8, '', $7, 'import' FROM made`,
		project, owner, name, notNull(data), store.Revision(data), seq, time.Now().UnixNano(), subject)
}

// Projects returns the projects whose names come after another one, sorted by name, including
// removed projects. It returns those of at most that many names.
func (o *Operator) Projects(ctx context.Context, after string, most int) ([]Project, error) {
	return read[Project](ctx, o, `SELECT p.id, p.name, p.checkout, p.created, p.removed, count(n.name), coalesce(sum(length(t.bytes)), 0)::bigint
		FROM blue.project p LEFT JOIN blue.note n ON n.project = p.id AND n.owner = '' AND n.removed = 0 LEFT JOIN`+itsText+`
		WHERE p.name IN (SELECT DISTINCT name FROM blue.project WHERE name > $1 ORDER BY name LIMIT $2)
		GROUP BY p.id, p.name, p.checkout, p.created, p.removed ORDER BY p.name, p.removed`, after, most)
}

// RenameProject changes the name of a project. Its id stays the same.
func (o *Operator) RenameProject(ctx context.Context, name, other string) error {
	id, err := o.projectID(ctx, name)
	if err != nil {
		return err
	}
	if _, err := o.projectID(ctx, other); err == nil {
		return nameTaken(other)
	}
	_, err = o.exec(ctx, "UPDATE blue.project SET name = $1 WHERE id = $2", other, id)
	return err
}

// LinkProject sets the id of the checkouts of a project; it may be empty.
func (o *Operator) LinkProject(ctx context.Context, name, checkout string) error {
	return o.sendFor(ctx, name, func(b *pgx.Batch, id string) {
		b.Queue("UPDATE blue.project SET checkout = $1 WHERE id = $2", checkout, id)
	})
}

// SetQuota bounds the total size of the texts of a project, including former ones and those in
// the trash; 0 means no bound. The database enforces it.
func (o *Operator) SetQuota(ctx context.Context, name string, most int64) error {
	return o.sendFor(ctx, name, func(b *pgx.Batch, id string) {
		b.Queue("UPDATE blue.project SET quota = $1 WHERE id = $2", most, id)
		queueKept(b, id, "quota", strconv.FormatInt(most, 10))
	})
}

const (
	tokenShown = 12                  // digits of the hash of a token, by which people name it
	tokenBytes = 32                  // random bytes in a token
	projectAge = 30 * 24 * time.Hour // after which a removed project may be deleted
)

// now is the time of the database in nanoseconds: the clocks of those who operate it may be wrong.
const now = "(extract(epoch FROM now()) * 1000000000)::bigint"

// RemoveProject removes a project, which can be restored for 30 days. It deletes projects that
// were removed earlier than that, with all their rows.
func (o *Operator) RemoveProject(ctx context.Context, name string) error {
	return o.sendFor(ctx, name, func(b *pgx.Batch, id string) {
		b.Queue("UPDATE blue.project SET removed = "+now+" WHERE id = $1", id)
		const gone = "removed > 0 AND removed < " + now + " - $1"
		for _, table := range []string{"note", "revision", "grants", "audit", "token", "erased"} {
			b.Queue("DELETE FROM blue."+table+" WHERE project IN (SELECT id FROM blue.project WHERE "+gone+")", projectAge)
		}
		b.Queue("DELETE FROM blue.project WHERE "+gone, projectAge)
	})
}

// RestoreProject restores the project that was removed last under a name.
func (o *Operator) RestoreProject(ctx context.Context, name string) error {
	if _, err := o.projectID(ctx, name); err == nil {
		return nameTaken(name)
	}
	changed, err := o.exec(ctx, `UPDATE blue.project SET removed = 0
		WHERE id = (SELECT id FROM blue.project WHERE name = $1 ORDER BY removed DESC LIMIT 1)`, name)
	if err == nil && changed == 0 {
		err = noSuch("project", name)
	}
	return err
}

// projectID returns the id of the project with a name.
func (o *Operator) projectID(ctx context.Context, name string) (id string, err error) {
	found, err := read[struct{ ID string }](ctx, o, "SELECT id FROM blue.project WHERE name = $1 AND removed = 0", name)
	if err == nil && len(found) == 0 {
		err = noSuch("project", name)
	}
	if err != nil {
		return "", err
	}
	return found[0].ID, nil
}
