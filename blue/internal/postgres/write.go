package postgres

import (
	"bytes"
	"time"

	"github.com/jackc/pgx/v5"

	"blue/blue/internal/store"
	"blue/errors"
)

// Confirm returns true, since notes that can be read are committed.
func (h *Held) Confirm(string, string) bool { return true }

// Create writes a new note. If its name is taken the error is of kind Exists.
func (h *Held) Create(name string, data []byte) (store.Saved, error) {
	if err := checkWrite(name, data); err != nil {
		return store.Saved{}, err
	}
	now := store.Revision(data)
	changed, err := h.record(`WITH made AS (INSERT INTO blue.note (project, owner, name, revision, seq, at)
			VALUES ($1, $2, $3, $5, $6, $7) ON CONFLICT DO NOTHING RETURNING name)`, text{name: name, after: now, data: data})
	if err == nil && changed == 0 {
		err = errors.NoteExists(idOf(name))
	}
	return store.Saved{Revision: now, Durable: true}, err
}

// Replace replaces the text of a note. If revision is neither "" nor the present one the error
// is of kind Conflict, unless the texts are equal.
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
	changed, err := h.record(`WITH made AS (UPDATE blue.note SET revision = $5, seq = $6, at = $7
			WHERE project = $1 AND owner = $2 AND name = $3 AND removed = 0 AND revision = $15 RETURNING name)`,
		text{name: name, before: now, after: after, data: data})
	if err == nil && changed == 0 {
		err = errors.KeepsChanging(name)
	}
	return store.Saved{Revision: after, Durable: true}, err
}

// Remove moves a note to the trash and returns the path that its file would have there. See
// [Held.Replace] for revision.
func (h *Held) Remove(name, revision string) (saved store.Saved, trashed string, err error) {
	_, now, err := h.n.Read(name)
	if err != nil {
		return saved, "", err
	}
	if revision != "" && revision != now {
		return saved, "", errors.Stale(idOf(name), revision, now, map[string]any{"revision": now})
	}
	removed := time.Now()
	if there, err := h.n.TrashedAs(name); err == nil && len(there) > 0 && !removed.After(there[0].Time) {
		removed = there[0].Time.Add(1)
	}
	b := &pgx.Batch{}
	b.Queue("UPDATE blue.note SET removed = $1, seq = $2 WHERE project = $3 AND owner = $4 AND name = $5 AND removed = 0",
		removed.UnixNano(), h.seq(), h.n.a.Project, h.n.owner(name), name)
	h.queueChange(b, store.Removed, name, now, "")
	if err := h.exec(b); err != nil {
		return saved, "", err
	}
	return store.Saved{Revision: now, Durable: true}, trashFile(name, removed), nil
}

// Untrash restores the note that was removed last under a name.
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
	b := &pgx.Batch{}
	b.Queue("UPDATE blue.note SET removed = 0, seq = $1 WHERE project = $2 AND owner = $3 AND name = $4 AND removed = $5",
		h.seq(), h.n.a.Project, h.n.owner(name), name, trashed[0].Time.UnixNano())
	h.queueChange(b, store.Restored, name, "", revision)
	return store.Saved{Revision: revision, Durable: true}, h.exec(b)
}

// text is a new text of a note, with the revisions before and after it.
type text struct {
	name, before, after string
	data                []byte
}

// record writes a new text with the common table expression made, which writes the note. If
// that has written the note, record adds the lines of the history and the audit, all in one
// statement. It returns the number of notes written.
func (h *Held) record(made string, t text) (changed int64, err error) {
	c, at := changeOf(t.name, t.before, t.after), newMark(h.seq())
	args := []any{h.n.a.Project, h.n.owner(t.name), t.name, notNull(t.data), t.after, at.Seq, at.At, h.n.a.Subject, h.n.a.Client, h.verb,
		at.Entry, c.note, c.before, c.after}
	if t.before != "" {
		args = append(args, t.before)
	}
	b := &pgx.Batch{}
	b.Queue(made+`, kept AS (INSERT INTO blue.revision (project, owner, name, seq, revision, bytes, subject, client, at, verb)
			SELECT $1, $2, $3, $6, $5, $4, $8, $9, $7, $10 FROM made RETURNING name),
		told AS (INSERT INTO blue.audit (project, at, entry, seq, subject, client, verb, note, before, after, outcome)
			SELECT $1, $7, $11, $6, $8, $9, $10, $12, $13, $14, 'done' FROM kept)
		SELECT count(*) FROM kept`, args...).QueryRow(func(row pgx.Row) error { return row.Scan(&changed) })
	if err = h.exec(b); changed > 0 {
		h.told(at)
	}
	return changed, err
}

// queueChange queues the lines of the history and the audit for a change that writes no text.
func (h *Held) queueChange(b *pgx.Batch, what, name, before, after string) {
	at := newMark(h.seq())
	h.told(at)
	b.Queue(`INSERT INTO blue.revision (project, owner, name, seq, revision, bytes, subject, client, at, verb)
		VALUES ($1, $2, $3, $4, '', '', $5, $6, $7, $8)`,
		h.n.a.Project, h.n.owner(name), name, at.Seq, h.n.a.Subject, h.n.a.Client, at.At, what)
	queueAudit(b, h.n.a, at, h.verb, changeOf(name, before, after), "done")
}
