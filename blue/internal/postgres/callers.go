package postgres

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/store"
)

// Local is the subject of a server that asks for no token: it sees every project. No token
// and no grant can have it.
const Local = "(local)"

// Seen is a project that a caller may see, and the caller's role there.
type Seen struct {
	ID, Name string
	Checkout string // the id that checkouts of it carry, empty when that is not known
	Role     string
}

// Caller is who a token stands for.
type Caller struct {
	Subject string
	Token   string // the beginning of its hash, by which people name it
	Seen    []Seen // by name
}

// hashToken is what is kept of a token.
func hashToken(token string) string {
	sum := sha256.Sum256([]byte(token))
	return hex.EncodeToString(sum[:])
}

// Identify finds whom a token stands for, and which projects that caller may see, in one
// round trip; ok is false for a token that is unknown, expired or revoked.
func (d *Database) Identify(ctx context.Context, token string) (c Caller, ok bool, err error) {
	hash := hashToken(token)
	var project, role string
	now := time.Now().UnixNano()
	var b batch
	b.add(nil, "BEGIN READ ONLY")
	b.add(nil, "SELECT set_config('blue.token', $1, true), set_config('blue.project', '', true), set_config('blue.subject', '', true)", hash)
	b.add(func(r row) error {
		ok = true
		return r.scan(&c.Subject, &project, &role)
	}, "SELECT subject, project, role FROM blue.token WHERE hash = $1 AND revoked = 0 AND (expires = 0 OR expires > $2)", hash, now)
	// A token of one project has that project alone, whatever its subject may see elsewhere.
	b.add(nil, `SELECT set_config('blue.project', coalesce((SELECT project FROM blue.token WHERE hash = $1), ''), true),
		set_config('blue.subject', coalesce((SELECT subject FROM blue.token WHERE hash = $1 AND project = ''), ''), true)`, hash)
	b.add(func(r row) error { return c.addSeen(r) }, `SELECT p.id, p.name, p.checkout, g.role FROM blue.grants g JOIN blue.project p ON p.id = g.project
			WHERE g.subject = current_setting('blue.subject', true) AND p.removed = 0
		UNION ALL SELECT id, name, checkout, '' FROM blue.project WHERE id = current_setting('blue.project', true) AND removed = 0
		ORDER BY 2`)
	b.add(nil, "COMMIT")
	if err := d.send(ctx, b, func() { c, ok = Caller{}, false }); err != nil || !ok {
		return Caller{}, false, err
	}
	c.Token = hash[:tokenShown]
	for i := range c.Seen {
		if project != "" {
			c.Seen[i].Role = role
		}
	}
	return c, true, nil
}

// Recognize finds which projects a subject may see, by what was granted to it and to its
// groups, in one round trip: the policies of the tables show a grant to whom it was given, so
// the transaction takes the names one after the other.
func (d *Database) Recognize(ctx context.Context, subject string, groups []string) (c Caller, err error) {
	var b batch
	b.add(nil, "BEGIN READ ONLY")
	for _, name := range append([]string{subject}, groups...) {
		b.add(nil, "SELECT set_config('blue.token', '', true), set_config('blue.project', '', true), set_config('blue.subject', $1, true)", name)
		b.add(func(r row) error { return c.addSeen(r) }, `SELECT p.id, p.name, p.checkout, g.role FROM blue.project p
			JOIN blue.grants g ON g.project = p.id AND g.subject = $1 WHERE p.removed = 0`, name)
	}
	b.add(nil, "COMMIT")
	err = d.send(ctx, b, func() { c = Caller{Subject: subject} })
	c.mergeSeen()
	return c, err
}

// mergeSeen leaves of each project the highest role, in the order of their names.
func (c *Caller) mergeSeen() {
	slices.SortFunc(c.Seen, func(a, b Seen) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID), Rank(b.Role)-Rank(a.Role))
	})
	c.Seen = slices.CompactFunc(c.Seen, func(a, b Seen) bool { return a.ID == b.ID })
}

// The roles of a subject in a project, each with the rights of those before it.
const (
	Reader = "reader"
	Writer = "writer"
	Admin  = "admin"
)

// Roles are the roles, each with the rights of those before it.
func Roles() []string { return []string{Reader, Writer, Admin} }

// Rank orders roles by what they allow; a word that is no role allows nothing.
func Rank(role string) int { return slices.Index(Roles(), role) }

// Everything is the caller of a server that asks for no token.
func (d *Database) Everything(ctx context.Context) (c Caller, err error) {
	c = Caller{Subject: Local}
	err = d.query(ctx, scope{"", Local}, reading{
		sql:   "SELECT id, name, checkout, $1::text FROM blue.project WHERE removed = 0 ORDER BY name",
		args:  []any{Admin},
		begin: func() { c.Seen = nil },
		each:  func(r row) error { return c.addSeen(r) },
	})
	return c, err
}

func (c *Caller) addSeen(r row) error {
	var s Seen
	err := r.scan(&s.ID, &s.Name, &s.Checkout, &s.Role)
	c.Seen = append(c.Seen, s)
	return err
}

// Stand is how far the notes of a project are, for one subject.
type Stand struct {
	store.Mark           // the last change
	Own        bool      // the subject has private notes here
	Asked      time.Time // when these were asked for
}

const markColumns = "seq, at, entry"

// scanMark reads the columns of the mark, the first of a row.
func scanMark(r row) (m store.Mark, err error) {
	var seq int64
	err = r[:3].scan(&seq, &m.At, &m.Entry)
	m.Seq = uint64(seq)
	return m, err
}

// Stand asks for it; a project that is gone is of kind disk.
func (d *Database) Stand(ctx context.Context, project, subject string) (s Stand, err error) {
	s.Asked = time.Now()
	err = d.query(ctx, scope{project, subject}, reading{
		each: func(r row) error {
			if err := r[3:].scan(&s.Own); err != nil {
				return err
			}
			s.Mark, err = scanMark(r)
			return err
		},
		args: []any{project, subject},
		// The order leads the engine to the key: without it, it may look through all notes for the first one.
		sql: `SELECT p.seq, p.at, p.entry, (SELECT n.name FROM blue.note n WHERE n.project = p.id AND n.owner = $2 ORDER BY n.name LIMIT 1) IS NOT NULL
			FROM blue.project p WHERE p.id = $1 AND p.removed = 0`,
	})
	return s, err
}
