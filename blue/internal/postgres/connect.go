package postgres

import (
	"cmp"
	"context"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"

	"blue/errors"
)

const (
	connectTime = 2 * time.Second // to connect to one host
	answerTime  = 3 * time.Second // for one transaction; a slower engine counts as unreachable
	placeTime   = time.Second     // to wait for a connection when all are in use, and for a ping
	lockTime    = 2 * time.Second // to wait for other writers of the project
	idleTime    = 5 * time.Minute // after which an idle connection is closed
	maxTries    = 5               // attempts at a transaction that conflicts with others
	mostOpen    = 16              // connections, unless the URL has pool_max_conns
)

// poolSize is the URL parameter that limits the number of connections.
const poolSize = "pool_max_conns"

// parseURL parses the URL of a database. It takes the parameters of libpq, pgx and pgxpool.
func parseURL(url string) (*pgxpool.Config, error) {
	plain, err := pgx.ParseConfig(url)
	if err != nil {
		return nil, badURL(err)
	}
	size, limited := plain.RuntimeParams[poolSize]
	if n, err := strconv.Atoi(size); limited && (err != nil || n < 1) {
		return nil, badStore(poolSize + " is no number above 0")
	}
	config, err := pgxpool.ParseConfig(url)
	if err != nil {
		return nil, badURL(err)
	}
	if !limited {
		config.MaxConns = mostOpen
	}
	config.MaxConnIdleTime, config.PingTimeout = idleTime, placeTime
	config.ConnConfig.ConnectTimeout = connectTime
	// The engine sends such a warning when an administrator has ended its wait for a standby.
	config.ConnConfig.OnNotice = func(c *pgconn.PgConn, n *pgconn.Notice) {
		if n.SeverityUnlocalized == "WARNING" && (n.Code == "01000" || n.Code == "57P01") { // warning, admin_shutdown
			c.CustomData()[unconfirmed] = true
		}
	}
	if config.ConnConfig.RuntimeParams["application_name"] == "" {
		config.ConnConfig.RuntimeParams["application_name"] = "blue"
	}
	return config, nil
}

// connect opens a single connection, for the commands of an operator. It prepares no statements by
// name, which a pooler may not keep.
func connect(ctx context.Context, url string) (*pgx.Conn, error) {
	config, err := parseURL(url)
	if err != nil {
		return nil, err
	}
	config.ConnConfig.DefaultQueryExecMode = pgx.QueryExecModeExec
	c, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return nil, explainConnect(err)
	}
	registerTypes(c)
	return c, nil
}

// setDurable makes the commit of a transaction wait for the engine's synchronous standbys,
// whatever the role or the database has set, and lets the engine report a wait that was cut short.
const setDurable = `SELECT set_config('client_min_messages', 'warning', true), set_config('synchronous_commit',
	CASE current_setting('synchronous_commit', true) WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, true)`

// setOperating begins a transaction of the owner of the tables, who then sees all rows.
const setOperating = setDurable + ", set_config('blue.operator', 'on', true)"

// unconfirmed is the key under which a connection remembers that the engine has committed
// without the confirmation of its standbys.
const unconfirmed = "unconfirmed"

// send sends the statements of a batch in one round trip and runs their callbacks. It fails
// if the last statement has committed without the confirmation of the standbys.
func send(ctx context.Context, c *pgx.Conn, b *pgx.Batch) (err error) {
	results := c.SendBatch(ctx, b)
	for _, q := range b.QueuedQueries {
		delete(c.PgConn().CustomData(), unconfirmed) // a warning of an earlier statement
		if q.Fn != nil {
			err = q.Fn(results)
		} else {
			_, err = results.Exec()
		}
		if err != nil {
			break
		}
	}
	if isConflict(err) {
		b.QueuedQueries = nil // pgx would prepare the statements of a failed batch again
	}
	closing := results.Close()
	return confirmed(c, cmp.Or(err, closing))
}

// transact runs do as one transaction of the owner of the tables. It fails if that has committed
// without the confirmation of the standbys.
func transact(ctx context.Context, c *pgx.Conn, do func() error) error {
	return confirmed(c, pgx.BeginFunc(ctx, c, func(pgx.Tx) error {
		defer delete(c.PgConn().CustomData(), unconfirmed)
		if _, err := c.Exec(ctx, setOperating); err != nil {
			return err
		}
		return do()
	}))
}

// confirmed returns the error of a commit, which may be that no standby has confirmed it.
func confirmed(c *pgx.Conn, err error) error {
	if err == nil && c.PgConn().CustomData()[unconfirmed] != nil {
		return errors.E(errors.Busy, "the database has not confirmed that its standby has the write").
			Hint("", "", "send it again as it was: what is there is not written twice")
	}
	return err
}

// collect returns a callback that stores the rows of a statement in all.
func collect[T any](all *[]T, row pgx.RowToFunc[T]) func(pgx.Rows) error {
	return func(rows pgx.Rows) (err error) {
		*all, err = pgx.CollectRows(rows, row)
		return err
	}
}

// into returns a callback that stores a number.
func into(n *int64) func(row pgx.Row) error { return func(row pgx.Row) error { return row.Scan(n) } }

// registerTypes lets a connection scan bigint columns into a [time.Time]. It also names the types
// of the parameters of queries, which default_query_exec_mode=exec needs: the program is built with
// the tag nopgxregisterdefaulttypes, which leaves out 1.4 MB for types that it does not use.
func registerTypes(c *pgx.Conn) {
	m := c.TypeMap()
	m.RegisterType(&pgtype.Type{Name: "int8", OID: pgtype.Int8OID, Codec: bigint{}})
	for _, t := range []struct {
		value any
		name  string
	}{
		{"", "text"}, {[]string{}, "_text"}, {[]byte{}, "bytea"}, {[][]byte{}, "_bytea"}, {false, "bool"},
		{0, "int8"}, {int64(0), "int8"}, {uint64(0), "int8"}, {time.Duration(0), "int8"}, {new(time.Duration), "int8"},
	} {
		m.RegisterDefaultPgType(t.value, t.name)
	}
}

// bigint is the codec of bigint columns. A column that holds nanoseconds since 1970 may be
// scanned into a [time.Time]; 0 is the zero time.
type bigint struct{ pgtype.Int8Codec }

// PlanScan implements [pgtype.Codec].
func (b bigint) PlanScan(m *pgtype.Map, oid uint32, format int16, target any) pgtype.ScanPlan {
	if _, ok := target.(*time.Time); ok {
		return scanTime{b.Int8Codec.PlanScan(m, oid, format, new(int64))}
	}
	return b.Int8Codec.PlanScan(m, oid, format, target)
}

// scanTime scans a column of nanoseconds; number scans the column as an int64.
type scanTime struct{ number pgtype.ScanPlan }

// Scan implements [pgtype.ScanPlan].
func (s scanTime) Scan(src []byte, target any) error {
	var nanoseconds int64
	err := s.number.Scan(src, &nanoseconds)
	t := target.(*time.Time)
	if *t = (time.Time{}); nanoseconds != 0 {
		*t = time.Unix(0, nanoseconds)
	}
	return err
}
