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

// Last is the last change that the call must see, and when it asked for that: the one when it
// began, or within a write the last one of another.
func (n *Notes) Last() (store.Mark, time.Time) {
	if n.held != nil {
		return n.held.last, n.held.asked
	}
	return n.a.Mark, n.a.Asked
}

// RecordRefusal enters in the audit that a subject tried what its role does not allow. The
// refusal stands whether or not the line could be written.
func (n *Notes) RecordRefusal(verb string) {
	var b batch
	b.add(nil, "BEGIN")
	b.add(nil, setScope, n.a.Project, n.a.Subject)
	b.addAudit(audited{line: newLine(), project: n.a.Project, subject: n.a.Subject, client: n.a.Client, verb: verb, outcome: "refused"})
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
	last    store.Mark      // the change before this one
	asked   time.Time       // when that was asked for
	first   line            // of the audit: with the number it marks this change
	told    bool            // there is a first line
	hopeful bool
	queued  batch             // what is sent when the transaction begins
	texts   map[string][]byte // of notes that were read since something was written, by name
	wrote   bool
	gone    bool // the project is not there
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
	h.last, h.asked = n.a.Mark, n.a.Asked
	h.hopeful = !waited && !n.tried && !h.asked.IsZero()
	n.tried = true
	if !h.hopeful {
		h.asked = time.Now()
		if err := h.send(nil); err != nil {
			h.end()
			return nil, err
		}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.held = h
	return h, nil
}

// Alone reports whether nobody else can write before this write has ended.
func (h *Held) Alone() bool { return !h.hopeful }

// seq is the number of this change.
func (h *Held) seq() int64 { return int64(h.last.Seq) + 1 }

// line is where the next line of the audit stands.
func (h *Held) line() line {
	at := newLine()
	if !h.told {
		h.first, h.told = at, true
	}
	return at
}

// beginning is the statements that begin the transaction and take the row of the project, and
// with it the next sequence number. A hopeful write fails when the last change is not the one it
// counts on. Tables that a later program has taken over are not written.
func (h *Held) beginning() (b batch) {
	b.add(nil, "BEGIN")
	b.add(nil, setScope, h.n.a.Project, h.n.a.Subject)
	b.add(nil, "SELECT set_config('lock_timeout', $1, true)", lockTime.String())
	b.add(nil, setDurable, "true")
	if h.hopeful {
		b.add(nil, `WITH taken AS (UPDATE blue.project SET seq = $2, at = $3, entry = $4
				WHERE id = $1 AND removed = 0 AND seq = $5 AND at = $6 AND entry = $7 AND (`+selectLeast+`) <= $8 RETURNING id)
			SELECT 1 / count(*) FROM taken`, h.n.a.Project, h.seq(), h.first.at, h.first.entry, h.seq()-1, h.last.At, h.last.Entry, Version)
		return b
	}
	b.add(func(r row) error {
		var least int64
		if err := r.scan(&least); err != nil || least <= Version {
			return err
		}
		return errors.WritesNewer(int(least), Version)
	}, selectLeast)
	h.gone = true
	b.add(func(r row) (err error) {
		h.gone = false
		h.last, err = scanMark(r)
		return err
	}, "SELECT "+markColumns+" FROM blue.project WHERE id = $1 AND removed = 0 FOR UPDATE", h.n.a.Project)
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
	if err = h.conn.send(ctx, b); err == nil && h.gone {
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
//
// A write that has found its work done commits as well. What it has found may be the work of
// a transaction of which the commit was never confirmed: it is in the primary, and a standby
// may lack it. The project's row is written as it is, in the transaction that has read what
// is there, and the engine confirms that commit after the former one.
func (h *Held) Commit() error {
	if h.met || h.hopeful && !h.wrote {
		return store.ErrAgain
	}
	if h.conn != nil && h.conn.TxStatus() != 'T' { // the engine would give up what has failed, without an error
		return errors.DatabaseAway(errors.New("a part of the write has failed"))
	}
	var b batch
	if !h.hopeful {
		to := h.last
		if h.wrote {
			to = store.Mark{Seq: uint64(h.seq()), At: h.first.at, Entry: h.first.entry}
		}
		b.add(nil, "UPDATE blue.project SET seq = $2, at = $3, entry = $4 WHERE id = $1", h.n.a.Project, int64(to.Seq), to.At, to.Entry)
	}
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
