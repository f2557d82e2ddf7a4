package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"blue/errors"
)

// Version is the version of the tables that this program reads and writes.
const Version = 5

// compatible is the oldest version whose programs can use extended tables of [Version]: they
// find what they read, and do not read the columns that were added since, which have defaults.
const compatible = 2

// upgrades holds the statements that upgrade each version of the tables to the next one. Every
// key begins with the project, so that an engine can shard by it. The owner of the tables sees
// rows only after it has set blue.operator; a server sees those of the project and the subject
// that its transaction has set.
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
`, `
LOCK TABLE blue.project, blue.note, blue.revision, blue.audit; -- in the order in which a write takes them
ALTER TABLE blue.note ALTER COLUMN bytes SET DEFAULT '';
CREATE FUNCTION blue.keep_bytes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
	UPDATE blue.note SET bytes = NEW.bytes WHERE project = NEW.project AND owner = NEW.owner AND name = NEW.name AND removed = 0
		AND revision = NEW.revision AND bytes <> NEW.bytes;
	RETURN NULL; END $$;
CREATE TRIGGER keep_bytes AFTER INSERT ON blue.revision FOR EACH ROW WHEN (NEW.revision <> '') EXECUTE FUNCTION blue.keep_bytes();
DO $$ BEGIN
	ALTER TABLE blue.revision ALTER COLUMN bytes SET COMPRESSION lz4;
EXCEPTION WHEN feature_not_supported THEN NULL; END $$; -- an engine that was built without lz4
-- What administrators see. The views read as the owner; blue.names holds the names by which a person has grants.
CREATE POLICY administering ON blue.project FOR SELECT TO CURRENT_USER USING (current_setting('blue.names', true) <> '');
CREATE POLICY administering ON blue.grants FOR SELECT TO CURRENT_USER USING (current_setting('blue.names', true) <> '');
CREATE POLICY administering ON blue.token FOR SELECT TO CURRENT_USER USING (current_setting('blue.names', true) <> '');
CREATE POLICY administering ON blue.audit FOR SELECT TO CURRENT_USER USING (current_setting('blue.names', true) <> '');
CREATE VIEW blue.administered AS SELECT p.id, p.name, p.checkout, p.created FROM blue.project p
	WHERE p.removed = 0 AND EXISTS (SELECT 1 FROM blue.grants g WHERE g.project = p.id AND g.role = 'admin'
		AND g.subject = ANY (string_to_array(current_setting('blue.names', true), chr(10))));
CREATE VIEW blue.administered_grants AS SELECT g.project, g.subject, g.role
	FROM blue.grants g WHERE g.project IN (SELECT id FROM blue.administered);
CREATE VIEW blue.administered_tokens AS -- which reach a project
	SELECT p.id AS project, substr(t.hash, 1, 12) AS token, t.subject, t.role, t.created, t.expires, t.revoked
	FROM blue.administered p CROSS JOIN blue.token t LEFT JOIN blue.grants g ON g.project = p.id AND g.subject = t.subject
	WHERE t.project = p.id OR t.project = '' AND g.subject <> '';
CREATE VIEW blue.administered_audit AS -- without private notes, and numbers that count them
	SELECT a.project, a.at, a.entry, a.subject, a.client, a.verb, a.note, a.before, a.after, a.outcome FROM blue.audit a
	WHERE a.project IN (SELECT id FROM blue.administered) AND NOT (a.note = 'private' AND a.before = '' AND a.after = '');
GRANT SELECT ON blue.administered, blue.administered_grants, blue.administered_tokens, blue.administered_audit TO blue_serving;
CREATE INDEX project_checkout ON blue.project (checkout) WHERE checkout <> '';
ALTER POLICY serving ON blue.project USING (
	id = current_setting('blue.project', true) OR current_setting('blue.subject', true) = '(local)'
	OR EXISTS (SELECT 1 FROM blue.grants g WHERE g.project = id AND g.subject = current_setting('blue.subject', true)));
`, `
LOCK TABLE blue.project, blue.revision, blue.audit; -- in the order in which a write takes them
ALTER TABLE blue.project
	ADD COLUMN quota bigint NOT NULL DEFAULT 0, -- bytes of all texts; 0 is no bound
	ADD COLUMN erased bigint NOT NULL DEFAULT 0, -- when texts were erased last; older indexes are removed
	ADD COLUMN keep_history bigint NOT NULL DEFAULT 0, ADD COLUMN keep_trash bigint NOT NULL DEFAULT 0, -- nanoseconds; 0 is for ever
	ADD COLUMN keep_audit bigint NOT NULL DEFAULT 0;
-- The link of an audit line to the chain of its project: its number there (8 bytes), a hash of the hash of the line before
-- and of the digest of its own fields (16), and the salt of the digest (8), or, once the line is erased, the digest (16). The
-- trigger runs as the owner, so that a server can append to a chain and not change it, whatever its program writes.
ALTER TABLE blue.audit ADD COLUMN link bytea NOT NULL DEFAULT '';
CREATE TABLE blue.chain (project text PRIMARY KEY, line bigint NOT NULL, hash bytea NOT NULL); -- the last line
CREATE TABLE blue.erased ( -- revisions that were erased or pruned, for the checkouts that have them
	project text NOT NULL, revision text NOT NULL, at bigint NOT NULL, pruned boolean NOT NULL, PRIMARY KEY (project, revision));
ALTER TABLE blue.chain ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.chain FORCE ROW LEVEL SECURITY;
ALTER TABLE blue.erased ENABLE ROW LEVEL SECURITY; ALTER TABLE blue.erased FORCE ROW LEVEL SECURITY;
CREATE POLICY operating ON blue.chain TO CURRENT_USER USING (true);
CREATE POLICY operating ON blue.erased TO CURRENT_USER USING (current_setting('blue.operator', true) = 'on');
CREATE POLICY serving ON blue.erased TO blue_serving USING (project = current_setting('blue.project', true));
GRANT SELECT ON blue.erased TO blue_serving;
CREATE FUNCTION blue.digest(a blue.audit, salt bytea) RETURNS bytea LANGUAGE plpgsql SET search_path = pg_catalog AS $$
DECLARE field text; content text := '';
BEGIN
	FOREACH field IN ARRAY ARRAY[encode(salt, 'hex'), a.project, a.at::text, a.entry::text, a.seq::text,
		a.subject, a.client, a.verb, a.note, a.before, a.after, a.outcome] LOOP
		content := content || length(field) || ':' || field;
	END LOOP;
	RETURN substr(sha256(convert_to(content, 'UTF8')), 1, 16);
END $$;
CREATE FUNCTION blue.chain_line() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
DECLARE salt bytea := substr(uuid_send(gen_random_uuid()), 1, 8); digest bytea := blue.digest(NEW, salt);
BEGIN
	INSERT INTO blue.chain AS c (project, line, hash) VALUES (NEW.project, 1, substr(sha256(digest), 1, 16))
		ON CONFLICT (project) DO UPDATE SET line = c.line + 1, hash = substr(sha256(c.hash || digest), 1, 16)
		RETURNING int8send(c.line) || c.hash || salt INTO NEW.link;
	RETURN NEW;
END $$;
CREATE TRIGGER chain_line BEFORE INSERT ON blue.audit FOR EACH ROW EXECUTE FUNCTION blue.chain_line();
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

// contraction removes from tables of [Version] what earlier versions read: the text of a note
// is that of its revision in blue.revision. Programs of earlier versions keep a copy in
// blue.note, as does the trigger of blue.revision for the writes of later ones. Locks are taken
// in the order in which a write takes them.
const contraction = `
LOCK TABLE blue.note, blue.revision;
DROP TRIGGER IF EXISTS keep_bytes ON blue.revision; -- tables of version 4 may have been contracted
DROP FUNCTION IF EXISTS blue.keep_bytes();
ALTER TABLE blue.note DROP COLUMN IF EXISTS bytes;
`

// itsText joins the note n with its text, t.bytes, which is stored once: in its revision. So a
// revision stays as long as a note has it, in the trash too.
const itsText = ` LATERAL (SELECT r.bytes FROM blue.revision r WHERE r.project = n.project AND r.owner = n.owner AND r.name = n.name
	AND r.revision = n.revision ORDER BY r.seq DESC LIMIT 1) t ON true `

// Migrate upgrades the tables to [Version]. It returns the version that they had, and the least
// version of the programs that can use them now. Concurrent migrations wait for each other.
// Tables of a later version stay as they are.
//
// Upgraded tables keep what programs of the versions from [compatible] on read and write; these
// may run during the migration and after it. With contract set it removes that. New tables have
// nothing to remove.
func Migrate(ctx context.Context, url string, contract bool) (from, least int, err error) {
	c, err := connect(ctx, url)
	if err != nil {
		return 0, 0, err
	}
	defer c.Close(context.WithoutCancel(ctx))
	for try := 1; ; try++ {
		from, least, err = migrateOnce(ctx, c, contract)
		if inUse := hasCode(err, "55P03"); inUse && try == maxTries { // lock_not_available
			return from, least, tablesInUse(err)
		} else if err == nil || try == maxTries || !inUse && !isRace(err) {
			return from, least, explainOperating(c, err)
		}
		pause(ctx, try)
	}
}

// isRace reports whether a concurrent migration has made the same objects.
func isRace(err error) bool { // XX000: tuple concurrently updated
	return isConflict(err) || hasCode(err, "23505", "42710", "42P06", "42P07", "XX000")
}

func migrateOnce(ctx context.Context, c *pgx.Conn, contract bool) (from, least int, err error) {
	err = transact(ctx, c, func() error {
		if _, err := c.Exec(ctx, foundation); err != nil {
			return err
		}
		v, err := readVersions(ctx, c, " FOR UPDATE")
		if err != nil {
			return err
		}
		from, least = v.has, max(v.least, compatible)
		switch {
		case v.least > Version:
			return schemaNewer(v.least, Version)
		case contract && from != 0 && from != Version:
			return notExtended(from)
		}
		statements := append([]string{setPatience}, upgrades[min(from, Version):]...)
		if (contract || from == 0) && least < Version {
			statements, least = append(statements, contraction), Version
		}
		for _, s := range statements {
			if _, err := c.Exec(ctx, s); err != nil {
				return err
			}
		}
		b := &pgx.Batch{}
		b.Queue("UPDATE blue.version SET version = $1 WHERE one", least)
		b.Queue("INSERT INTO blue.version (one, version) VALUES (false, $1) ON CONFLICT (one) DO UPDATE SET version = excluded.version", max(from, Version))
		return send(ctx, c, b)
	})
	return from, least, err
}

// setPatience bounds the time that a migration waits for a table that a transaction uses,
// because the servers wait behind it.
const setPatience = "SET LOCAL lock_timeout = '1s'"

// tablesInUse returns the error for a migration that has waited in vain for the tables.
func tablesInUse(cause error) *errors.Error {
	return errors.E(errors.Busy, "another transaction uses the tables and does not end").Because(cause).
		Hint("", "", "nothing was changed: run it again when long transactions, such as a pg_dump, have ended")
}

// notExtended returns the error for a contraction of tables of another version.
func notExtended(found int) *errors.Error {
	return errors.E(errors.Invalid, "the tables have version %d, this Blue contracts tables of version %d", found, Version).
		Hint("", "", "programs of that version may still use them: run blue server migrate, replace the programs, then contract")
}

// foundation creates what every version of the tables has.
const foundation = `
CREATE SCHEMA IF NOT EXISTS blue;
CREATE TABLE IF NOT EXISTS blue.version (one boolean PRIMARY KEY, version bigint NOT NULL);
INSERT INTO blue.version (one, version) VALUES (true, 0) ON CONFLICT (one) DO NOTHING;
`

// versions are the versions of the tables, or 0. Extended tables keep what programs of earlier
// versions read until they are contracted.
type versions struct {
	least int // required of a program that writes; in the row that programs of version 2 read
	has   int // version up to which the tables were extended
}

const selectLeast = "SELECT version FROM blue.version WHERE one"

func readVersions(ctx context.Context, c *pgx.Conn, lock string) (v versions, err error) {
	rows, _ := c.Query(ctx, "SELECT one, version FROM blue.version"+lock, pgx.QueryExecModeExec)
	var isLeast bool
	var version int
	_, err = pgx.ForEachRow(rows, []any{&isLeast, &version}, func() error {
		if isLeast {
			v.least = version
		}
		v.has = max(v.has, version)
		return nil
	})
	return v, err
}

// checkVersion rejects tables that lack what this program reads.
func checkVersion(ctx context.Context, c *pgx.Conn) (v versions, err error) {
	v, err = readVersions(ctx, c, "")
	switch {
	case hasCode(err, "42P01", "3F000") || err == nil && v.has == 0: // undefined_table, invalid_schema_name
		return v, schemaMissing(" " + errors.Quote(c.Config().Database))
	case err != nil:
		return v, explain(err)
	case v.has < Version:
		return v, errors.E(errors.Invalid, "the tables of the database have version %d, this Blue needs %d",
			v.has, Version).
			Hint("", "", "upgrade them once, before the servers start, with: blue server migrate")
	}
	return v, nil
}

// checkUse rejects tables that this program cannot read or must not write.
func checkUse(ctx context.Context, c *pgx.Conn) error {
	v, err := checkVersion(ctx, c)
	if err == nil && v.least > Version {
		err = schemaNewer(v.least, Version)
	}
	return err
}
