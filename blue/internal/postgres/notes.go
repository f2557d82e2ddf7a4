package postgres

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"blue/blue/internal/store"
	"blue/errors"
)

// Change is a note that was created, changed or removed.
type Change struct {
	store.File
	Gone bool
	Text []byte // nil for a removed note, and when there are too many changes to include texts
}

// fewChanges is the number of changes up to which Changes includes their texts.
const fewChanges = 20

// Changes returns what has changed since a change, for the index of this call. If known is
// false the database does not know that change, and may have lost others too.
func (n *Notes) Changes(since store.Mark) (changes []Change, known bool, err error) {
	columns := selectFiles
	if last, _ := n.Last(); last.Seq-since.Seq <= fewChanges {
		columns = selectTexts
	}
	all, err := list(n, func(row pgx.CollectableRow) (Change, error) {
		if row.RawValues()[0] == nil { // the outer join has found no change
			return Change{}, row.Scan(nil, nil, nil, nil, nil, nil, &known)
		}
		return scanChange(row, &known)
	}, columns+`, k.known FROM (SELECT $3::bigint = 0 OR EXISTS (SELECT 1 FROM blue.audit WHERE project = $1 AND at = $4 AND entry = $5 AND seq = $3) AS known) k
		LEFT JOIN blue.note n ON n.project = $1 AND n.owner IN ('', $2) AND n.seq > $3 LEFT JOIN`+itsText+"ORDER BY n.seq",
		n.a.Project, n.view(), since.Seq, since.At, since.Entry)
	at := map[string]int{} // index in changes by name
	for _, c := range all {
		if c.Name == "" {
			continue
		}
		n.keepBody(c)
		if i, again := at[c.Name]; !again {
			at[c.Name] = len(changes)
			changes = append(changes, c)
		} else if !c.Gone { // a removed note and a present one of the same name
			changes[i] = c
		}
	}
	return changes, known, err
}

// keepBody caches a text that came with a listing.
func (n *Notes) keepBody(c Change) {
	if c.Text != nil {
		n.d.bodies.keep(bodyKey{n.a.Project, n.owner(c.Name), c.Name, c.Inode}, c.Text)
	}
}

const (
	selectFile  = "SELECT n.name, coalesce(length(t.bytes), 0), n.at, n.revision, n.removed <> 0, "
	selectFiles = selectFile + "NULL::bytea"
	selectTexts = selectFile + "CASE n.removed WHEN 0 THEN t.bytes END"
	ofNote      = " FROM blue.note n JOIN" + itsText + "WHERE n.project = $1 AND n.owner = $2 AND n.name = $3 AND "
	ofView      = " FROM blue.note n JOIN" + itsText + "WHERE n.project = $1 AND n.owner IN ('', $2) AND "
)

// scanChange scans the columns of selectFiles or selectTexts, and further ones into more. The
// file gets the revision as its inode: it is unique to the text, even if the database has
// assigned sequence numbers twice.
func scanChange(row pgx.CollectableRow, more ...any) (c Change, err error) {
	var revision string
	to := []any{&c.Name, &c.Size, &c.ModTime, &revision, &c.Gone, &c.Text}
	err = row.Scan(append(to, more...)...)
	c.ChangeTime, c.Inode = time.Unix(0, 0), numberOf(revision)
	return c, err
}

func scanNote(row pgx.CollectableRow) (Change, error) { return scanChange(row) }

// Files yields the notes sorted by name, for the index of this call.
func (n *Notes) Files(context.Context) iter.Seq2[store.File, error] {
	return func(yield func(store.File, error) bool) {
		files, err := list(n, scanNote, selectFiles+ofView+"n.removed = 0 ORDER BY n.name", n.a.Project, n.view())
		if err != nil {
			yield(store.File{}, err)
			return
		}
		for _, file := range files {
			if !yield(file.File, nil) {
				return
			}
		}
	}
}

// numberOf returns a revision as a number, or 0 if it is malformed.
func numberOf(revision string) uint64 {
	number, _ := strconv.ParseUint(revision, 16, 64)
	return number
}

// Bodies returns the texts of some notes by name, in one round trip for each owner. Notes that
// do not exist are missing.
func (n *Notes) Bodies(names []string) (texts map[string][]byte, err error) {
	texts = map[string][]byte{}
	byOwner := map[string][]string{}
	for _, name := range names {
		byOwner[n.owner(name)] = append(byOwner[n.owner(name)], name)
	}
	for owner, names := range byOwner {
		// The bounds keep a planner without statistics from scanning the whole project.
		all, err := list(n, scanNote, selectTexts+" FROM blue.note n JOIN"+itsText+`WHERE n.project = $1 AND n.owner = $2
				AND n.removed = 0 AND n.name >= $3 AND n.name <= $4 AND n.name = ANY($5)`,
			n.a.Project, owner, slices.Min(names), slices.Max(names), names)
		if err != nil {
			return nil, err
		}
		for _, c := range all {
			texts[c.Name] = c.Text
			n.keepBody(c)
		}
	}
	return texts, nil
}

// Read returns the text of a note and its revision.
func (n *Notes) Read(name string) (data []byte, revision string, err error) {
	data, err = n.Texts().Read(name, 0)
	return data, store.Revision(data), err
}

// Texts returns a reader of many notes.
func (n *Notes) Texts() *Texts { return &Texts{n} }

// Committed returns the notes without the changes of the current write, and outside its
// transaction.
func (n *Notes) Committed() *Notes { return n.d.Notes(n.ctx, n.a) }

// NewPrivate returns the names of the subject's private notes if it had none when the call
// began.
func (n *Notes) NewPrivate() (names []string, err error) {
	if n.a.Own {
		return nil, nil
	}
	return list(n, pgx.RowTo[string], "SELECT name FROM blue.note WHERE project = $1 AND owner = $2 AND removed = 0",
		n.a.Project, n.a.Subject)
}

// Texts reads notes by way of a cache.
type Texts struct{ n *Notes }

// Close does nothing.
func (t *Texts) Close() {}

// textRow is a text with its revision.
type textRow struct {
	Data     []byte
	Revision string
}

// Read returns the text of a note. If number is not 0 it is the revision that a listing has
// returned, for which a cached text is returned without asking the database.
func (t *Texts) Read(name string, number uint64) (data []byte, err error) {
	n := t.n
	key := bodyKey{n.a.Project, n.owner(name), name, number}
	if data, ok := n.d.bodies.find(key); ok && number != 0 {
		return data, nil
	}
	if err := checkName(name); err != nil {
		return nil, err
	}
	if data := n.textRead(name); data != nil {
		return data, nil
	}
	text, err := first(n, errors.NoNote(idOf(name)), pgx.RowToStructByPos[textRow],
		"SELECT t.bytes, n.revision"+ofNote+"n.removed = 0", n.a.Project, n.owner(name), name)
	if err != nil {
		return nil, err
	}
	if n.held == nil {
		key.number = numberOf(text.Revision)
		n.d.bodies.keep(key, text.Data)
	} else {
		n.mu.Lock()
		n.held.texts[name] = text.Data
		n.mu.Unlock()
	}
	return text.Data, nil
}

// textRead returns a text that the current write has read before, or nil.
func (n *Notes) textRead(name string) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.held == nil {
		return nil
	}
	return n.held.texts[name]
}
