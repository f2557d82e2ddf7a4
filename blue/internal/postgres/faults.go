package postgres

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"blue/blue/internal/store"
	"blue/errors"
)

// What PostgreSQL says of a transaction that met another one.
const (
	serialization = "40001"
	deadlock      = "40P01"
)

// What a hopeful write meets when others have written meanwhile: no row was taken, or a name is
// taken that was free.
const (
	noneTaken = "22012" // division_by_zero
	nameTaken = "23505" // unique_violation
)

// isDashed reports what dashes the hope of a hopeful write: it has to be made anew.
func isDashed(err error) bool {
	fault, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (fault.Code == noneTaken || fault.Code == nameTaken)
}

// isMet reports that a transaction met another one and may be tried again.
func isMet(err error) bool {
	fault, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (fault.Code == serialization || fault.Code == deadlock)
}

// isUnconfirmed reports whether the engine says with a notice that it has committed without
// waiting for its standbys to the end: somebody has ended the wait.
func isUnconfirmed(n *pgconn.Notice) bool {
	return n.SeverityUnlocalized == "WARNING" && (n.Code == "01000" || n.Code == "57P01") // warning, admin_shutdown
}

// explain turns an error of the engine into one that a user understands.
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
		return errors.DatabaseReadOnly(err)
	case "53100": // disk_full
		return errors.DatabaseFull(err)
	case "55P03": // lock_not_available
		return errors.Locked(0)
	case "42P01", "3F000": // undefined_table, invalid_schema_name
		return errors.SchemaMissing()
	case "42501", "28000", "28P01", "3D000", "0LP01", "22023": // of rights, roles and names
		return errors.StoreRefused(fault.Message)
	case "57014", "57P01", "57P02", "57P03", "53300", "53200", "53000", "25P02":
		return errors.DatabaseAway(err)
	}
	if fault.Code[:2] == "08" || fault.Code[:2] == "58" { // connections, the system
		return errors.DatabaseAway(err)
	}
	return fmt.Errorf("the database: %w", err)
}

// pause waits for a random time that grows with the tries.
func pause(ctx context.Context, try int) {
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(rand.Int64N(int64(5*time.Millisecond) << min(try, 6)))):
	}
}
