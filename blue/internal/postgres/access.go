package postgres

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"blue/blue/internal/store"
	"blue/errors"
)

// Notes are the notes of one project during one call.
type Notes struct {
	d   *Database
	ctx context.Context // of the call; the methods of a store take none
	a   Access

	mu   sync.Mutex // serializes the statements of the transaction
	held *Held      // the current write, or nil
}

// Notes opens the notes for one call. Each statement has its own time limit, and ignores the
// cancellation of ctx so that a write is not abandoned halfway.
func (d *Database) Notes(ctx context.Context, a Access) *Notes {
	return &Notes{d: d, ctx: context.WithoutCancel(ctx), a: a}
}

// query runs one statement that reads, within the current write if there is one.
func (n *Notes) query(read func(pgx.Rows) error, sql string, args ...any) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.held != nil {
		return n.held.query(read, sql, args...)
	}
	return n.d.query(n.ctx, n.a.Project, n.a.Subject, read, sql, args...)
}

// list returns the rows of a statement that reads.
func list[T any](n *Notes, row pgx.RowToFunc[T], sql string, args ...any) (all []T, err error) {
	err = n.query(collect(&all, row), sql, args...)
	return all, err
}

// first returns the first row of a statement that reads, or the error absent without one.
func first[T any](n *Notes, absent error, row pgx.RowToFunc[T], sql string, args ...any) (one T, err error) {
	all, err := list(n, row, sql, args...)
	if len(all) > 0 {
		return all[0], err
	}
	return one, cmp.Or(err, absent)
}

// view returns the owner whose private notes the index of this call includes, or "".
func (n *Notes) view() string {
	if n.a.Own {
		return n.a.Subject
	}
	return ""
}

// owner returns the owner of a note with that name: the subject for a private note, "" for a
// public one.
func (n *Notes) owner(name string) string {
	if isPrivate(name) {
		return n.a.Subject
	}
	return ""
}

// Last returns the last change that this call must see, and when that was asked for. Within a
// write it is the change before it.
func (n *Notes) Last() (store.Mark, time.Time) {
	if n.held != nil {
		return n.held.last, n.held.asked
	}
	return n.a.Mark, n.a.Asked
}

// RecordRefusal writes to the audit that the subject tried what its role does not allow. The
// caller refuses the verb whether or not that succeeds.
func (n *Notes) RecordRefusal(verb string) {
	_ = n.d.send(context.WithoutCancel(n.ctx), func(b *pgx.Batch) {
		queueScope(b, "BEGIN", n.a.Project, n.a.Subject)
		queueAudit(b, n.a, newMark(0), verb, change{}, "refused")
		b.Queue("COMMIT")
	})
}

// RecordPrivate writes to the audit that the subject reads private notes, which it does not
// name. It does not wait for the disk: a later write that is durable makes the line durable
// too.
func (n *Notes) RecordPrivate(verb string) error {
	return n.d.send(context.WithoutCancel(n.ctx), func(b *pgx.Batch) {
		queueScope(b, "BEGIN", n.a.Project, n.a.Subject)
		b.Queue("SET LOCAL synchronous_commit = off")
		queueAudit(b, n.a, newMark(0), verb, change{note: "private"}, "done")
		b.Queue("COMMIT")
	})
}

// Held is a write in progress: a transaction that has locked the row of its project, which
// makes it the only one that writes there. It belongs to one goroutine. Others see its changes
// only after [Held.Commit].
type Held struct {
	n        *Notes
	verb     string
	conn     *pgxpool.Conn
	leave    func()            // admits the next writer of this process
	ctx      context.Context   // ignores the caller's cancellation
	last     store.Mark        // the change before this one
	asked    time.Time         // when last was asked for
	mark     store.Mark        // of this change: its number and its first audit line
	texts    map[string][]byte // notes that were read since the last statement that writes, by name
	conflict bool              // with another transaction; this one can only be repeated
}

// Lock begins a write. Its error is of kind Busy, of kind Denied for a role that only reads, which
// the audit records, or [store.ErrAgain].
func (n *Notes) Lock(ctx context.Context, verb string) (*Held, error) {
	if Rank(n.a.Role) < Rank(Writer) {
		n.RecordRefusal(verb)
		return nil, errors.Forbidden(n.a.Role, Writer)
	}
	leave, err := n.d.enterProject(ctx, n.a.Project)
	if err != nil {
		return nil, err
	}
	h := &Held{n: n, verb: verb, ctx: context.WithoutCancel(ctx), leave: leave, texts: map[string][]byte{}, asked: time.Now()}
	if err := h.begin(); err != nil {
		_ = h.Unlock()
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.held = h
	return h, nil
}

// seq returns the number of this change.
func (h *Held) seq() uint64 { return h.last.Seq + 1 }

// told records the mark of an audit line of this change.
func (h *Held) told(at store.Mark) {
	if h.mark == (store.Mark{}) {
		h.mark = at
	}
}

// begin begins the transaction and locks the row of the project, and thereby the next sequence
// number.
func (h *Held) begin() (err error) {
	ctx, cancel := context.WithTimeout(h.ctx, answerTime)
	defer cancel()
	if h.conn, err = h.n.d.acquire(ctx); err != nil {
		return explain(err)
	}
	b := &pgx.Batch{}
	queueScope(b, "BEGIN", h.n.a.Project, h.n.a.Subject)
	b.Queue("SELECT set_config('lock_timeout', $1, true)", lockTime.String())
	b.Queue(setDurable)
	b.Queue("SELECT seq, at, entry, (SELECT version FROM blue.version) FROM blue.project WHERE id = $1 AND removed = 0 FOR UPDATE", h.n.a.Project).
		QueryRow(func(row pgx.Row) error {
			var version int
			err := row.Scan(&h.last.Seq, &h.last.At, &h.last.Entry, &version)
			switch {
			case errors.Is(err, pgx.ErrNoRows):
				return errors.StoreGone(h.n.a.Project)
			case version > Version: // the tables were migrated while this program ran
				return schemaNewer(version)
			}
			return err
		})
	return h.send(b)
}

// query runs one statement that reads, within the transaction.
func (h *Held) query(read func(pgx.Rows) error, sql string, args ...any) error {
	b := &pgx.Batch{}
	b.Queue(sql, args...).Query(read)
	return h.send(b)
}

// send sends statements of the transaction in one round trip, with a time limit.
func (h *Held) send(b *pgx.Batch) error {
	if h.conflict {
		return store.ErrAgain
	}
	ctx, cancel := context.WithTimeout(h.ctx, answerTime)
	defer cancel()
	defer h.n.d.observe(time.Now())
	err := send(ctx, h.conn.Conn(), b)
	if isConflict(err) || h.n.d.isUnprepared(err) {
		h.conflict = true
		return store.ErrAgain
	}
	return explain(err)
}

// exec writes within the transaction.
func (h *Held) exec(b *pgx.Batch) error {
	h.n.mu.Lock()
	defer h.n.mu.Unlock()
	clear(h.texts)
	return h.send(b)
}

// Commit makes the changes visible and durable. After an error their state is unknown; after
// [store.ErrAgain] nothing has changed and the write must be repeated.
//
// A write that has found its work done commits as well. It may have found the work of a
// transaction whose commit was never confirmed, which a standby may lack. Writing the row of
// the project as it is makes the engine confirm both, since commits are confirmed in order.
func (h *Held) Commit() error {
	if !h.conflict && h.conn.Conn().PgConn().TxStatus() != 'T' { // the engine would roll back without an error
		return errors.DatabaseAway(errors.New("a part of the write has failed"))
	}
	to := h.mark
	if to == (store.Mark{}) {
		to = h.last
	}
	b := &pgx.Batch{}
	b.Queue("UPDATE blue.project SET seq = $2, at = $3, entry = $4 WHERE id = $1", h.n.a.Project, to.Seq, to.At, to.Entry)
	b.Queue("COMMIT")
	return h.send(b)
}

// Unlock ends the write and rolls back what was not committed. A second call does nothing.
func (h *Held) Unlock() error {
	h.n.mu.Lock()
	h.n.held = nil
	h.n.mu.Unlock()
	if h.conn != nil {
		if c := h.conn.Conn(); !c.IsClosed() && c.PgConn().TxStatus() != 'I' {
			ctx, cancel := context.WithTimeout(h.ctx, connectTime)
			_, _ = c.Exec(ctx, "ROLLBACK") // if it fails the pool closes the connection
			cancel()
		}
		release(h.conn)
		h.conn = nil
	}
	if h.leave != nil {
		h.leave()
		h.leave = nil
	}
	return nil
}
