package postgres

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"strings"
	"time"

	"blue/blue/internal/store"
	"blue/errors"
)

const (
	tokenShown = 12                  // digits of the hash of a token, by which people name it
	tokenStart = "blue_"             // of every token, so that scanners for secrets know it
	tokenBytes = 32                  // of chance in a token
	projectAge = 30 * 24 * time.Hour // that a removed project stays
)

// Operator is the connection of a person who keeps a server, as the owner of the tables.
type Operator struct{ conn *conn }

// Operate connects as the owner of the tables, who sees all projects.
func Operate(ctx context.Context, url string) (*Operator, error) {
	c, err := connect(ctx, url)
	if err != nil {
		return nil, err
	}
	if err = checkVersion(ctx, c); err == nil {
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
	Created  time.Time
	Notes    int64 // that are not private
	Bytes    int64 // of them
	Removed  time.Time
}

// AddProject makes a project.
func (o *Operator) AddProject(ctx context.Context, name string) (id string, err error) {
	id = rand.Text()
	changed, err := o.conn.exec(ctx, "INSERT INTO blue.project (id, name, created) VALUES ($1, $2, $3) ON CONFLICT (name) WHERE removed = 0 DO NOTHING", id, name, time.Now().UnixNano())
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
		if err := o.conn.query(ctx, func(r row) error { return r.scan(&seq) }, "UPDATE blue.project SET seq = seq + 1 WHERE id = $1 RETURNING seq", id); err != nil {
			return err
		}
		for name, data := range files {
			if err := checkWrite(name, data); err != nil {
				return err
			}
			revision, at, owner := store.Revision(data), time.Now().UnixNano(), ""
			if isPrivate(name) {
				owner = subject
			}
			changed, err := o.conn.exec(ctx, "INSERT INTO blue.note (project, owner, name, bytes, revision, seq, at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING", id, owner, name, data, revision, seq, at)
			if err != nil {
				return err
			}
			if changed == 0 {
				continue
			}
			filled++
			if _, err := o.conn.exec(ctx, "INSERT INTO blue.revision (project, owner, name, seq, revision, bytes, subject, client, at, verb) VALUES ($1, $2, $3, $4, $5, $6, $7, '', $8, 'import')",
				id, owner, name, seq, revision, data, subject, at); err != nil {
				return err
			}
		}
		return nil
	})
	return filled, explain(err)
}

// Projects lists the projects by name, those in the trash last.
func (o *Operator) Projects(ctx context.Context) (all []Project, err error) {
	err = o.conn.query(ctx, func(r row) error {
		var p Project
		var created, removed int64
		err := r.scan(&p.ID, &p.Name, &created, &removed, &p.Notes, &p.Bytes)
		p.Created, p.Removed = timeOf(created), timeOf(removed)
		all = append(all, p)
		return err
	}, `SELECT p.id, p.name, p.created, p.removed, count(n.name), coalesce(sum(length(n.bytes)), 0)::bigint FROM blue.project p
		LEFT JOIN blue.note n ON n.project = p.id AND n.owner = '' AND n.removed = 0
		GROUP BY p.id, p.name, p.created, p.removed ORDER BY p.removed > 0, p.name, p.removed`)
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

// Grant gives a subject a role in a project, in place of the one that it had.
func (o *Operator) Grant(ctx context.Context, project, subject, role string) error {
	id, err := o.projectID(ctx, project)
	if err != nil {
		return err
	}
	_, err = o.conn.exec(ctx, "INSERT INTO blue.grants (project, subject, role) VALUES ($1, $2, $3) ON CONFLICT (project, subject) DO UPDATE SET role = excluded.role", id, subject, role)
	return explain(err)
}

// Revoke takes the role of a subject in a project away, and with purge the private notes
// that it has there, for good.
func (o *Operator) Revoke(ctx context.Context, project, subject string, purge bool) error {
	id, err := o.projectID(ctx, project)
	if err != nil {
		return err
	}
	var b batch
	b.add(nil, "DELETE FROM blue.grants WHERE project = $1 AND subject = $2", id, subject)
	if purge {
		b.add(nil, "DELETE FROM blue.note WHERE project = $1 AND owner = $2", id, subject)
		b.add(nil, "DELETE FROM blue.revision WHERE project = $1 AND owner = $2", id, subject)
	}
	return explain(o.conn.send(ctx, b))
}

// Token is what is known of a token, which is kept as its hash alone.
type Token struct {
	ID, Subject, Project, Role string
	Created, Expires, Revoked  time.Time
}

// AddToken makes a token for a subject: of one project with a role there, or without a
// project for all that the subject was granted. Nobody can read the token again.
func (o *Operator) AddToken(ctx context.Context, t Token) (token, id string, err error) {
	project := ""
	if t.Project != "" {
		if project, err = o.projectID(ctx, t.Project); err != nil {
			return "", "", err
		}
	}
	secret := make([]byte, tokenBytes)
	_, _ = rand.Read(secret) // cannot fail
	token = tokenStart + base64.RawURLEncoding.EncodeToString(secret)
	hash, expires := hashToken(token), int64(0)
	if !t.Expires.IsZero() {
		expires = t.Expires.UnixNano()
	}
	_, err = o.conn.exec(ctx, "INSERT INTO blue.token (hash, subject, project, role, created, expires) VALUES ($1, $2, $3, $4, $5, $6)",
		hash, t.Subject, project, t.Role, time.Now().UnixNano(), expires)
	return token, hash[:tokenShown], explain(err)
}

// Tokens lists the tokens, the newest first.
func (o *Operator) Tokens(ctx context.Context) (all []Token, err error) {
	err = o.conn.query(ctx, func(r row) error {
		var t Token
		var created, expires, revoked int64
		err := r.scan(&t.ID, &t.Subject, &t.Project, &t.Role, &created, &expires, &revoked)
		t.Created, t.Expires, t.Revoked = timeOf(created), timeOf(expires), timeOf(revoked)
		all = append(all, t)
		return err
	}, "SELECT substr(t.hash, 1, $1::int), t.subject, coalesce(p.name, t.project), t.role, t.created, t.expires, t.revoked FROM blue.token t LEFT JOIN blue.project p ON p.id = t.project ORDER BY t.created DESC", tokenShown)
	return all, explain(err)
}

// timeOf is the moment of a column, zero for none.
func timeOf(nanoseconds int64) time.Time {
	if nanoseconds == 0 {
		return time.Time{}
	}
	return time.Unix(0, nanoseconds)
}

// RevokeToken ends a token, by the beginning of its hash that lists show.
func (o *Operator) RevokeToken(ctx context.Context, id string) error {
	if len(id) < tokenShown || strings.Trim(id, "0123456789abcdef") != "" {
		return errors.NoSuch("token", id)
	}
	changed, err := o.conn.exec(ctx, "UPDATE blue.token SET revoked = $1 WHERE substr(hash, 1, $2::int) = $3 AND revoked = 0", time.Now().UnixNano(), len(id), id)
	if err == nil && changed == 0 {
		return errors.NoSuch("token", id)
	}
	return explain(err)
}

// Audited is one line of the audit.
type Audited struct {
	Project, Subject, Client, Verb, Note, Before, After, Outcome string

	Time time.Time
	Seq  int64
}

// Audit lists what was changed, or refused, since a moment, the oldest first; of one project
// when it is named.
func (o *Operator) Audit(ctx context.Context, project string, since time.Time) (all []Audited, err error) {
	where, args := "", []any{since.UnixNano()}
	if project != "" {
		id, err := o.projectID(ctx, project)
		if err != nil {
			return nil, err
		}
		where, args = " AND a.project = $2", append(args, id)
	}
	err = o.conn.query(ctx, func(r row) error {
		var a Audited
		var at int64
		err := r.scan(&a.Project, &at, &a.Seq, &a.Subject, &a.Client, &a.Verb, &a.Note, &a.Before, &a.After, &a.Outcome)
		a.Time = timeOf(at)
		all = append(all, a)
		return err
	}, fmt.Sprintf(`SELECT coalesce(p.name, a.project), a.at, a.seq, a.subject, a.client, a.verb, a.note, a.before, a.after, a.outcome
		FROM blue.audit a LEFT JOIN blue.project p ON p.id = a.project WHERE a.at >= $1%s ORDER BY a.at, a.entry`, where), args...)
	return all, explain(err)
}
