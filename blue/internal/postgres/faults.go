package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"blue/blue/internal/store"
	"blue/errors"
)

// hasCode reports whether err is an error of the engine with one of the SQLSTATE codes.
func hasCode(err error, codes ...string) bool {
	fault, ok := errors.AsType[*pgconn.PgError](err)
	return ok && slices.Contains(codes, fault.Code)
}

// isConflict reports whether a transaction conflicts with another one and may be retried.
func isConflict(err error) bool {
	return hasCode(err, "40001", "40P01") // serialization_failure, deadlock_detected
}

// explain turns an error of the engine into one for users.
func explain(err error) error {
	if err == nil {
		return nil
	}
	if own, ok := errors.AsType[*errors.Error](err); ok {
		return own
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, store.ErrAgain) {
		return err
	}
	fault, ok := errors.AsType[*pgconn.PgError](err)
	if !ok {
		return errors.DatabaseAway(err)
	}
	switch fault.Code {
	case "25006": // read_only_sql_transaction
		return errors.E(errors.Busy, "the database of the notes takes no writes now").Because(err).
			Hint("", "", "try again in a few seconds; nothing was changed")
	case "53100": // disk_full
		return errors.E(errors.Disk, "the disk of the database is full").Because(err).
			Hint("", "", "nothing was changed: tell the people who keep the server")
	case "53400": // configuration_limit_exceeded, of the trigger that checks quotas
		return errors.E(errors.TooLarge, "%s", fault.Message).
			Hint("", "", "nothing was changed: tell the people who keep the server, who can give it more")
	case "55P03": // lock_not_available
		return errors.Locked(0)
	case "42P01", "3F000": // undefined_table, invalid_schema_name
		return schemaMissing("")
	case "26000", "42P05": // invalid_sql_statement_name, duplicate_prepared_statement
		return errors.E(errors.Busy, "the pooler before the database does not keep prepared statements").Because(err).
			Hint("", "", "try again; those who keep the server can add default_query_exec_mode=exec to the URL of the database")
	case "42704": // undefined_object
		return errors.E(errors.Invalid, "the database refuses: %s", errors.Quote(fault.Message)).
			Hint("", "", "make the roles of Blue first: blue server init --print")
	case "42501", "28000", "28P01", "3D000", "0LP01", "22023": // privileges, roles and names
		return errors.E(errors.Invalid, "the database refuses: %s", errors.Quote(fault.Message)).
			Hint("", "", "use the URL of the role that owns the tables; blue server init --print shows the roles and their rights")
	case "57014", "57P01", "57P02", "57P03", "53300", "53200", "53000", "25P02":
		return errors.DatabaseAway(err)
	}
	if fault.Code[:2] == "08" || fault.Code[:2] == "58" { // connection and system errors
		return errors.DatabaseAway(err)
	}
	return fmt.Errorf("the database: %w", err)
}

// connectFaults are the connection failures with a remedy of their own, identified by the
// message of the driver.
var connectFaults = []struct {
	said string
	kind errors.Kind
	next string
}{
	{"SQLSTATE 28P01", errors.Invalid, "check the role and its password, in the URL or in the file that passfile=FILE names; ALTER ROLE sets a new one"},
	{"SQLSTATE 28000", errors.Invalid, "check the role in the URL, and that pg_hba.conf of the engine has a line for it, the database and this address"},
	{"SQLSTATE 3D000", errors.Invalid, "check the name of the database in the URL, or make it: blue server init --print"},
	{"ValidateConnect", errors.Busy, "name all hosts of the database in the URL, that which target_session_attrs asks for too"},
	{"certificate", errors.Invalid, "give the authority that has signed the certificate as sslrootcert=FILE, and the host by a name in the certificate"},
	{"refused TLS", errors.Invalid, "turn on ssl in the engine, or give sslmode=disable in a network that you trust"},
}

// explainConnect turns a connection failure into an error for the operators of a server, which
// names what was tried. It is of kind Busy if trying again may help.
func explainConnect(err error) error {
	failed, ok := errors.AsType[*pgconn.ConnectError](err)
	if !ok {
		return explain(err)
	}
	lines := slices.Compact(strings.Split(failed.Error(), "\n\t")) // for each host, with and without TLS
	said := errors.Visible(strings.Replace(strings.Join(lines, "; "), ":; ", ": ", 1))
	for _, f := range connectFaults {
		if strings.Contains(lines[len(lines)-1], f.said) {
			return errors.E(f.kind, "%s", said).Because(err).Hint("", "", f.next)
		}
	}
	if _, answered := errors.AsType[*pgconn.PgError](err); answered {
		e := errors.Of(explain(err))
		e.Message = said
		return e
	}
	return errors.E(errors.Busy, "%s", said).Because(err).
		Hint("", "", "check host and port in the URL, and that PostgreSQL runs and listens there")
}

// explainOperating is explain for the commands of an operator. It names an engine that takes no
// writes.
func explainOperating(c *pgx.Conn, err error) error {
	if !hasCode(err, "25006") { // read_only_sql_transaction
		return explain(err)
	}
	return errors.E(errors.Busy, "the database %s at %s takes no writes: it is a standby, or is set to read only",
		errors.Quote(c.Config().Database), c.PgConn().Conn().RemoteAddr()).Because(err).
		Hint("", "", "name all hosts of the database in the URL, with target_session_attrs=read-write; nothing was changed")
}

// pause sleeps for a random time that grows with the number of tries.
func pause(ctx context.Context, try int) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(rand.Int64N(int64(5*time.Millisecond) << min(try, 6)))):
	}
}

// badURL returns the error for a URL that cannot be parsed. It leaves out the URL at the
// beginning of pgx's message, because its password may not have been recognized.
func badURL(err error) *errors.Error {
	said := err.Error()
	if end := strings.LastIndex(said, "`: "); end >= 0 {
		said = said[end+len("`: "):]
	}
	return badStore(said)
}

// badStore returns the error for a --store that is not the URL of a database.
func badStore(reason string) *errors.Error {
	return errors.E(errors.Invalid, "the store cannot be used: %s", reason).
		Hint("", "", "give the URL of a PostgreSQL database, as postgres://blue@HOST/NAME")
}

// schemaMissing returns the error for a database without tables of Blue.
func schemaMissing(database string) *errors.Error {
	return errors.E(errors.Invalid, "the database%s has no tables of Blue", database).
		Hint("", "", "make them with: blue server migrate")
}

// noSuch returns the error for a change of something that does not exist.
func noSuch(kind, name string) *errors.Error {
	return errors.E(errors.NotFound, "there is no %s %s", kind, errors.Quote(name)).Hint("", "", "see the list: blue server "+kind+" list")
}

// nameTaken returns the error for a project name that is already used.
func nameTaken(name string) *errors.Error {
	return errors.E(errors.Exists, "there is already a project %s", errors.Quote(name)).
		Hint("", "", "see the projects: blue server project list")
}
