package postgres

import (
	"context"
	"slices"
	"sync"
	"time"

	"blue/blue/internal/store"
	"blue/errors"
)

// Access is a project as one caller has it.
type Access struct {
	Project string // its id
	Subject string // who calls, as the token says
	Client  string // the program that calls, as it says itself
	Role    string
	Stand   // when the call began; the index of this call has private notes of the subject's own too
}

// Notes is the notes of one project for one call.
type Notes struct {
	d   *Database
	ctx context.Context // of the call; the methods of a store have none
	a   Access

	mu    sync.Mutex // of the transaction: one statement at a time
	held  *Held      // the write under way, nil for none
	tried bool       // whether a write was begun before
}

// Notes opens the notes for one call. Each statement has a bound of its own, so that what
// the call has begun is not ended half-way when the caller goes.
func (d *Database) Notes(ctx context.Context, a Access) *Notes {
	return &Notes{d: d, ctx: context.WithoutCancel(ctx), a: a}
}

// query reads, in the transaction of the write under way if there is one.
func (n *Notes) query(q reading) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.held != nil {
		return n.held.query(q)
	}
	return n.d.query(n.ctx, scope{n.a.Project, n.a.Subject}, q)
}

// queryOne reads at most one row, and says whether there was one.
func (n *Notes) queryOne(each func(r row) error, sql string, args ...any) (found bool, err error) {
	err = n.query(reading{sql: sql, args: args, begin: func() { found = false }, each: func(r row) error {
		found = true
		return each(r)
	}})
	return found, err
}

// view is the owner whose private notes the index of this call has, besides those of all.
func (n *Notes) view() string {
	if n.a.Own {
		return n.a.Subject
	}
	return ""
}

// owner is whose a note of that name is: everybody's, or the subject's alone.
func (n *Notes) owner(name string) string {
	if isPrivate(name) {
		return n.a.Subject
	}
	return ""
}

// Seq is the number of the last change that the call must see: the one when it began, or
// within a write the last one of another.
func (n *Notes) Seq() uint64 {
	if n.held != nil {
		return uint64(n.held.seq - 1)
	}
	return n.a.Seq
}

// Asked is when the call asked how far the project was.
func (n *Notes) Asked() time.Time { return n.a.Stand.Asked }

// RecordRefusal enters in the audit that a subject tried what its role does not allow. The
// refusal stands whether or not the line could be written.
func (n *Notes) RecordRefusal(verb string) {
	var b batch
	b.add(nil, "BEGIN")
	b.add(nil, setScope, n.a.Project, n.a.Subject)
	b.addAudit(audited{project: n.a.Project, subject: n.a.Subject, client: n.a.Client, verb: verb, outcome: "refused"})
	b.add(nil, "COMMIT")
	_ = n.d.send(context.WithoutCancel(n.ctx), b, nil)
}

// Held is a write under way: a transaction that has the row of its project, so that it is
// the only one that writes there. It belongs to one goroutine. Nothing of it is seen by
// others, or acknowledged, before [Held.Commit].
//
// The first write of a call is hopeful: it takes for granted that nobody writes between the
// moment when the call asked how far the project was and the commit. What it writes is queued
// and sent in one round trip, from the beginning of the transaction to its commit, which
// fails when the project is further by then: the write is made anew, and takes the row first.
type Held struct {
	n       *Notes
	verb    string
	conn    *conn           // of the transaction; nil before it has begun
	leave   func()          // lets the next writer of this process begin
	ctx     context.Context // without the caller's cancellation: what has begun is finished
	seq     int64           // of this write
	hopeful bool
	queued  batch             // what is sent when the transaction begins
	texts   map[string][]byte // of notes that were read since something was written, by name
	wrote   bool
	met     bool // another transaction was met: this one can only be begun anew
}

// Lock begins a write. The kinds of its errors are busy, and denied for a role that only
// reads, which is told to the audit.
func (n *Notes) Lock(ctx context.Context, verb string) (*Held, error) {
	if Rank(n.a.Role) < Rank(Writer) {
		n.RecordRefusal(verb)
		return nil, errors.Forbidden(n.a.Role, Writer)
	}
	leave, waited, err := n.d.enterProject(ctx, n.a.Project)
	if err != nil {
		return nil, err
	}
	h := &Held{n: n, verb: verb, ctx: context.WithoutCancel(ctx), leave: leave, texts: map[string][]byte{}}
	h.hopeful = !waited && !n.tried && !n.Asked().IsZero()
	n.tried = true
	if h.hopeful {
		h.seq = int64(n.a.Seq) + 1
	} else if err := h.send(nil); err != nil {
		h.end()
		return nil, err
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.held = h
	return h, nil
}

// beginning is the statements that begin the transaction and take the row of the project, and
// with it the next sequence number. A hopeful write fails when that is not the one it counts on.
func (h *Held) beginning() (b batch) {
	b.add(nil, "BEGIN")
	b.add(nil, setScope, h.n.a.Project, h.n.a.Subject)
	b.add(nil, "SELECT set_config('lock_timeout', $1, true)", lockTime.String())
	if h.hopeful {
		b.add(nil, `WITH taken AS (UPDATE blue.project SET seq = $2::bigint WHERE id = $1 AND removed = 0 AND seq = $2::bigint - 1 RETURNING id)
			SELECT 1 / count(*) FROM taken`, h.n.a.Project, h.seq)
	} else {
		b.add(func(r row) error { return r.scan(&h.seq) }, "UPDATE blue.project SET seq = seq + 1 WHERE id = $1 AND removed = 0 RETURNING seq", h.n.a.Project)
	}
	return b
}

// explain is [explain], and remembers that this transaction met another one.
func (h *Held) explain(err error) error {
	if err != nil && (isMet(err) || h.hopeful && isDashed(err)) {
		h.met = true
	}
	if h.met {
		return store.ErrAgain
	}
	return explain(err)
}

// query reads in the transaction.
func (h *Held) query(q reading) error {
	if h.met {
		return store.ErrAgain
	}
	if h.conn == nil && len(h.queued) == 0 { // what is read here is still so at the commit, or that fails
		return h.n.d.query(h.n.ctx, scope{h.n.a.Project, h.n.a.Subject}, q)
	}
	if q.begin != nil {
		q.begin()
	}
	var b batch
	b.add(q.each, q.sql, q.args...)
	return h.send(b)
}

// send sends statements of the transaction in one round trip, each time with a bound of its
// own: behind what begins it, when it has not begun.
func (h *Held) send(b batch) (err error) {
	ctx, cancel := context.WithTimeout(h.ctx, answerTime)
	defer cancel()
	if h.conn == nil {
		if h.conn, err = h.n.d.pool.take(ctx); err != nil {
			return explain(err)
		}
		b = slices.Concat(h.beginning(), h.queued, b)
		h.queued = nil
	}
	if err = h.conn.send(ctx, b); err == nil && h.seq == 0 {
		err = errors.StoreGone(h.n.a.Project)
	}
	return h.explain(err)
}

// exec writes in the transaction, or queues what is to be written when that begins.
func (h *Held) exec(b batch) error {
	if h.met {
		return store.ErrAgain
	}
	h.n.mu.Lock()
	defer h.n.mu.Unlock()
	h.wrote = true
	clear(h.texts)
	if h.conn == nil {
		h.queued = append(h.queued, b...)
		return nil
	}
	return h.send(b)
}

// Commit ends the write: what it has changed is there for everybody, and stays. An error
// says that nothing is known of it; [store.ErrAgain] that it has to be made anew.
func (h *Held) Commit() error {
	if h.met {
		return store.ErrAgain
	}
	if !h.wrote {
		return nil
	}
	h.wrote = false
	if h.conn != nil && h.conn.TxStatus() != 'T' { // the engine would give up what has failed, without an error
		return errors.DatabaseAway(errors.New("a part of the write has failed"))
	}
	var b batch
	b.add(nil, "COMMIT")
	return h.send(b)
}

// Unlock gives up what was not committed. A second call does nothing.
func (h *Held) Unlock() error {
	h.end()
	return nil
}

func (h *Held) end() {
	h.n.mu.Lock()
	h.n.held = nil
	h.n.mu.Unlock()
	if h.conn != nil {
		if !h.conn.IsClosed() && h.conn.TxStatus() != 'I' {
			ctx, cancel := context.WithTimeout(h.ctx, connectTime)
			_ = h.conn.script(ctx, "ROLLBACK") // else the connection ends
			cancel()
		}
		h.n.d.pool.put(h.conn)
		h.conn = nil
	}
	if h.leave != nil {
		h.leave()
		h.leave = nil
	}
}
