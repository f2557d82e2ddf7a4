package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"

	"github.com/jackc/pgx/v5/pgconn"

	"blue/errors"
)

// What follows speaks to the engine through pgconn alone: pgx itself, with its types, would
// make the program 3 MB larger.

// conn is one connection, with the statements that it has prepared.
type conn struct {
	*pgconn.PgConn
	prepared    map[string]string // SQL → name
	unconfirmed bool              // the last statement has committed, and no standby has confirmed it
}

// connectTo opens a connection.
func connectTo(ctx context.Context, config *pgconn.Config) (c *conn, err error) {
	c, config = &conn{prepared: map[string]string{}}, config.Copy()
	config.OnNotice = func(_ *pgconn.PgConn, n *pgconn.Notice) { c.unconfirmed = c.unconfirmed || isUnconfirmed(n) }
	c.PgConn, err = pgconn.ConnectConfig(ctx, config)
	return c, err
}

// setDurable makes a commit wait for the standbys that the engine is to wait for, whatever
// the role or the database has set, and lets the engine say when it did not wait to the end.
// Its argument says whether it is for the transaction alone.
const setDurable = `SELECT set_config('client_min_messages', 'warning', $1::boolean), set_config('synchronous_commit',
	CASE current_setting('synchronous_commit', true) WHEN 'remote_apply' THEN 'remote_apply' ELSE 'on' END, $1::boolean)`

// statement is one of a batch. Its rows are read by each, if that is not nil.
type statement struct {
	sql     string
	args    []any
	each    func(r row) error
	changed int64 // rows, once it was sent
}

// batch is statements that are sent in one round trip.
type batch []*statement

// add adds a statement; the function, which may be nil, is called for each row.
func (b *batch) add(each func(r row) error, sql string, args ...any) *statement {
	s := &statement{sql: sql, args: args, each: each}
	*b = append(*b, s)
	return s
}

// send sends a batch and reads what comes back. After an error nothing more of it is done.
// A commit that the engine has made without waiting for its standbys is an error as well.
func (c *conn) send(ctx context.Context, b batch) (err error) {
	queue := &pgconn.Batch{}
	for _, s := range b {
		name, err := c.prepare(ctx, s.sql)
		if err != nil {
			return err
		}
		values, formats, err := encodeAll(s.args)
		if err != nil {
			return err
		}
		queue.ExecPrepared(name, values, formats, []int16{1})
	}
	results := c.ExecBatch(ctx, queue)
	defer func() {
		if closing := results.Close(); err == nil {
			err = closing
		}
		if err == nil && c.unconfirmed {
			err = errors.CommitUnconfirmed()
		}
	}()
	for _, s := range b {
		c.unconfirmed = false // what a statement before the commit says is another matter
		if !results.NextResult() {
			return nil // Close says why
		}
		if err := s.read(results.ResultReader()); err != nil {
			return err
		}
	}
	return nil
}

// read reads the rows of a statement.
func (s *statement) read(result *pgconn.ResultReader) (err error) {
	for result.NextRow() {
		if s.each != nil && err == nil {
			err = s.each(row(result.Values()))
		}
	}
	tag, failed := result.Close()
	s.changed = tag.RowsAffected()
	if failed != nil {
		return failed
	}
	return err
}

// exec sends one statement and returns how many rows it has changed.
func (c *conn) exec(ctx context.Context, sql string, args ...any) (changed int64, err error) {
	var b batch
	s := b.add(nil, sql, args...)
	err = c.send(ctx, b)
	return s.changed, err
}

// script sends several statements without arguments, as one text.
func (c *conn) script(ctx context.Context, sql string) error {
	_, err := c.Exec(ctx, sql).ReadAll()
	return err
}

// query sends one statement and calls each for its rows.
func (c *conn) query(ctx context.Context, each func(r row) error, sql string, args ...any) error {
	var b batch
	b.add(each, sql, args...)
	return c.send(ctx, b)
}

// prepare prepares a statement once for a connection.
func (c *conn) prepare(ctx context.Context, sql string) (name string, err error) {
	if name, ok := c.prepared[sql]; ok {
		return name, nil
	}
	name = "s" + strconv.Itoa(len(c.prepared))
	if _, err = c.Prepare(ctx, name, sql, nil); err == nil {
		c.prepared[sql] = name
	}
	return name, err
}

// transact runs what do does as one transaction.
func (c *conn) transact(ctx context.Context, do func() error) error {
	if _, err := c.exec(ctx, "BEGIN"); err != nil {
		return err
	}
	if err := do(); err != nil {
		_ = c.script(context.WithoutCancel(ctx), "ROLLBACK")
		return err
	}
	_, err := c.exec(ctx, "COMMIT")
	return err
}

// encodeAll writes arguments as the engine reads them: bytes as they are, all others as text.
func encodeAll(args []any) (values [][]byte, formats []int16, err error) {
	values, formats = make([][]byte, len(args)), make([]int16, len(args))
	for i, arg := range args {
		switch arg := arg.(type) {
		case []byte:
			values[i], formats[i] = append([]byte{}, arg...), 1
		case string:
			values[i] = []byte(arg)
		case int:
			values[i] = strconv.AppendInt([]byte{}, int64(arg), 10)
		case int64:
			values[i] = strconv.AppendInt([]byte{}, arg, 10)
		case []string:
			values[i] = encodeArray(arg)
		default:
			return nil, nil, fmt.Errorf("an argument of type %T", arg)
		}
	}
	return values, formats, nil
}

// encodeArray writes an array of texts.
func encodeArray(words []string) []byte {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	b := []byte{'{'}
	for i, word := range words {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(append(append(b, '"'), quoted.Replace(word)...), '"')
	}
	return append(b, '}')
}

// row is the values of a row, as the engine sends them in its binary form.
type row [][]byte

// scan reads the values into as many variables.
func (r row) scan(to ...any) error {
	if len(to) != len(r) {
		return errors.New("a row has another number of values")
	}
	for i, value := range r {
		switch to := to[i].(type) {
		case *string:
			*to = string(value)
		case *[]byte:
			*to = append([]byte{}, value...)
		case *int64:
			*to = decodeNumber(value)
		case *bool:
			*to = len(value) == 1 && value[0] != 0
		default:
			return fmt.Errorf("a variable of type %T", to)
		}
	}
	return nil
}

// decodeNumber reads a number of 2, 4 or 8 bytes.
func decodeNumber(value []byte) int64 {
	switch len(value) {
	case 2:
		return int64(int16(binary.BigEndian.Uint16(value)))
	case 4:
		return int64(int32(binary.BigEndian.Uint32(value)))
	case 8:
		return int64(binary.BigEndian.Uint64(value))
	}
	return 0
}
