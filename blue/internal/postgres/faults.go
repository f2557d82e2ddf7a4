package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

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

// isOvertaken reports whether an optimistic write comes after another write: no row of the
// project matched, or a name is taken that was free.
func isOvertaken(err error) bool {
	return hasCode(err, "22012", "23505") // division_by_zero, unique_violation
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
			Hint("", "", "nothing was changed: tell the people who keep the server, who can prune the project's history or give it more")
	case "55P03": // lock_not_available
		return errors.Locked(0)
	case "42P01", "3F000": // undefined_table, invalid_schema_name
		return schemaMissing()
	case "42501", "28000", "28P01", "3D000", "0LP01", "22023": // privileges, roles and names
		return errors.E(errors.Invalid, "the database refuses: %s", errors.Quote(fault.Message)).
			Hint("", "", "see docs/server.md for the roles and rights that Blue needs")
	case "57014", "57P01", "57P02", "57P03", "53300", "53200", "53000", "25P02":
		return errors.DatabaseAway(err)
	}
	if fault.Code[:2] == "08" || fault.Code[:2] == "58" { // connection and system errors
		return errors.DatabaseAway(err)
	}
	return fmt.Errorf("the database: %w", err)
}

// pause sleeps for a random time that grows with the number of tries.
func pause(ctx context.Context, try int) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(rand.Int64N(int64(5*time.Millisecond) << min(try, 6)))):
	}
}

// badStore says why --store names no database.
func badStore(reason string) *errors.Error {
	return errors.E(errors.Invalid, "the store cannot be used: %s", reason).
		Hint("", "", "give the URL of a PostgreSQL database, as postgres://blue@HOST/NAME")
}

// schemaMissing says that the database holds no notes of Blue yet.
func schemaMissing() *errors.Error {
	return errors.E(errors.Invalid, "the database has no tables of Blue").
		Hint("", "", "make them with: blue server migrate")
}

// schemaNewer says that the tables are those of a later Blue.
func schemaNewer(found, wanted int) *errors.Error {
	return errors.E(errors.Invalid, "the tables of the database have version %d, this Blue knows %d", found, wanted).
		Hint("version", "", "see which Blue this is; install the one that made the tables")
}

// noSuch says that there is nothing of that name to change.
func noSuch(kind, name string) *errors.Error {
	return errors.E(errors.NotFound, "there is no %s %s", kind, errors.Quote(name)).Hint("", "", "see the list: blue server "+kind+" list")
}

// nameTaken says that a project of the name is there already.
func nameTaken(name string) *errors.Error {
	return errors.E(errors.Exists, "there is already a project %s", errors.Quote(name)).
		Hint("", "", "see the projects: blue server project list")
}
