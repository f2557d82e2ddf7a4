package postgres

import (
	"context"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"blue/errors"
)

// Version is that of the tables which this program reads and writes.
const Version = 3

// compatible is the oldest version whose programs may go on with tables of [Version]: what
// was added since has defaults, and they do not read it.
const compatible = 2

// servingRole is the role that a server takes on. It may not change the tables, and the
// policies of rows hold for it.
const servingRole = "blue_serving"

// upgrades are the statements that lead from each version of the tables to the next. Every
// key begins with the project, so that an engine can spread the rows by it. The owner of the
// tables sees rows only after it has set blue.operator; a server sees those of the project
// and the subject that its transaction has set.
var upgrades = [Version]string{`
CREATE TABLE blue.project (
	id text PRIMARY KEY, name text NOT NULL, seq bigint NOT NULL DEFAULT 0,
	settings text NOT NULL DEFAULT '', created bigint NOT NULL, removed bigint NOT NULL DEFAULT 0);
CREATE UNIQUE INDEX project_name ON blue.project (name) WHERE removed = 0;
CREATE TABLE blue.note (
	project text NOT NULL, owner text NOT NULL, name text COLLATE "C" NOT NULL, removed bigint NOT NULL DEFAULT 0,
	bytes bytea NOT NULL, revision text NOT NULL, seq bigint NOT NULL, at bigint NOT NULL,
	PRIMARY KEY (project, owner, name, removed));
CREATE INDEX note_seq ON blue.note (project, seq);
CREATE TABLE blue.revision (
	project text NOT NULL, owner text NOT NULL, name text COLLATE "C" NOT NULL, seq bigint NOT NULL,
	revision text NOT NULL, bytes bytea NOT NULL, subject text NOT NULL, client text NOT NULL, at bigint NOT NULL, verb text NOT NULL,
	PRIMARY KEY (project, owner, name, seq));
CREATE TABLE blue.grants (
	project text NOT NULL, subject text NOT NULL, role text NOT NULL,
	PRIMARY KEY (project, subject));
CREATE INDEX grants_subject ON blue.grants (subject);
CREATE TABLE blue.token (
	hash text PRIMARY KEY, subject text NOT NULL, project text NOT NULL, role text NOT NULL,
	created bigint NOT NULL, expires bigint NOT NULL, revoked bigint NOT NULL DEFAULT 0);
CREATE TABLE blue.audit (
	project text NOT NULL, at bigint NOT NULL, entry bigint NOT NULL, seq bigint NOT NULL, subject text NOT NULL, client text NOT NULL,
	verb text NOT NULL, note text NOT NULL, before text NOT NULL, after text NOT NULL, outcome text NOT NULL,
	PRIMARY KEY (project, at, entry));

ALTER TABLE blue.project ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.project FORCE ROW LEVEL SECURITY;
ALTER TABLE blue.note ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.note FORCE ROW LEVEL SECURITY;
ALTER TABLE blue.revision ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.revision FORCE ROW LEVEL SECURITY;
ALTER TABLE blue.grants ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.grants FORCE ROW LEVEL SECURITY;
ALTER TABLE blue.token ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.token FORCE ROW LEVEL SECURITY;
ALTER TABLE blue.audit ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.audit FORCE ROW LEVEL SECURITY;

CREATE POLICY operating ON blue.project TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');
CREATE POLICY operating ON blue.note TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');
CREATE POLICY operating ON blue.revision TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');
CREATE POLICY operating ON blue.grants TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');
CREATE POLICY operating ON blue.token TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');
CREATE POLICY operating ON blue.audit TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');

CREATE POLICY serving ON blue.project TO blue_serving USING (
	id = current_setting('blue.project', true) OR current_setting('blue.subject', true) = '(local)'
	OR id IN (SELECT g.project FROM blue.grants g WHERE g.subject = current_setting('blue.subject', true)));
CREATE POLICY serving ON blue.note TO blue_serving USING (
	project = current_setting('blue.project', true) AND (owner = '' OR owner = current_setting('blue.subject', true)));
CREATE POLICY serving ON blue.revision TO blue_serving USING (
	project = current_setting('blue.project', true) AND (owner = '' OR owner = current_setting('blue.subject', true)));
CREATE POLICY serving ON blue.grants TO blue_serving USING (subject = current_setting('blue.subject', true));
CREATE POLICY serving ON blue.token TO blue_serving USING (hash = current_setting('blue.token', true));
CREATE POLICY serving ON blue.audit TO blue_serving USING (
	project = current_setting('blue.project', true) AND subject = current_setting('blue.subject', true));

GRANT USAGE ON SCHEMA blue TO blue_serving;
GRANT SELECT ON blue.version, blue.project, blue.note, blue.revision, blue.grants, blue.token TO blue_serving;
GRANT UPDATE (seq) ON blue.project TO blue_serving;
GRANT INSERT, UPDATE ON blue.note TO blue_serving;
GRANT INSERT ON blue.revision, blue.audit TO blue_serving;
`, `
ALTER TABLE blue.project ADD COLUMN checkout text NOT NULL DEFAULT ''; -- the id in the project.yaml of its checkouts
`, `
ALTER TABLE blue.project
	ADD COLUMN at bigint NOT NULL DEFAULT 0, ADD COLUMN entry bigint NOT NULL DEFAULT 0, -- the line of the audit that the last change has
	ADD COLUMN secret text NOT NULL DEFAULT gen_random_uuid()::text; -- by which numbers are hidden that count private notes
GRANT UPDATE (at, entry) ON blue.project TO blue_serving;
GRANT SELECT (project, at, entry, seq) ON blue.audit TO blue_serving;
CREATE POLICY following ON blue.audit FOR SELECT TO blue_serving USING (project = current_setting('blue.project', true));
`}

// Migrate brings the tables to [Version] and says from which one; of two at once, one waits.
// Tables of a later version are left alone. Programs of the versions from [compatible] on go
// on while and after it runs.
func Migrate(ctx context.Context, url string) (from int, err error) {
	c, err := connect(ctx, url)
	if err != nil {
		return 0, err
	}
	defer c.Close(context.WithoutCancel(ctx))
	for try := 1; ; try++ {
		if from, err = migrateOnce(ctx, c); err == nil || try == maxTries || !isRace(err) {
			return from, explain(err)
		}
		pause(ctx, try)
	}
}

// isRace reports that another migration has made the same at the same moment.
func isRace(err error) bool {
	fault, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return false
	}
	switch fault.Code {
	case "23505", "42710", "42P06", "42P07", "XX000", serialization, deadlock: // XX000: tuple concurrently updated
		return true
	}
	return false
}

func migrateOnce(ctx context.Context, c *conn) (from int, err error) {
	err = c.transact(ctx, func() error {
		if err := makeFoundation(ctx, c); err != nil {
			return err
		}
		v, err := readVersions(ctx, c, " FOR UPDATE")
		if err != nil {
			return err
		}
		if from = v.has; v.least > Version {
			return errors.SchemaNewer(v.least, Version)
		}
		for _, statements := range upgrades[min(from, Version):] {
			if err := c.script(ctx, statements); err != nil {
				return err
			}
		}
		var b batch
		b.add(nil, "UPDATE blue.version SET version = $1 WHERE one", max(v.least, compatible))
		b.add(nil, "INSERT INTO blue.version (one, version) VALUES (false, $1) ON CONFLICT (one) DO UPDATE SET version = excluded.version", max(from, Version))
		return c.send(ctx, b)
	})
	return from, err
}

// makeFoundation makes what every version has: the schema, the row that says the version,
// and the role of servers.
func makeFoundation(ctx context.Context, c *conn) error {
	var role bool
	if err := c.query(ctx, func(r row) error { return r.scan(&role) }, "SELECT count(*) > 0 FROM pg_roles WHERE rolname = $1", servingRole); err != nil {
		return err
	}
	statements := []string{
		"CREATE SCHEMA IF NOT EXISTS blue",
		"CREATE TABLE IF NOT EXISTS blue.version (one boolean PRIMARY KEY, version bigint NOT NULL)",
		"INSERT INTO blue.version (one, version) VALUES (true, 0) ON CONFLICT (one) DO NOTHING",
	}
	if !role {
		statements = append(statements, "CREATE ROLE "+servingRole+" NOLOGIN", "GRANT "+servingRole+" TO CURRENT_USER")
	}
	for _, statement := range statements {
		if err := c.script(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// versions are those of the tables, 0 for none. Tables that were extended have what programs
// of an earlier version read, until that is taken away.
type versions struct {
	least int // that a program must have to write; in the row that programs of version 2 read
	has   int // up to which the tables were extended
}

const selectLeast = "SELECT version FROM blue.version WHERE one"

func readVersions(ctx context.Context, c *conn, lock string) (v versions, err error) {
	err = c.query(ctx, func(r row) error {
		var isLeast bool
		var version int64
		err := r.scan(&isLeast, &version)
		if isLeast {
			v.least = int(version)
		}
		v.has = max(v.has, int(version))
		return err
	}, "SELECT one, version FROM blue.version"+lock)
	return v, err
}

// checkVersion refuses tables that lack what this program reads.
func checkVersion(ctx context.Context, c *conn) (v versions, err error) {
	v, err = readVersions(ctx, c, "")
	switch {
	case err != nil:
		return v, explain(err)
	case v.has == 0:
		return v, errors.SchemaMissing()
	case v.has < Version:
		return v, errors.SchemaOlder(v.has, Version)
	}
	return v, nil
}

// checkUse refuses tables that this program may not write as well.
func checkUse(ctx context.Context, c *conn) error {
	v, err := checkVersion(ctx, c)
	if err == nil && v.least > Version {
		err = errors.SchemaNewer(v.least, Version)
	}
	return err
}
