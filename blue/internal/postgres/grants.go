package postgres

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strings"
	"time"

	"blue/errors"
)

// Grant gives a subject a role in a project, in place of the one that it had.
func (o *Operator) Grant(ctx context.Context, project, subject, role string) error {
	id, err := o.projectID(ctx, project)
	if err != nil {
		return err
	}
	var b batch
	b.add(nil, "INSERT INTO blue.grants (project, subject, role) VALUES ($1, $2, $3) ON CONFLICT (project, subject) DO UPDATE SET role = excluded.role", id, subject, role)
	b.addKept(id, "grant", role+" "+subject)
	return explain(o.conn.send(ctx, b))
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
	b.addKept(id, "revoke", subject)
	return explain(o.conn.send(ctx, b))
}

// TokenStart begins every token, so that scanners for secrets know it.
const TokenStart = "blue_"

// newToken makes a token: behind TokenStart stand, in base64, random bytes and their checksum.
func newToken() string {
	secret := make([]byte, tokenBytes, tokenBytes+crc32.Size)
	_, _ = rand.Read(secret) // cannot fail
	return TokenStart + base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32(secret, crc32.ChecksumIEEE(secret)))
}

// IsToken reports whether a text has the form of a token and the right checksum, which most
// texts that were made up or mistyped do not have. It asks no database.
func IsToken(text string) bool {
	rest, ok := strings.CutPrefix(text, TokenStart)
	if !ok || len(rest) != base64.RawURLEncoding.EncodedLen(tokenBytes+crc32.Size) {
		return false
	}
	data, err := base64.RawURLEncoding.DecodeString(rest)
	return err == nil && len(data) == tokenBytes+crc32.Size &&
		crc32.ChecksumIEEE(data[:tokenBytes]) == binary.BigEndian.Uint32(data[tokenBytes:])
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
	token = newToken()
	hash, expires := hashToken(token), int64(0)
	if !t.Expires.IsZero() {
		expires = t.Expires.UnixNano()
	}
	var b batch
	b.add(nil, "INSERT INTO blue.token (hash, subject, project, role, created, expires) VALUES ($1, $2, $3, $4, $5, $6)",
		hash, t.Subject, project, t.Role, time.Now().UnixNano(), expires)
	b.addKept(project, "token add", hash[:tokenShown]+" "+t.Subject)
	return token, hash[:tokenShown], explain(o.conn.send(ctx, b))
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

// RevokeToken ends a token, by the beginning of its hash that lists show.
func (o *Operator) RevokeToken(ctx context.Context, id string) error {
	if len(id) < tokenShown || strings.Trim(id, "0123456789abcdef") != "" {
		return errors.NoSuch("token", id)
	}
	return explain(o.conn.transact(ctx, func() error {
		changed, err := o.conn.exec(ctx, "UPDATE blue.token SET revoked = $1 WHERE substr(hash, 1, $2::int) = $3 AND revoked = 0", time.Now().UnixNano(), len(id), id)
		if err == nil && changed == 0 {
			err = errors.NoSuch("token", id)
		}
		if err != nil {
			return err
		}
		var b batch
		b.addKept("", "token revoke", id)
		return o.conn.send(ctx, b)
	}))
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
