package postgres

import (
	"context"
	"crypto/rand"
	"maps"
	"slices"
	"time"

	"blue/blue/internal/store"
	"blue/errors"
)

// Operator is the connection of a person who keeps a server, as the owner of the tables.
type Operator struct{ conn *conn }

// Operate connects as the owner of the tables, who sees all projects.
func Operate(ctx context.Context, url string) (*Operator, error) {
	c, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if err = checkUse(ctx, c); err == nil {
		err = c.script(ctx, "SET blue.operator = 'on'")
	}
	if err != nil {
		c.Close(ctx)
		return nil, explain(err)
	}
	return &Operator{c}, nil
}

// Close ends the connection.
func (o *Operator) Close(ctx context.Context) { _ = o.conn.Close(ctx) }

// Project is what an operator is told of a project.
type Project struct {
	ID, Name string
	Checkout string // the id that its checkouts carry
	Created  time.Time
	Notes    int64 // that are not private
	Bytes    int64 // of them
	Removed  time.Time
}

// AddProject makes a project; its checkouts carry an id of their own, which may be unknown.
func (o *Operator) AddProject(ctx context.Context, name, checkout string) (id string, err error) {
	id = rand.Text()
	changed, err := o.conn.exec(ctx, "INSERT INTO blue.project (id, name, created, checkout) VALUES ($1, $2, $3, $4) ON CONFLICT (name) WHERE removed = 0 DO NOTHING", id, name, time.Now().UnixNano(), checkout)
	if err == nil && changed == 0 {
		err = errors.NameTaken(name)
	}
	return id, explain(err)
}

// FillProject puts notes that lay elsewhere into a project, each as its first revision.
// Names that are there already are left as they are.
func (o *Operator) FillProject(ctx context.Context, id, subject string, files map[string][]byte) (filled int, err error) {
	err = o.conn.transact(ctx, func() error {
		var seq int64
		first := newLine()
		if err := o.conn.query(ctx, func(r row) error { return r.scan(&seq) },
			"UPDATE blue.project SET seq = seq + 1, at = $2, entry = $3 WHERE id = $1 RETURNING seq", id, first.at, first.entry); err != nil {
			return err
		}
		for names := range slices.Chunk(slices.Sorted(maps.Keys(files)), filledAtOnce) {
			var b batch
			for _, name := range names {
				if err := checkWrite(name, files[name]); err != nil {
					return err
				}
				queueFirst(&b, id, subject, name, files[name], seq)
			}
			if err := o.conn.send(ctx, b); err != nil {
				return err
			}
			var lines batch
			for i, s := range b {
				if s.changed > 0 {
					at := newLine()
					if filled++; filled == 1 {
						at = first
					}
					note, before, after := shownInAudit(names[i], "", store.Revision(files[names[i]]))
					lines.addAudit(audited{at, id, seq, keeper, "", "import", note, before, after, "done"})
				}
			}
			if err := o.conn.send(ctx, lines); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		err = o.conn.script(ctx, "ANALYZE blue.note; ANALYZE blue.revision") // so that the engine knows at once how many there are
	}
	return filled, explain(err)
}

// filledAtOnce is how many notes are brought in by one round trip.
const filledAtOnce = 50

// queueFirst adds the first revision of a note, unless the note is there.
func queueFirst(b *batch, project, subject, name string, data []byte, seq int64) {
	owner := ""
	if isPrivate(name) {
		owner = subject
	}
	b.add(nil, `WITH made AS (INSERT INTO blue.note (project, owner, name, bytes, revision, seq, at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING name)
		INSERT INTO blue.revision (project, owner, name, seq, revision, bytes, subject, client, at, verb)
			SELECT $1, $2, $3, $6, $5, $4, $8, '', $7, 'import' FROM made`,
		project, owner, name, data, store.Revision(data), seq, time.Now().UnixNano(), subject)
}

// Projects lists the projects by name, those in the trash last.
func (o *Operator) Projects(ctx context.Context) (all []Project, err error) {
	err = o.conn.query(ctx, func(r row) error {
		var p Project
		var created, removed int64
		err := r.scan(&p.ID, &p.Name, &p.Checkout, &created, &removed, &p.Notes, &p.Bytes)
		p.Created, p.Removed = timeOf(created), timeOf(removed)
		all = append(all, p)
		return err
	}, `SELECT p.id, p.name, p.checkout, p.created, p.removed, count(n.name), coalesce(sum(length(n.bytes)), 0)::bigint FROM blue.project p
		LEFT JOIN blue.note n ON n.project = p.id AND n.owner = '' AND n.removed = 0
		GROUP BY p.id, p.name, p.checkout, p.created, p.removed ORDER BY p.removed > 0, p.name, p.removed`)
	return all, explain(err)
}

// RenameProject gives a project another name; its id stays.
func (o *Operator) RenameProject(ctx context.Context, name, other string) error {
	id, err := o.projectID(ctx, name)
	if err != nil {
		return err
	}
	if _, err := o.projectID(ctx, other); err == nil {
		return errors.NameTaken(other)
	}
	_, err = o.conn.exec(ctx, "UPDATE blue.project SET name = $1 WHERE id = $2", other, id)
	return explain(err)
}

// LinkProject says which id the checkouts of a project carry, empty for none.
func (o *Operator) LinkProject(ctx context.Context, name, checkout string) error {
	id, err := o.projectID(ctx, name)
	if err != nil {
		return err
	}
	_, err = o.conn.exec(ctx, "UPDATE blue.project SET checkout = $1 WHERE id = $2", checkout, id)
	return explain(err)
}

const (
	tokenShown = 12                  // digits of the hash of a token, by which people name it
	tokenBytes = 32                  // of chance in a token
	projectAge = 30 * 24 * time.Hour // that a removed project stays
)

// RemoveProject takes a project out of service. It stays 30 days; those that were removed
// before go for good, with all that belongs to them.
func (o *Operator) RemoveProject(ctx context.Context, name string) error {
	id, err := o.projectID(ctx, name)
	if err != nil {
		return err
	}
	now := time.Now()
	var b batch
	b.add(nil, "UPDATE blue.project SET removed = $1 WHERE id = $2", now.UnixNano(), id)
	const gone = "(SELECT id FROM blue.project WHERE removed > 0 AND removed < $1)"
	for _, table := range []string{"note", "revision", "grants", "audit", "token"} {
		b.add(nil, "DELETE FROM blue."+table+" WHERE project IN "+gone, now.Add(-projectAge).UnixNano())
	}
	b.add(nil, "DELETE FROM blue.project WHERE removed > 0 AND removed < $1", now.Add(-projectAge).UnixNano())
	return explain(o.conn.send(ctx, b))
}

// RestoreProject brings back the project that was removed last under a name.
func (o *Operator) RestoreProject(ctx context.Context, name string) error {
	if _, err := o.projectID(ctx, name); err == nil {
		return errors.NameTaken(name)
	}
	changed, err := o.conn.exec(ctx, "UPDATE blue.project SET removed = 0 WHERE id = (SELECT id FROM blue.project WHERE name = $1 ORDER BY removed DESC LIMIT 1)", name)
	if err == nil && changed == 0 {
		return errors.NoSuch("project", name)
	}
	return explain(err)
}

// projectID finds a project by its name.
func (o *Operator) projectID(ctx context.Context, name string) (id string, err error) {
	err = o.conn.query(ctx, func(r row) error { return r.scan(&id) }, "SELECT id FROM blue.project WHERE name = $1 AND removed = 0", name)
	if err == nil && id == "" {
		return "", errors.NoSuch("project", name)
	}
	return id, explain(err)
}

// timeOf is the moment of a column, zero for none.
func timeOf(nanoseconds int64) time.Time {
	if nanoseconds == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanoseconds)
}
