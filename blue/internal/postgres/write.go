package postgres

import (
	"bytes"
	"context"
	"math/rand/v2"
	"time"

	"blue/blue/internal/store"
	"blue/errors"
)

// The roles of a subject in a project, each with the rights of those before it.
const (
	Reader = "reader"
	Writer = "writer"
	Admin  = "admin"
)

// Held is a write under way: a transaction that has the row of its project, so that it is
// the only one that writes there. It belongs to one goroutine. Nothing of it is seen by
// others, or acknowledged, before [Held.Commit].
type Held struct {
	n     *Notes
	verb  string
	conn  *conn
	leave func()          // lets the next writer of this process begin
	ctx   context.Context // without the caller's cancellation: what has begun is finished
	seq   int64
	wrote bool
	met   bool // another transaction was met: this one can only be begun anew
}

// Lock begins a write. The kinds of its errors are busy, and denied for a role that only
// reads, which is told to the audit.
func (n *Notes) Lock(ctx context.Context, verb string) (*Held, error) {
	if n.a.Role != Writer && n.a.Role != Admin {
		n.recordRefusal(verb)
		return nil, errors.Forbidden(n.a.Role, Writer)
	}
	leave, err := n.d.enterProject(ctx, n.a.Project)
	if err != nil {
		return nil, err
	}
	h := &Held{n: n, verb: verb, ctx: context.WithoutCancel(ctx), leave: leave}
	if err := h.begin(); err != nil {
		h.end()
		return nil, h.explain(err)
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	n.held = h
	return h, nil
}

// enterProject waits for the writers of this process that came before, without a connection,
// which the first of them may need.
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

// begin takes the row of the project, and with it the next sequence number.
func (h *Held) begin() (err error) {
	ctx, cancel := context.WithTimeout(h.ctx, lockTime+placeTime)
	defer cancel()
	if h.conn, err = h.n.d.pool.take(ctx); err != nil {
		return err
	}
	var b batch
	b.add(nil, "BEGIN")
	b.add(nil, setScope, h.n.a.Project, h.n.a.Subject)
	b.add(nil, "SELECT set_config('lock_timeout', $1, true)", lockTime.String())
	b.add(func(r row) error { return r.scan(&h.seq) }, "UPDATE blue.project SET seq = seq + 1 WHERE id = $1 AND removed = 0 RETURNING seq", h.n.a.Project)
	if err = h.conn.send(ctx, b); err == nil && h.seq == 0 {
		err = errors.StoreGone(h.n.a.Project)
	}
	return err
}

// explain is [explain], and remembers that this transaction met another one.
func (h *Held) explain(err error) error {
	if err != nil && isMet(err) {
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
	if q.begin != nil {
		q.begin()
	}
	var b batch
	b.add(q.each, q.sql, q.args...)
	return h.send(b)
}

// send sends statements of the transaction, each time with a bound of its own.
func (h *Held) send(b batch) error {
	ctx, cancel := context.WithTimeout(h.ctx, answerTime)
	defer cancel()
	return h.explain(h.conn.send(ctx, b))
}

// exec writes in the transaction and returns how many rows the first statement has changed.
func (h *Held) exec(b batch) (changed int64, err error) {
	if h.met {
		return 0, store.ErrAgain
	}
	h.n.mu.Lock()
	defer h.n.mu.Unlock()
	h.wrote = true
	err = h.send(b)
	return b[0].changed, err
}

// WhenNamed does nothing: what follows from a note waits until it is committed.
func (h *Held) WhenNamed(func(revision string)) {}

// Confirm reports true: what is there was committed.
func (h *Held) Confirm(string, string) bool { return true }

// Create writes a new note. A name that is taken is of kind exists.
func (h *Held) Create(name string, data []byte) (store.Saved, error) {
	if err := checkWrite(name, data); err != nil {
		return store.Saved{}, err
	}
	now := store.Revision(data)
	changed, err := h.record(`WITH made AS (INSERT INTO blue.note (project, owner, name, bytes, revision, seq, at) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING name)`,
		text{name: name, after: now, data: data})
	if err == nil && changed == 0 {
		err = errors.NoteExists(idOf(name))
	}
	return store.Saved{Revision: now, Durable: true}, err
}

// Replace gives a note new bytes. A revision that is not the present one is of kind
// conflict; "" takes whatever is there. Equal bytes are no conflict.
func (h *Held) Replace(name, revision string, data []byte) (store.Saved, error) {
	if err := checkWrite(name, data); err != nil {
		return store.Saved{}, err
	}
	old, now, err := h.n.Read(name)
	if err != nil {
		return store.Saved{}, err
	}
	if bytes.Equal(old, data) {
		return store.Saved{Revision: now, Durable: true, Unchanged: true}, nil
	}
	if revision != "" && revision != now {
		return store.Saved{}, errors.Stale(idOf(name), revision, now, map[string]any{"revision": now})
	}
	after := store.Revision(data)
	changed, err := h.record(`WITH made AS (UPDATE blue.note SET bytes = $4, revision = $5, seq = $6, at = $7 WHERE project = $1 AND owner = $2 AND name = $3 AND removed = 0 AND revision = $15 RETURNING name)`,
		text{name: name, before: now, after: after, data: data})
	if err == nil && changed == 0 {
		err = errors.KeepsChanging(name)
	}
	return store.Saved{Revision: after, Durable: true}, err
}

// Remove moves a note to the trash and returns the path that its file would have there.
func (h *Held) Remove(name, revision string) (saved store.Saved, trashed string, err error) {
	_, now, err := h.n.Read(name)
	if err != nil {
		return saved, "", err
	}
	if revision != "" && revision != now {
		return saved, "", errors.Stale(idOf(name), revision, now, map[string]any{"revision": now})
	}
	removed := time.Now().UnixNano()
	if there, err := h.n.TrashedAs(name); err == nil && len(there) > 0 {
		removed = max(removed, there[0].Time.UnixNano()+1)
	}
	var b batch
	b.add(nil, "UPDATE blue.note SET removed = $1, seq = $2 WHERE project = $3 AND owner = $4 AND name = $5 AND removed = 0",
		removed, h.seq, h.n.a.Project, h.n.owner(name), name)
	h.queueAudit(&b, name, now, "")
	if _, err := h.exec(b); err != nil {
		return saved, "", err
	}
	return store.Saved{Revision: now, Durable: true}, trashFile(name, removed), nil
}

// Untrash brings the note that was removed last under this name back.
func (h *Held) Untrash(name string) (store.Saved, error) {
	trashed, err := h.n.TrashedAs(name)
	if err != nil {
		return store.Saved{}, err
	}
	if len(trashed) == 0 {
		return store.Saved{}, errors.NotTrashed(idOf(name))
	}
	if _, _, err := h.n.Read(name); err == nil {
		return store.Saved{}, errors.NoteExists(idOf(name))
	} else if !errors.Is(err, errors.NotFound) {
		return store.Saved{}, err
	}
	_, revision, err := h.n.ReadTrashed(trashed[0].File)
	if err != nil {
		return store.Saved{}, err
	}
	var b batch
	b.add(nil, "UPDATE blue.note SET removed = 0, seq = $1 WHERE project = $2 AND owner = $3 AND name = $4 AND removed = $5",
		h.seq, h.n.a.Project, h.n.owner(name), name, trashed[0].Time.UnixNano())
	h.queueAudit(&b, name, "", revision)
	_, err = h.exec(b)
	return store.Saved{Revision: revision, Durable: true}, err
}

// text is a new text of a note, and the revisions before and after it.
type text struct {
	name, before, after string
	data                []byte
}

// record writes a new text: the note with a statement called made, and when that has made
// something the history and the audit, all in one round trip.
func (h *Held) record(made string, t text) (changed int64, err error) {
	id, before, after := shownInAudit(t.name, t.before, t.after)
	at := time.Now().UnixNano()
	args := []any{h.n.a.Project, h.n.owner(t.name), t.name, t.data, t.after, h.seq, at, h.n.a.Subject, h.n.a.Client, h.verb, rand.Int64(), id, before, after}
	if t.before != "" {
		args = append(args, t.before)
	}
	var b batch
	b.add(nil, made+`, kept AS (INSERT INTO blue.revision (project, owner, name, seq, revision, bytes, subject, client, at, verb)
			SELECT $1, $2, $3, $6, $5, $4, $8, $9, $7, $10 FROM made RETURNING name)
		INSERT INTO blue.audit (project, at, entry, seq, subject, client, verb, note, before, after, outcome)
			SELECT $1, $7, $11, $6, $8, $9, $10, $12, $13, $14, 'done' FROM kept`, args...)
	return h.exec(b)
}

// shownInAudit is what the audit says of a note: a private one is not named there.
func shownInAudit(name, before, after string) (id, from, to string) {
	if isPrivate(name) {
		return "private", "", ""
	}
	return idOf(name), before, after
}

const insertAudit = "INSERT INTO blue.audit (project, at, entry, seq, subject, client, verb, note, before, after, outcome) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)"

// queueAudit adds the line of the audit.
func (h *Held) queueAudit(b *batch, name, before, after string) {
	id, before, after := shownInAudit(name, before, after)
	b.add(nil, insertAudit, h.n.a.Project, time.Now().UnixNano(), rand.Int64(), h.seq, h.n.a.Subject, h.n.a.Client, h.verb, id, before, after, "done")
}

// recordRefusal enters in the audit that a subject tried what its role does not allow. The
// refusal stands whether or not the line could be written.
func (n *Notes) recordRefusal(verb string) {
	var b batch
	b.add(nil, "BEGIN")
	b.add(nil, setScope, n.a.Project, n.a.Subject)
	b.add(nil, insertAudit, n.a.Project, time.Now().UnixNano(), rand.Int64(), int64(0), n.a.Subject, n.a.Client, verb, "", "", "", "refused")
	b.add(nil, "COMMIT")
	_ = n.d.send(context.WithoutCancel(n.ctx), b, nil)
}

// Commit ends the write: what it has changed is there for everybody, and stays. An error
// says that nothing is known of it; [store.ErrAgain] that it has to be made anew.
func (h *Held) Commit() error {
	if h.met {
		return store.ErrAgain
	}
	if h.conn == nil || !h.wrote {
		return nil
	}
	h.wrote = false
	if h.conn.TxStatus() != 'T' { // the engine would give up what has failed, without an error
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

// checkWrite checks what can be checked without the database.
func checkWrite(name string, data []byte) error {
	if err := checkName(name); err != nil {
		return err
	}
	if len(data) > store.Limit {
		return errors.NoteTooLarge(name, store.Limit)
	}
	return nil
}
