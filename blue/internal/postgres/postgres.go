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
	"sync"
	"time"

	"blue/errors"
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
		if _, err := checkVersion(ctx, c); err != nil { // of later tables it reads what is still there
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
		err = checkUse(ctx, c)
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

// enterProject waits for the writers of this process that came before, without a connection,
// which the first of them may need.
func (d *Database) enterProject(ctx context.Context, project string) (leave func(), waited bool, err error) {
	entry, _ := d.writing.LoadOrStore(project, make(chan struct{}, 1))
	one := entry.(chan struct{})
	leave = func() { <-one }
	select {
	case one <- struct{}{}:
		return leave, false, nil
	default:
	}
	select {
	case one <- struct{}{}:
		return leave, true, nil
	case <-ctx.Done():
		return nil, true, ctx.Err()
	case <-time.After(lockTime):
		return nil, true, errors.Locked(0)
	}
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
