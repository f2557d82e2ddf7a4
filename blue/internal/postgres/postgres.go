// Package postgres stores the notes of many projects in PostgreSQL, or in an engine that
// speaks its protocol and its SQL. It handles notes as bytes with a name and a revision, and
// reports failures with the errors of package store.
//
// Each statement runs in a transaction that first sets the project and the subject; the
// row-level security policies of the tables hide everything else from it. A write is one
// transaction. It locks the row of its project first, so writes to one project are serialized
// and the project's sequence number counts its changes. Package server describes the steps of a
// call.
package postgres

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"blue/errors"
)

// Database is the connection pool of a server. It is safe for concurrent use.
type Database struct {
	Observe func(took time.Duration) // called for each transaction; may be nil

	pool    *pgxpool.Pool
	plain   *atomic.Bool // statements are not prepared by name, since a pooler does not keep them
	bodies  bodyCache
	erased  sync.Map // project → the last [Stand.Erased]
	writing sync.Map // project → semaphore of the writers of this process
}

// Open returns the pool of a server. It does not connect. If url is malformed the error is of
// kind Invalid.
func Open(url string) (*Database, error) {
	config, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	plain := new(atomic.Bool)
	config.BeforeConnect = func(_ context.Context, c *pgx.ConnConfig) error {
		if plain.Load() {
			c.DefaultQueryExecMode = pgx.QueryExecModeExec
		}
		return nil
	}
	config.AfterConnect = func(ctx context.Context, c *pgx.Conn) error {
		ctx, cancel := context.WithTimeout(ctx, connectTime)
		defer cancel()
		registerTypes(c)
		if err := checkServing(ctx, c); err != nil {
			return err
		}
		return checkVersion(ctx, c)
	}
	pool, err := pgxpool.NewWithConfig(context.Background(), config)
	if err != nil {
		return nil, badStore(err.Error())
	}
	return &Database{pool: pool, plain: plain}, nil
}

// Close waits until all connections are idle, and closes them.
func (d *Database) Close() { d.pool.Close() }

// isUnprepared reports whether err is that of a pooler that does not keep prepared statements. From
// then on the database is used without them, and what has failed can be tried again.
func (d *Database) isUnprepared(err error) bool {
	if !hasCode(err, "26000", "42P05") { // invalid_sql_statement_name, duplicate_prepared_statement
		return false
	}
	if !d.plain.Swap(true) {
		d.pool.Reset()
	}
	return true
}

// Check reports whether the database can be reached and has the tables of this program.
func (d *Database) Check(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	c, err := d.acquire(ctx)
	if err == nil {
		err = checkVersion(ctx, c.Conn())
		release(c)
	}
	return explainConnect(err)
}

// Pool returns the number of open connections, of those in use, and the limit.
func (d *Database) Pool() (open, busy, most int) {
	s := d.pool.Stat()
	return int(s.TotalConns()), int(s.AcquiredConns()), int(s.MaxConns())
}

// acquire takes a connection from the pool, and waits for one for placeTime when all are in use.
func (d *Database) acquire(ctx context.Context) (*pgxpool.Conn, error) {
	open, busy, most := d.Pool()
	if open < most || busy < most {
		return d.pool.Acquire(ctx)
	}
	waits, cancel := context.WithTimeout(ctx, placeTime)
	defer cancel()
	c, err := d.pool.Acquire(waits)
	if err != nil && ctx.Err() == nil && waits.Err() != nil {
		err = errors.E(errors.Busy, "the call has waited in vain: all %d connections to the database are in use", most).
			Hint("", "", "try again in a moment; nothing was changed unless a write had begun, which may be sent again as it was")
	}
	return c, err
}

// observe reports how long a round trip took.
func (d *Database) observe(began time.Time) {
	if d.Observe != nil {
		d.Observe(time.Since(began))
	}
}

// release returns a connection to the pool. A broken connection leaves the pool immediately:
// the pool would count it until the engine, which may not answer, has closed it.
func release(c *pgxpool.Conn) {
	if c.Conn().IsClosed() {
		c.Hijack()
		return
	}
	c.Release()
}

// enterProject waits until other writers of this process have left the project. While it waits
// it holds no connection, since the first writer may need one.
func (d *Database) enterProject(ctx context.Context, project string) (leave func(), err error) {
	entry, _ := d.writing.LoadOrStore(project, make(chan struct{}, 1))
	one := entry.(chan struct{})
	select {
	case one <- struct{}{}:
		return func() { <-one }, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(lockTime):
		return nil, errors.Locked(0)
	}
}

const setScope = "SELECT set_config('blue.project', $1, true), set_config('blue.subject', $2, true)"

// queueScope queues the statements that begin a transaction which sees what a subject may see
// of a project.
func queueScope(b *pgx.Batch, begin, project, subject string) {
	b.Queue(begin)
	b.Queue(setScope, project, subject)
}

// query runs one statement as a read-only transaction, in a single round trip. It calls read
// once for each attempt.
func (d *Database) query(
	ctx context.Context, project, subject string, read func(pgx.Rows) error, sql string, args ...any,
) error {
	return d.send(ctx, func(b *pgx.Batch) {
		queueScope(b, "BEGIN READ ONLY", project, subject)
		b.Queue(sql, args...).Query(read)
		b.Queue("COMMIT")
	})
}

// send sends the statements that queue adds to a batch in one round trip. After a conflict
// with another transaction it tries again, with another call of queue.
func (d *Database) send(ctx context.Context, queue func(b *pgx.Batch)) error {
	for try := 1; ; try++ {
		err := d.sendOnce(ctx, queue)
		if err == nil || !isConflict(err) && !d.isUnprepared(err) {
			return explain(err)
		}
		if try == maxTries {
			return errors.Contended(maxTries)
		}
		pause(ctx, try)
	}
}

func (d *Database) sendOnce(ctx context.Context, queue func(b *pgx.Batch)) error {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	c, err := d.acquire(ctx)
	if err != nil {
		return err
	}
	defer release(c)
	b := &pgx.Batch{}
	queue(b)
	defer d.observe(time.Now())
	return send(ctx, c.Conn(), b)
}
