package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"blue/blue/internal/store"
)

// Local is the subject of a server that asks for no token. It sees every project. No token
// and no grant can have it.
const Local = "(local)"

// Seen is a project that a caller may see, and the caller's role there.
type Seen struct {
	ID, Name string
	Checkout string // the id of its checkouts, or "" if unknown
	Role     string
}

// Caller is the subject that a token identifies.
type Caller struct {
	Subject string
	Token   string // the first digits of its hash, by which people name it
	Seen    []Seen // projects that a [Look] has selected
}

// Look selects projects among those that a caller may see: those that a name may mean, a page
// of all, or, if it is zero, any two, which tell whether there is just one.
type Look struct {
	Named string // a name, an id, or the id of checkouts
	Part  string // the names of a page contain it, in any case
	After string // the names of a page come after it
	Most  int    // projects on the page
}

// sql returns the end of a statement that selects from blue.project as p, and the arguments of
// the statement. Those of the end follow n others.
func (l Look) sql(n int, args ...any) (string, []any) {
	const condition = " AND p.removed = 0 AND "
	switch {
	case l.Named != "":
		return fmt.Sprintf(condition+`(p.name = $%[1]d OR p.id = $%[1]d OR p.checkout = $%[1]d AND p.checkout <> '')
			ORDER BY p.name <> $%[1]d, p.id <> $%[1]d LIMIT 4`, n+1), append(args, l.Named)
	case l.Most > 0:
		return fmt.Sprintf(condition+"p.name > $%d AND position($%d in lower(p.name)) > 0 ORDER BY p.name LIMIT $%d", n+1, n+2, n+3),
			append(args, l.After, strings.ToLower(l.Part), l.Most)
	}
	return condition + "true LIMIT 2", args
}

// Identify returns the caller that a token identifies, with those of its projects that look
// selects, in one round trip. ok is false for a token that is unknown, expired or revoked.
func (d *Database) Identify(ctx context.Context, token string, look Look) (c Caller, ok bool, err error) {
	hash, now := hashToken(token), time.Now().UnixNano()
	selected, args := look.sql(0)
	var valid []Token
	err = d.send(ctx, func(b *pgx.Batch) {
		b.Queue("BEGIN READ ONLY")
		b.Queue(setToken, hash, "")
		b.Queue("SELECT subject, project, role FROM blue.token WHERE hash = $1 AND revoked = 0 AND (expires = 0 OR expires > $2)", hash, now).
			Query(collect(&valid, pgx.RowToStructByNameLax[Token]))
		// A token of one project has that project alone, whatever its subject may see elsewhere.
		b.Queue(`SELECT set_config('blue.project', coalesce((SELECT project FROM blue.token WHERE hash = $1), ''), true),
			set_config('blue.subject', coalesce((SELECT subject FROM blue.token WHERE hash = $1 AND project = ''), ''), true)`, hash)
		b.Queue(`(SELECT p.id, p.name, p.checkout, g.role FROM blue.grants g JOIN blue.project p ON p.id = g.project
				WHERE g.subject = current_setting('blue.subject', true)`+selected+`)
			UNION ALL SELECT id, name, checkout, '' FROM blue.project WHERE id = current_setting('blue.project', true) AND removed = 0`,
			args...).Query(collect(&c.Seen, pgx.RowToStructByPos[Seen]))
		b.Queue("COMMIT")
	})
	if err != nil || len(valid) == 0 {
		return Caller{}, false, err
	}
	c.Subject, c.Token = valid[0].Subject, hash[:tokenShown]
	for i := range c.Seen {
		if valid[0].Project != "" {
			c.Seen[i].Role = valid[0].Role
		}
	}
	return c, true, nil
}

// setToken lets a transaction see a token, and the grants of a subject, but no project.
const setToken = `SELECT set_config('blue.token', $1, true), set_config('blue.project', '', true),
	set_config('blue.subject', $2, true)`

// Recognize returns a subject as a caller, with those projects of a look that it may see by its
// own grants and those of its groups, in one round trip. The policies show a grant only to its
// grantee, so the transaction assumes one name after another.
func (d *Database) Recognize(ctx context.Context, subject string, groups []string, look Look) (c Caller, err error) {
	names := append([]string{subject}, groups...)
	seen := make([][]Seen, len(names))
	err = d.send(ctx, func(b *pgx.Batch) {
		b.Queue("BEGIN READ ONLY")
		for i, name := range names {
			b.Queue(setToken, "", name)
			selected, args := look.sql(1, name)
			b.Queue(`SELECT p.id, p.name, p.checkout, g.role FROM blue.project p
				JOIN blue.grants g ON g.project = p.id WHERE g.subject = $1`+selected, args...).
				Query(collect(&seen[i], pgx.RowToStructByPos[Seen]))
		}
		b.Queue("COMMIT")
	})
	c = Caller{Subject: subject, Seen: slices.Concat(seen...)} // by name, with the highest role in each
	slices.SortFunc(c.Seen, func(a, b Seen) int {
		return cmp.Or(strings.Compare(a.Name, b.Name), strings.Compare(a.ID, b.ID), Rank(b.Role)-Rank(a.Role))
	})
	c.Seen = slices.CompactFunc(c.Seen, func(a, b Seen) bool { return a.ID == b.ID })
	if look.Most > 0 {
		c.Seen = c.Seen[:min(look.Most, len(c.Seen))]
	}
	return c, err
}

// The roles of a subject in a project. Each includes the rights of those before it.
const (
	Reader = "reader"
	Writer = "writer"
)

// Roles returns the roles, from the lowest to the highest.
func Roles() []string { return []string{Reader, Writer} }

// Rank returns the position of a role in [Roles], or -1 for a word that is no role.
func Rank(role string) int { return slices.Index(Roles(), role) }

// Everything returns the caller of a server that asks for no token, with the projects of a look.
func (d *Database) Everything(ctx context.Context, look Look) (c Caller, err error) {
	c.Subject = Local
	selected, args := look.sql(1, Writer)
	err = d.query(ctx, "", Local, collect(&c.Seen, pgx.RowToStructByPos[Seen]),
		"SELECT p.id, p.name, p.checkout, $1::text FROM blue.project p WHERE true"+selected, args...)
	return c, err
}

// Stand is the state of a project's notes for one subject.
type Stand struct {
	store.Mark           // the last change
	Erased     int64     // when texts were erased last; 0 for never
	Own        bool      // the subject has private notes here
	Asked      time.Time `db:"-"` // when the state was asked for
}

// Stand asks for the state of a project's notes. It is zero for a project that does not exist.
func (d *Database) Stand(ctx context.Context, project, subject string) (s Stand, err error) {
	asked := time.Now()
	var stands []Stand
	// ORDER BY makes the planner use the primary key; without it, it may scan all notes.
	err = d.query(ctx, project, subject, collect(&stands, pgx.RowToStructByPos[Stand]),
		`SELECT p.seq, p.at, p.entry, p.erased, (SELECT n.name FROM blue.note n WHERE n.project = p.id AND n.owner = $2 ORDER BY n.name LIMIT 1) IS NOT NULL
			FROM blue.project p WHERE p.id = $1 AND p.removed = 0`, project, subject)
	if len(stands) > 0 {
		s = stands[0]
		if before, known := d.erased.Swap(project, s.Erased); known && before != s.Erased {
			d.bodies.drop(project)
		}
	}
	s.Asked = asked
	return s, err
}

// Access is a project as seen by one caller.
type Access struct {
	Project string // its id
	Subject string // the verified caller
	Client  string // the program that calls, as it names itself
	Role    string
	Stand   // when the call began. Own says whether the call's index includes the subject's private notes
}
