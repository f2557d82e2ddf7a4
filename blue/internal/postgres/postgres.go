// Package postgres keeps the notes of many projects in PostgreSQL, or in an engine that
// speaks its protocol and its SQL. It knows bytes, names and revisions, not notes, and says
// what goes wrong in the words of the files' store.
//
// Every statement runs in a transaction that has set the project and the subject first;
// the policies of the tables show it nothing else. A write is one transaction, which takes
// the row of its project before anything else, so that writes to one project follow one
// another and its sequence number says everything that has changed. docs/server.md tells a
// call step by step.
package postgres

import (
	"context"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/jackc/pgx/v5/pgconn"

	"blue/blue/internal/store"
	"blue/errors"
)

const (
	connectTime = 2 * time.Second // of one connection
	answerTime  = 3 * time.Second // of one transaction: an engine that is slower counts as away
	lockTime    = 2 * time.Second // for the writers before this one, here and elsewhere
	maxTries    = 5               // of a transaction that met another one
	mostOpen    = 16              // connections, unless the URL says pool_max_conns
)

// What PostgreSQL says of a transaction that met another one.
const (
	serialization = "40001"
	deadlock      = "40P01"
)

// Database is the pool of connections of a server.
type Database struct {
	pool    *pool
	bodies  bodyCache
	writing sync.Map // project → semaphore of the one writer of this process there
}

// Open makes the pool of a server; nothing is connected before it is needed. The kind of an
// error is Invalid: the URL cannot be one.
func Open(url string) (*Database, error) {
	config, most, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	return &Database{pool: newPool(config, most, func(ctx context.Context, c *conn) error {
		if err := checkVersion(ctx, c); err != nil {
			return err
		}
		return c.script(ctx, "SET ROLE "+servingRole)
	})}, nil
}

// Close ends the connections.
func (d *Database) Close() { d.pool.close() }

// Check says whether the database answers and has the tables of this program.
func (d *Database) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	c, err := d.pool.take(ctx)
	if err == nil {
		err = checkVersion(ctx, c)
		d.pool.put(c)
	}
	return explain(err)
}

// PoolState is how many connections there are, and how many of them work.
type PoolState struct{ Open, Busy, Most int }

// Pool counts the connections.
func (d *Database) Pool() PoolState {
	d.pool.mu.Lock()
	defer d.pool.mu.Unlock()
	return PoolState{d.pool.opened, len(d.pool.places), cap(d.pool.places)}
}

// connect opens a single connection, for commands.
func connect(ctx context.Context, url string) (*conn, error) {
	config, _, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	c, err := connectTo(ctx, config)
	return c, explain(err)
}

// poolSize is the parameter of a URL that says how many connections there may be.
const poolSize = "pool_max_conns"

// parseURL reads the URL of a database.
func parseURL(url string) (config *pgconn.Config, most int, err error) {
	if config, err = pgconn.ParseConfig(url); err != nil {
		return nil, 0, errors.BadStore(err.Error())
	}
	most = mostOpen
	if given, ok := config.RuntimeParams[poolSize]; ok {
		delete(config.RuntimeParams, poolSize)
		if most, err = strconv.Atoi(given); err != nil || most < 1 {
			return nil, 0, errors.BadStore(poolSize + " is no number above 0")
		}
	}
	config.ConnectTimeout = connectTime
	if config.RuntimeParams["application_name"] == "" {
		config.RuntimeParams["application_name"] = "blue"
	}
	return config, most, nil
}

// scope is whose rows a transaction sees.
type scope struct{ project, subject string }

const setScope = "SELECT set_config('blue.project', $1, true), set_config('blue.subject', $2, true)"

// query runs one statement that reads, as a transaction of its own in a single round trip.
// Before it is tried again, begin is called; each is called for its rows.
func (d *Database) query(ctx context.Context, s scope, q reading) error {
	var b batch
	b.add(nil, "BEGIN READ ONLY")
	b.add(nil, setScope, s.project, s.subject)
	b.add(q.each, q.sql, q.args...)
	b.add(nil, "COMMIT")
	return d.send(ctx, b, q.begin)
}

// reading is a statement that reads.
type reading struct {
	sql   string
	args  []any
	begin func() // forgets the rows of an attempt that failed; may be nil
	each  func(r row) error
}

// send sends statements in one round trip, and again when they met another transaction.
func (d *Database) send(ctx context.Context, b batch, begin func()) error {
	for try := 1; ; try++ {
		if begin != nil {
			begin()
		}
		err := d.sendOnce(ctx, b)
		if err == nil || !isMet(err) {
			return explain(err)
		}
		if try == maxTries {
			return errors.Contended(maxTries)
		}
		pause(ctx, try)
	}
}

func (d *Database) sendOnce(ctx context.Context, b batch) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	c, err := d.pool.take(ctx)
	if err != nil {
		return err
	}
	defer d.pool.put(c)
	return c.send(ctx, b)
}

// isMet reports that a transaction met another one and may be tried again.
func isMet(err error) bool {
	fault, ok := errors.AsType[*pgconn.PgError](err)
	return ok && (fault.Code == serialization || fault.Code == deadlock)
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
