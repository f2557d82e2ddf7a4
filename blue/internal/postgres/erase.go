package postgres

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"github.com/jackc/pgx/v5"

	"blue/blue/internal/store"
	"blue/errors"
)

// uidOf is an SQL expression for the uid in the front matter of a text r.bytes, or NULL. The
// uid identifies a note under all names that it has had.
const uidOf = `substring(encode(r.bytes, 'escape') from E'(?n)^uid: *"?([0-9A-Za-z]+)')`

// EraseNote erases everything that the database has under the id of a public note, including
// history and trash, and what it has of the same note under other names. ids are all ids of the
// note; still is the number of other texts that contain one of them. Unless sure is set,
// EraseNote changes nothing and only reports.
func (o *Operator) EraseNote(
	ctx context.Context, project, id string, sure bool,
) (r Removal, ids []string, still int64, err error) {
	name := publicDir + id + ".md"
	if err := checkName(name); err != nil {
		return r, nil, 0, errors.BadValue("id", id, "the id of a note")
	}
	projectID, err := o.projectID(ctx, project)
	if err != nil {
		return r, nil, 0, err
	}
	r, err = o.erase(ctx, projectID, sure, func(e *erasing) (err error) {
		if ids, err = e.eraseNote(name); err == nil {
			still, err = e.count(`SELECT count(*) FROM blue.revision r, unnest($2::text[]) id
				WHERE r.project = $1 AND position(id::bytea in r.bytes) > 0`, ids)
		}
		return err
	})
	return r, ids, still, err
}

// eraseNote erases a note and returns the ids that it has had.
func (e *erasing) eraseNote(name string) (ids []string, err error) {
	const ofName = "r.project = $1 AND r.owner = '' AND r.name = $2"
	uids, err := rowsOf(e, pgx.RowTo[string],
		"SELECT DISTINCT "+uidOf+" FROM blue.revision r WHERE "+ofName+" AND "+uidOf+" IS NOT NULL", name)
	if err != nil {
		return nil, err
	}
	const doomed = "(" + ofName + " OR r.project = $1 AND " + uidOf + " = ANY ($3))"
	type named struct{ Owner, Name string }
	all, err := rowsOf(e, pgx.RowToStructByPos[named],
		"SELECT DISTINCT r.owner, r.name FROM blue.revision r WHERE "+doomed, name, uids)
	if err == nil && len(all) == 0 {
		err = errors.NoNote(idOf(name))
	}
	if err == nil {
		err = e.deleteTexts(doomed, name, uids)
	}
	for _, n := range all {
		if err != nil {
			return nil, err
		}
		ids = append(ids, idOf(n.Name))
		// Another note may have had the name before or after this one. Only if there is none,
		// the rows without a text are deleted too.
		_, err = e.exec(`DELETE FROM blue.revision r WHERE project = $1 AND owner = $2 AND name = $3 AND NOT EXISTS (
			SELECT 1 FROM blue.revision t WHERE t.project = $1 AND t.owner = $2 AND t.name = $3 AND t.revision <> '')`, n.Owner, n.Name)
	}
	if err == nil {
		err = e.eraseLines("(subject <> $2 OR verb = 'import') AND note = ANY ($3)",
			"note = '"+Erased+"', before = '', after = ''", keeper, ids)
	}
	return ids, err
}

// EraseSubject erases a person from all projects: its private notes, its name as author of
// other notes and in the audit, its grants and its tokens. still is the number of texts that
// contain the name elsewhere. Unless sure is set, EraseSubject changes nothing and only
// reports.
func (o *Operator) EraseSubject(ctx context.Context, subject string, sure bool) (r Removal, still int64, err error) {
	if err := o.checkErasure(ctx); err != nil {
		return r, 0, err
	}
	if sure { // from now on the subject can no longer write
		if err := o.send(ctx, func(b *pgx.Batch) {
			b.Queue("DELETE FROM blue.grants WHERE subject = $1", subject)
			b.Queue("DELETE FROM blue.token WHERE subject = $1", subject)
		}); err != nil {
			return r, 0, err
		}
	}
	projects, err := read[struct{ ID string }](ctx, o, `SELECT DISTINCT project FROM blue.revision
			WHERE owner = $1 OR subject = $1 OR position($2 in bytes) > 0
		UNION SELECT DISTINCT project FROM blue.audit WHERE `+namesSubject, subject, []byte(subject))
	if err != nil {
		return r, 0, err
	}
	for _, project := range projects {
		var held int64
		one, err := o.erase(ctx, project.ID, sure, func(e *erasing) (err error) {
			held, err = e.eraseSubject(subject)
			return err
		})
		if err != nil {
			return r, still, err
		}
		r.Texts, r.Notes, r.Lines, still = r.Texts+one.Texts, r.Notes+one.Notes, r.Lines+one.Lines, still+held
	}
	return r, still, nil
}

// namesSubject is an SQL condition for the audit lines of the subject $1 and of its grants and
// tokens.
const namesSubject = "(subject = $1 OR subject = '" + keeper + "' AND " +
	"(note = $1 OR right(note, length($1) + 1) = ' ' || $1))"

// erasing is a transaction that erases texts of one project.
type erasing struct {
	Removal
	ctx     context.Context
	conn    *pgx.Conn
	project string
	mark    store.Mark
	verb    string // of the line in the audit
	anchor  string // hash of the last audit line that was pruned
	forget  bool   // replicas must remove indexes that were made before
}

func (e *erasing) exec(sql string, args ...any) (changed int64, err error) {
	tag, err := e.conn.Exec(e.ctx, sql, append([]any{e.project}, args...)...)
	return tag.RowsAffected(), err
}

func (e *erasing) count(sql string, args ...any) (n int64, err error) {
	err = e.conn.QueryRow(e.ctx, sql, append([]any{e.project}, args...)...).Scan(&n)
	return n, err
}

func rowsOf[T any](e *erasing, row pgx.RowToFunc[T], sql string, args ...any) ([]T, error) {
	rows, _ := e.conn.Query(e.ctx, sql, append([]any{e.project}, args...)...) // CollectRows returns the error
	return pgx.CollectRows(rows, row)
}

// errUnsure rolls back a transaction that must change nothing.
var errUnsure = errors.New("not sure")

// erase runs do as one transaction that locks the project, and records in the audit what do has
// removed. It changes nothing if do returns errUnsure or sure is not set.
func (o *Operator) erase(ctx context.Context, project string, sure bool, do func(e *erasing) error) (Removal, error) {
	if err := o.checkErasure(ctx); err != nil {
		return Removal{}, err
	}
	e := &erasing{ctx: ctx, conn: o.conn, project: project, mark: newMark(0), verb: verbErase, forget: true}
	err := transact(ctx, o.conn, func() error {
		err := o.conn.QueryRow(ctx, "UPDATE blue.project SET seq = seq + 1, at = $2, entry = $3 WHERE id = $1 RETURNING seq",
			project, e.mark.At, e.mark.Entry).Scan(&e.mark.Seq)
		if err != nil && !errors.Is(err, pgx.ErrNoRows) { // audit lines may belong to no project
			return err
		}
		if err := do(e); err != nil {
			return err
		}
		b := &pgx.Batch{}
		if e.forget {
			b.Queue("UPDATE blue.project SET erased = $2 WHERE id = $1", project, e.mark.At)
		}
		told := change{note: e.Removal.String(), before: e.anchor}
		queueAudit(b, Access{Project: project, Subject: keeper}, e.mark, e.verb, told, "done")
		if err := send(ctx, o.conn, b); err != nil || sure {
			return err
		}
		return errUnsure
	})
	if errors.Is(err, errUnsure) {
		err = nil
	}
	return e.Removal, explain(err)
}

// checkErasure fails while programs of an earlier version may be running, because their indexes
// keep what is erased.
func (o *Operator) checkErasure(ctx context.Context) error {
	v, err := checkVersion(ctx, o.conn)
	if err == nil && v.least < Version {
		return errors.E(errors.Invalid,
			"programs of version %d may still use the tables: their indexes would keep what is erased", v.least).
			Hint("", "", "replace them, then run: blue server migrate --contract")
	}
	return err
}

// deleteTexts deletes the selected revisions r, and the notes that have them, present or in the
// trash.
func (e *erasing) deleteTexts(where string, args ...any) error {
	if err := e.remember(false, where, args...); err != nil {
		return err
	}
	notes, err := e.exec(`DELETE FROM blue.note n USING blue.revision r WHERE n.project = r.project AND n.owner = r.owner
		AND n.name = r.name AND n.revision = r.revision AND `+where, args...)
	if err != nil {
		return err
	}
	e.Notes += notes
	return e.deleteRevisions(where, args...)
}

// remember records the selected revisions r, because checkouts may have them. Revisions that
// are erased, and not only pruned, cannot be restored from a checkout.
func (e *erasing) remember(pruned bool, where string, args ...any) error {
	_, err := e.exec(fmt.Sprintf(`INSERT INTO blue.erased (project, revision, at, pruned) SELECT DISTINCT r.project, r.revision, %d::bigint, %t
		FROM blue.revision r WHERE r.owner = '' AND r.revision <> '' AND %s ON CONFLICT DO NOTHING`, e.mark.At, pruned, where), args...)
	return err
}

func (e *erasing) deleteRevisions(where string, args ...any) error {
	texts, err := e.count("WITH gone AS (DELETE FROM blue.revision r WHERE "+where+` RETURNING revision)
		SELECT count(*) FROM gone WHERE revision <> ''`, args...)
	e.Texts += texts
	return err
}

// eraseLines changes audit lines and keeps the digests of their former content, without which
// the chain could not be checked.
func (e *erasing) eraseLines(where, set string, args ...any) error {
	lines, err := e.exec("UPDATE blue.audit a SET "+set+`, link = CASE length(link)
			WHEN 32 THEN substr(link, 1, 24) || blue.digest(a, substr(link, 25)) ELSE link END
		WHERE project = $1 AND `+where, args...)
	e.Lines += lines
	return err
}

// eraseSubject erases a subject from the project, and returns the number of texts that still
// contain its name.
func (e *erasing) eraseSubject(subject string) (still int64, err error) {
	if err := e.deleteTexts("r.project = $1 AND r.owner = $2 AND r.owner <> ''", subject); err != nil {
		return 0, err
	}
	_, err = e.exec("UPDATE blue.revision SET subject = '"+Erased+"' WHERE project = $1 AND subject = $2", subject)
	if err != nil {
		return 0, err
	}
	if err := e.renameAuthor(subject); err != nil {
		return 0, err
	}
	where := strings.NewReplacer("$1", "$2").Replace(namesSubject)
	set := "note = CASE subject WHEN '" + keeper + "' THEN '" + Erased + "' ELSE note END, " +
		"subject = CASE subject WHEN $2 THEN '" + Erased + "' ELSE subject END"
	if err := e.eraseLines(where, set, subject); err != nil {
		return 0, err
	}
	return e.count("SELECT count(*) FROM blue.revision WHERE project = $1 AND position($2 in bytes) > 0", []byte(subject))
}

// renameAuthor replaces the name in the author line of texts, which changes their revisions.
func (e *erasing) renameAuthor(subject string) error {
	type row struct {
		Owner, Name, Revision string
		Seq                   int64
		Bytes                 []byte
	}
	all, err := rowsOf(e, pgx.RowToStructByPos[row], `SELECT owner, name, revision, seq, bytes FROM blue.revision
		WHERE project = $1 AND position($2 in bytes) > 0`, []byte(subject))
	if err != nil {
		return err
	}
	for _, r := range all {
		text := withoutAuthor(r.Bytes, subject)
		if bytes.Equal(text, r.Bytes) {
			continue
		}
		now := store.Revision(text)
		_, err := e.exec(`INSERT INTO blue.erased (project, revision, at, pruned) VALUES ($1, $2, $3, false)
			ON CONFLICT DO NOTHING`, r.Revision, e.mark.At)
		if err == nil {
			_, err = e.exec(`UPDATE blue.revision SET bytes = $2, revision = $3
				WHERE project = $1 AND owner = $4 AND name = $5 AND seq = $6`, text, now, r.Owner, r.Name, r.Seq)
		}
		if err == nil {
			_, err = e.exec(`UPDATE blue.note SET revision = $2, seq = $3
				WHERE project = $1 AND owner = $4 AND name = $5 AND revision = $6`, now, e.mark.Seq, r.Owner, r.Name, r.Revision)
		}
		if err != nil {
			return err
		}
		e.Texts++
	}
	return nil
}

// withoutAuthor returns a text with the placeholder as author if its front matter names the
// subject as author.
func withoutAuthor(text []byte, subject string) []byte {
	at := 0
	for line := range bytes.Lines(text) {
		trimmed := strings.TrimRight(string(line), "\r\n")
		if at > 0 && trimmed == "---" || at == 0 && trimmed != "---" {
			break
		}
		if value, ok := strings.CutPrefix(trimmed, "author:"); ok && strings.Trim(value, " \"'") == subject {
			end := line[len(trimmed):]
			return bytes.Join([][]byte{text[:at], []byte("author: " + Erased), end, text[at+len(line):]}, nil)
		}
		at += len(line)
	}
	return text
}
