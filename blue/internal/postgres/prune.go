package postgres

import (
	"context"
	"encoding/hex"
	"time"

	"github.com/jackc/pgx/v5"
)

// Retention tells how long a project keeps what is not a present note. 0 means for ever.
type Retention struct {
	History time.Duration // texts, after they were replaced or removed
	Trash   time.Duration // removed notes, with their history
	Audit   time.Duration
}

// Retain sets the retention of a project. It takes effect with [Operator.Prune]. Nil values
// leave a setting unchanged.
func (o *Operator) Retain(ctx context.Context, project string, history, trash, audit *time.Duration) (r Retention, err error) {
	id, err := o.projectID(ctx, project)
	if err != nil {
		return r, err
	}
	all, err := read[Retention](ctx, o, `UPDATE blue.project SET keep_history = coalesce($2, keep_history),
		keep_trash = coalesce($3, keep_trash), keep_audit = coalesce($4, keep_audit)
		WHERE id = $1 RETURNING keep_history, keep_trash, keep_audit`, id, history, trash, audit)
	if err == nil {
		r, err = all[0], o.send(ctx, func(b *pgx.Batch) { queueKept(b, id, "retain", "") })
	}
	return r, err
}

// Pruned counts what was removed from a project.
type Pruned struct {
	Project string
	Removal
}

// Prune removes what the projects need no longer keep, in one transaction per project. It
// returns the projects from which it has removed something.
func (o *Operator) Prune(ctx context.Context) (pruned []Pruned, err error) {
	all, err := read[struct {
		ID, Name string
		Retention
	}](ctx, o, `SELECT id, name, keep_history, keep_trash, keep_audit FROM blue.project
		WHERE removed = 0 AND keep_history + keep_trash + keep_audit > 0 ORDER BY name`)
	for _, p := range all {
		if err != nil {
			return pruned, explain(err)
		}
		var removed Removal
		removed, err = o.erase(ctx, p.ID, true, func(e *erasing) error { return e.prune(p.Retention) })
		if removed != (Removal{}) {
			pruned = append(pruned, Pruned{p.Name, removed})
		}
	}
	return pruned, explain(err)
}

// prune removes what is older than the retention. Indexes contain present notes and the trash,
// so a pruned history does not affect them.
func (e *erasing) prune(keep Retention) error {
	e.verb, e.forget = verbPrune, false
	now := time.Now()
	for _, step := range []struct {
		keep time.Duration
		do   func(before int64) error
	}{{keep.Trash, e.pruneTrash}, {keep.History, e.pruneHistory}, {keep.Audit, e.pruneAudit}} {
		if step.keep > 0 {
			if err := step.do(now.Add(-step.keep).UnixNano()); err != nil {
				return err
			}
		}
	}
	if e.Removal == (Removal{}) {
		return errUnsure
	}
	return nil
}

// pruneTrash deletes notes that were removed before a time, with the texts that they had until
// then.
func (e *erasing) pruneTrash(before int64) (err error) {
	const ofTrash = `r.project = $1 AND EXISTS (SELECT 1 FROM blue.note t
		WHERE t.project = r.project AND t.owner = r.owner AND t.name = r.name AND t.removed > 0 AND t.removed < $2 AND t.seq >= r.seq)`
	if err := e.pruneTexts(ofTrash, before); err != nil {
		return err
	}
	e.Notes, err = e.exec("DELETE FROM blue.note WHERE project = $1 AND removed > 0 AND removed < $2", before)
	e.forget = e.Notes > 0
	return err
}

// pruneHistory deletes texts that were replaced or removed before a time, except those that a
// note still has.
func (e *erasing) pruneHistory(before int64) error {
	return e.pruneTexts(`r.project = $1 AND r.at < $2
		AND (r.revision = '' OR EXISTS (SELECT 1 FROM blue.revision later WHERE later.project = r.project
			AND later.owner = r.owner AND later.name = r.name AND later.seq > r.seq AND later.at < $2))
		AND NOT EXISTS (SELECT 1 FROM blue.note n WHERE n.project = r.project AND n.owner = r.owner
			AND n.name = r.name AND n.revision = r.revision)`, before)
}

// pruneTexts deletes revisions r, and records them for the checkouts that have them.
func (e *erasing) pruneTexts(where string, before int64) error {
	if err := e.remember(true, where, before); err != nil {
		return err
	}
	return e.deleteRevisions(where, before)
}

// pruneAudit deletes the beginning of the audit, up to the first line that is not older. The
// audit line about the pruning contains the hash of the last deleted line, with which the chain
// continues.
func (e *erasing) pruneAudit(before int64) error {
	const chained = " FROM blue.audit WHERE project = $1 AND length(link) > 0 AND "
	last, err := rowsOf(e, pgx.RowTo[[]byte], "SELECT link"+chained+"link < coalesce((SELECT link"+chained+
		"at >= $2 ORDER BY link LIMIT 1), '\\xff') ORDER BY link DESC LIMIT 1", before)
	if err != nil {
		return err
	}
	end := []byte{}
	if len(last) > 0 {
		end, e.anchor = last[0], hex.EncodeToString(hashIn(last[0]))
	}
	e.Lines, err = e.exec(`DELETE FROM blue.audit WHERE project = $1
		AND (length(link) = 0 AND at < $2 OR length(link) > 0 AND link <= $3)`, before, end)
	return err
}
