package postgres

import (
	"context"
	"strconv"

	"github.com/jackc/pgx/v5"

	"blue/errors"
)

// migrations are the statements that make the tables of each version from those of the version
// before it. The version of the tables is the number of statements that were run.
//
// Every key begins with the project, so that an engine can shard by it. The owner of the tables
// sees rows only after it has set blue.operator; a server sees those of the project and the subject
// that its transaction has set.
var migrations = [Version]string{`
CREATE TABLE blue.project (
	id text PRIMARY KEY, name text NOT NULL, created bigint NOT NULL, removed bigint NOT NULL DEFAULT 0,
	checkout text NOT NULL DEFAULT '', -- the id in the project.yaml of its checkouts
	seq bigint NOT NULL DEFAULT 0, at bigint NOT NULL DEFAULT 0, entry bigint NOT NULL DEFAULT 0, -- the last change, and its line in the audit
	secret text NOT NULL DEFAULT gen_random_uuid()::text, -- by which numbers are hidden that count private notes
	quota bigint NOT NULL DEFAULT 0, -- bytes of all texts; 0 is no bound
	erased bigint NOT NULL DEFAULT 0); -- when texts were erased last; older indexes are removed
CREATE UNIQUE INDEX project_name ON blue.project (name) WHERE removed = 0;
CREATE INDEX project_checkout ON blue.project (checkout) WHERE checkout <> '';
CREATE TABLE blue.note ( -- its text is that of its revision
	project text NOT NULL, owner text NOT NULL, name text COLLATE "C" NOT NULL, removed bigint NOT NULL DEFAULT 0,
	revision text NOT NULL, seq bigint NOT NULL, at bigint NOT NULL,
	PRIMARY KEY (project, owner, name, removed));
CREATE INDEX note_seq ON blue.note (project, seq);
CREATE TABLE blue.revision (
	project text NOT NULL, owner text NOT NULL, name text COLLATE "C" NOT NULL, seq bigint NOT NULL,
	revision text NOT NULL, bytes bytea NOT NULL, subject text NOT NULL, client text NOT NULL, at bigint NOT NULL, verb text NOT NULL,
	PRIMARY KEY (project, owner, name, seq));
DO $$ BEGIN
	ALTER TABLE blue.revision ALTER COLUMN bytes SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL; END $$; -- an engine that was built without lz4
CREATE TABLE blue.erased ( -- revisions that were erased, for the checkouts that have them
	project text NOT NULL, revision text NOT NULL, at bigint NOT NULL, PRIMARY KEY (project, revision));
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
	number bigint GENERATED ALWAYS AS IDENTITY, -- of the line, in the order in which lines were inserted
	PRIMARY KEY (project, at, entry));
CREATE INDEX audit_number ON blue.audit (number);

ALTER TABLE blue.project ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.project FORCE ROW LEVEL SECURITY;
ALTER TABLE blue.note ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.note FORCE ROW LEVEL SECURITY;
ALTER TABLE blue.revision ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.revision FORCE ROW LEVEL SECURITY;
ALTER TABLE blue.erased ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.erased FORCE ROW LEVEL SECURITY;
ALTER TABLE blue.grants ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.grants FORCE ROW LEVEL SECURITY;
ALTER TABLE blue.token ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.token FORCE ROW LEVEL SECURITY;
ALTER TABLE blue.audit ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.audit FORCE ROW LEVEL SECURITY;

CREATE POLICY operating ON blue.project TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');
CREATE POLICY operating ON blue.note TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');
CREATE POLICY operating ON blue.revision TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');
CREATE POLICY operating ON blue.erased TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');
CREATE POLICY operating ON blue.grants TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');
CREATE POLICY operating ON blue.token TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');
CREATE POLICY operating ON blue.audit TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');

CREATE POLICY serving ON blue.project TO blue_serving USING (
	id = current_setting('blue.project', true) OR current_setting('blue.subject', true) = '(local)'
	OR EXISTS (SELECT 1 FROM blue.grants g WHERE g.project = id AND g.subject = current_setting('blue.subject', true)));
CREATE POLICY serving ON blue.note TO blue_serving USING (
	project = current_setting('blue.project', true) AND (owner = '' OR owner = current_setting('blue.subject', true)));
CREATE POLICY serving ON blue.revision TO blue_serving USING (
	project = current_setting('blue.project', true) AND (owner = '' OR owner = current_setting('blue.subject', true)));
CREATE POLICY serving ON blue.erased TO blue_serving USING (project = current_setting('blue.project', true));
CREATE POLICY serving ON blue.grants TO blue_serving USING (subject = current_setting('blue.subject', true));
CREATE POLICY serving ON blue.token TO blue_serving USING (hash = current_setting('blue.token', true));
CREATE POLICY serving ON blue.audit FOR INSERT TO blue_serving WITH CHECK (
	project = current_setting('blue.project', true) AND subject = current_setting('blue.subject', true));
CREATE POLICY following ON blue.audit FOR SELECT TO blue_serving USING (project = current_setting('blue.project', true));

GRANT USAGE ON SCHEMA blue TO blue_serving;
GRANT SELECT ON blue.version, blue.project, blue.note, blue.revision, blue.erased, blue.grants, blue.token TO blue_serving;
GRANT SELECT (project, at, entry, seq) ON blue.audit TO blue_serving;
GRANT UPDATE (seq, at, entry) ON blue.project TO blue_serving;
GRANT INSERT, UPDATE ON blue.note TO blue_serving;
GRANT INSERT ON blue.revision, blue.audit TO blue_serving;

CREATE FUNCTION blue.check_quota() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE most bigint; used bigint := 0; before text := current_setting('blue.operator', true);
BEGIN
	PERFORM set_config('blue.operator', 'on', true); -- the sum has private notes, too
	SELECT quota INTO most FROM blue.project WHERE id = NEW.project;
	IF most > 0 THEN
		SELECT coalesce(sum(length(bytes)), 0) INTO used FROM blue.revision WHERE project = NEW.project;
	END IF;
	PERFORM set_config('blue.operator', coalesce(before, ''), true);
	IF most > 0 AND used + length(NEW.bytes) > most THEN
		RAISE EXCEPTION 'the project has used its quota of % MB', most / 1000000 USING ERRCODE = '53400'; -- configuration_limit_exceeded
	END IF;
	RETURN NEW;
END $$;
CREATE TRIGGER check_quota BEFORE INSERT ON blue.revision FOR EACH ROW WHEN (NEW.revision <> '') EXECUTE FUNCTION blue.check_quota();
`}

// Version is the version of the tables that this program reads and writes.
const Version = 1

// itsText joins the note n with its text, t.bytes, which is stored once: in its revision. So a
// revision stays as long as a note has it, in the trash too.
const itsText = ` LATERAL (SELECT r.bytes FROM blue.revision r WHERE r.project = n.project AND r.owner = n.owner AND r.name = n.name
	AND r.revision = n.revision ORDER BY r.seq DESC LIMIT 1) t ON true `

// Migrate upgrades the tables to [Version] and returns the version that they had; 0 means that
// there were none. Concurrent migrations wait for each other. Tables of a later version stay as
// they are, and are an error. It waits a second for a table that a transaction uses, and then tries
// again: the servers wait behind it.
func Migrate(ctx context.Context, url string) (from int, err error) {
	c, err := connect(ctx, url)
	if err != nil {
		return 0, err
	}
	defer c.Close(context.WithoutCancel(ctx))
	for try := 1; ; try++ {
		from, err = migrateOnce(ctx, c)
		if inUse := hasCode(err, "55P03"); inUse && try == maxTries { // lock_not_available
			return from, errors.E(errors.Busy, "another transaction uses the tables and does not end").Because(err).
				Hint("", "", "nothing was changed: run it again when long transactions, such as a pg_dump, have ended")
		} else if err == nil || try == maxTries || !inUse && !isRace(err) {
			return from, explainOperating(c, err)
		}
		pause(ctx, try)
	}
}

// isRace reports whether a concurrent migration has made the same objects.
func isRace(err error) bool { // XX000: tuple concurrently updated
	return isConflict(err) || hasCode(err, "23505", "42710", "42P06", "42P07", "XX000")
}

func migrateOnce(ctx context.Context, c *pgx.Conn) (from int, err error) {
	err = transact(ctx, c, func() error {
		if _, err := c.Exec(ctx, `SET LOCAL lock_timeout = '1s'; CREATE SCHEMA IF NOT EXISTS blue;
			CREATE TABLE IF NOT EXISTS blue.version (version bigint NOT NULL); LOCK TABLE blue.version`); err != nil {
			return err
		}
		if from, err = readVersion(ctx, c); err != nil {
			return err
		}
		if from > Version {
			return schemaNewer(from)
		}
		for _, s := range migrations[from:] {
			if _, err := c.Exec(ctx, s); err != nil {
				return err
			}
		}
		_, err = c.Exec(ctx, "DELETE FROM blue.version; INSERT INTO blue.version VALUES ("+strconv.Itoa(Version)+")")
		return err
	})
	return from, err
}

// readVersion returns the version of the tables, or 0.
func readVersion(ctx context.Context, c *pgx.Conn) (version int, err error) {
	err = c.QueryRow(ctx, "SELECT coalesce(max(version), 0) FROM blue.version", pgx.QueryExecModeExec).Scan(&version)
	return version, err
}

// checkVersion rejects tables of another version.
func checkVersion(ctx context.Context, c *pgx.Conn) error {
	version, err := readVersion(ctx, c)
	switch {
	case hasCode(err, "42P01", "3F000") || err == nil && version == 0: // undefined_table, invalid_schema_name
		return schemaMissing(" " + errors.Quote(c.Config().Database))
	case err != nil:
		return explain(err)
	case version > Version:
		return schemaNewer(version)
	case version < Version:
		return errors.E(errors.Invalid, "the tables of the database have version %d, this Blue needs %d", version, Version).
			Hint("", "", "upgrade them once, before the servers start, with: blue server migrate")
	}
	return nil
}

// schemaNewer returns the error for tables of a later version of Blue.
func schemaNewer(found int) *errors.Error {
	return errors.E(errors.Invalid, "the tables of the database have version %d, this Blue knows %d", found, Version).
		Hint("version", "", "see which Blue this is; install the one that made the tables")
}
