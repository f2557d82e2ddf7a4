package postgres

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"hash/crc32"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
)

// Grant gives a subject a role in a project, which replaces a former role.
func (o *Operator) Grant(ctx context.Context, project, subject, role string) error {
	return o.sendFor(ctx, project, func(b *pgx.Batch, id string) {
		b.Queue(`INSERT INTO blue.grants (project, subject, role) VALUES ($1, $2, $3)
			ON CONFLICT (project, subject) DO UPDATE SET role = excluded.role`, id, subject, role)
		queueKept(b, id, "grant", role+" "+subject)
	})
}

// Revoke removes the role of a subject in a project. If purge is set it also deletes the
// subject's private notes there.
func (o *Operator) Revoke(ctx context.Context, project, subject string, purge bool) error {
	return o.sendFor(ctx, project, func(b *pgx.Batch, id string) {
		b.Queue("DELETE FROM blue.grants WHERE project = $1 AND subject = $2", id, subject)
		if purge {
			b.Queue("DELETE FROM blue.note WHERE project = $1 AND owner = $2", id, subject)
			b.Queue("DELETE FROM blue.revision WHERE project = $1 AND owner = $2", id, subject)
			b.Queue("UPDATE blue.project SET erased = $2 WHERE id = $1", id, time.Now().UnixNano()) // indexes have them
		}
		queueKept(b, id, "revoke", subject)
	})
}

// TokenStart begins every token, so that scanners for secrets recognize it.
const TokenStart = "blue_"

// newToken returns a new token: TokenStart and, in base64, random bytes with their checksum.
func newToken() string {
	secret := make([]byte, tokenBytes, tokenBytes+crc32.Size)
	_, _ = rand.Read(secret) // never fails
	return TokenStart + base64.RawURLEncoding.EncodeToString(binary.BigEndian.AppendUint32(secret, crc32.ChecksumIEEE(secret)))
}

// hashToken returns the hash that is stored of a token.
func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// IsToken reports whether a text has the form of a token and a valid checksum. It does not ask
// the database.
func IsToken(text string) bool {
	rest, ok := strings.CutPrefix(text, TokenStart)
	if !ok || len(rest) != base64.RawURLEncoding.EncodedLen(tokenBytes+crc32.Size) {
		return false
	}
	data, err := base64.RawURLEncoding.DecodeString(rest)
	return err == nil && len(data) == tokenBytes+crc32.Size &&
		crc32.ChecksumIEEE(data[:tokenBytes]) == binary.BigEndian.Uint32(data[tokenBytes:])
}

// Token describes a token, of which only a hash is stored.
type Token struct {
	ID, Subject, Project, Role string
	Created, Expires, Revoked  time.Time
}

// AddToken creates a token for a subject and returns it with its id. It is valid for one
// project with a role there, or, without a project, for all that was granted to the subject.
func (o *Operator) AddToken(ctx context.Context, t Token) (token, id string, err error) {
	project, expires := "", int64(0)
	if t.Project != "" {
		if project, err = o.projectID(ctx, t.Project); err != nil {
			return "", "", err
		}
	}
	if !t.Expires.IsZero() {
		expires = t.Expires.UnixNano()
	}
	token = newToken()
	hash := hashToken(token)
	id = hash[:tokenShown]
	return token, id, o.send(ctx, func(b *pgx.Batch) {
		b.Queue("INSERT INTO blue.token (hash, subject, project, role, created, expires) VALUES ($1, $2, $3, $4, $5, $6)",
			hash, t.Subject, project, t.Role, time.Now().UnixNano(), expires)
		queueKept(b, project, "token add", id+" "+t.Subject)
	})
}

// Tokens returns the tokens, newest first.
func (o *Operator) Tokens(ctx context.Context) ([]Token, error) {
	all, err := read[Token](ctx, o, `SELECT substr(t.hash, 1, $1::int), t.subject, coalesce(p.name, t.project), t.role, t.created, t.expires, t.revoked
		FROM blue.token t LEFT JOIN blue.project p ON p.id = t.project ORDER BY t.created DESC`, tokenShown)
	if err == nil {
		err = o.recordRead(ctx, "", "read tokens")
	}
	return all, err
}

// RevokeToken revokes the token whose hash begins with an id.
func (o *Operator) RevokeToken(ctx context.Context, id string) error {
	if len(id) < tokenShown || strings.Trim(id, "0123456789abcdef") != "" {
		return noSuch("token", id)
	}
	return explainOperating(o.conn, transact(ctx, o.conn, func() error {
		changed, err := o.exec(ctx, "UPDATE blue.token SET revoked = $1 WHERE substr(hash, 1, $2::int) = $3 AND revoked = 0",
			time.Now().UnixNano(), len(id), id)
		if err != nil {
			return err
		}
		if changed == 0 {
			return noSuch("token", id)
		}
		return o.send(ctx, func(b *pgx.Batch) { queueKept(b, "", "token revoke", id) })
	}))
}
