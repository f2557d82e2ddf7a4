package postgres

import (
	"context"
	"iter"
	"slices"
	"strconv"
	"time"

	"blue/blue/internal/store"
	"blue/errors"
)

// Change is a note that has come, changed or gone.
type Change struct {
	store.File
	Gone bool
	Text []byte // nil when there are so many changes that texts are asked for apart
}

// fewChanges is up to how many changes of a project come with their texts.
const fewChanges = 20

// Changes lists what has changed since a change, for the index of this call. When the database
// has not had that change, or does not know, known is false: it may have lost others too.
func (n *Notes) Changes(since store.Mark) (changes []Change, known bool, err error) {
	last, _ := n.Last()
	few := last.Seq-since.Seq <= fewChanges
	columns := selectFiles
	if few {
		columns = selectTexts
	}
	at := map[string]int{} // by name
	err = n.query(reading{
		sql: columns + `, k.known FROM (SELECT $3::bigint = 0 OR EXISTS (SELECT 1 FROM blue.audit WHERE project = $1 AND at = $4 AND entry = $5 AND seq = $3) AS known) k
			LEFT JOIN blue.note n ON n.project = $1 AND n.owner IN ('', $2) AND n.seq > $3 ORDER BY n.seq`,
		args: []any{n.a.Project, n.view(), int64(since.Seq), since.At, since.Entry},
		begin: func() {
			changes = changes[:0]
			clear(at)
		},
		each: func(r row) error {
			if err := r[len(r)-1:].scan(&known); err != nil || r[0] == nil {
				return err
			}
			file, removed, err := scanFile(r[:fileColumns])
			c := Change{File: file, Gone: removed}
			if few && !removed {
				c.Text = slices.Clone(r[fileColumns])
				n.keepBody(file, c.Text)
			}
			if i, again := at[file.Name]; !again {
				at[file.Name] = len(changes)
				changes = append(changes, c)
			} else if !removed { // of the same name the one that is there counts
				changes[i] = c
			}
			return err
		},
	})
	return changes, known, err
}

// keepBody keeps a text that a listing has brought, for those who will show it.
func (n *Notes) keepBody(file store.File, text []byte) {
	n.d.bodies.keep(bodyKey{n.a.Project, n.owner(file.Name), file.Name, file.Inode}, text)
}

const (
	selectFiles = "SELECT name, length(bytes), at, revision, removed"
	fileColumns = 5
	selectTexts = selectFiles + ", bytes"
	ofView      = " FROM blue.note WHERE project = $1 AND owner IN ('', $2)"
)

// Files yields the notes in the order of their names, for the index of this call.
func (n *Notes) Files(context.Context) iter.Seq2[store.File, error] {
	return func(yield func(store.File, error) bool) {
		var files []store.File
		err := n.query(reading{
			sql:   selectFiles + ofView + " AND removed = 0 ORDER BY name",
			args:  []any{n.a.Project, n.view()},
			begin: func() { files = files[:0] },
			each: func(r row) error {
				file, _, err := scanFile(r)
				files = append(files, file)
				return err
			},
		})
		if err != nil {
			yield(store.File{}, err)
			return
		}
		for _, file := range files {
			if !yield(file, nil) {
				return
			}
		}
	}
}

// scanFile reads a row of a listing. The revision of a note stands where a file has its inode:
// another text has another one, also after numbers of changes were used again.
func scanFile(r row) (file store.File, removed bool, err error) {
	var at, gone int64
	var revision string
	err = r.scan(&file.Name, &file.Size, &at, &revision, &gone)
	file.ModTime, file.ChangeTime, file.Inode = time.Unix(0, at), time.Unix(0, 0), numberOf(revision)
	return file, gone != 0, err
}

// numberOf is a revision as a number.
func numberOf(revision string) uint64 {
	number, _ := strconv.ParseUint(revision, 16, 64) // 0 for what is none, which no text is known by
	return number
}

// Bodies reads the texts of some notes, in one round trip for those of each owner. A note that
// is gone is missing.
func (n *Notes) Bodies(names []string) (texts map[string][]byte, err error) {
	texts = map[string][]byte{}
	byOwner := map[string][]string{}
	for _, name := range names {
		byOwner[n.owner(name)] = append(byOwner[n.owner(name)], name)
	}
	for owner, names := range byOwner {
		if err := n.addBodies(texts, owner, names); err != nil {
			return nil, err
		}
	}
	return texts, nil
}

// addBodies adds the texts of notes of one owner. The first and the last name keep an engine
// that has not counted its rows yet from looking through the whole project.
func (n *Notes) addBodies(texts map[string][]byte, owner string, names []string) error {
	return n.query(reading{
		sql:  selectTexts + " FROM blue.note WHERE project = $1 AND owner = $2 AND removed = 0 AND name >= $3 AND name <= $4 AND name = ANY($5)",
		args: []any{n.a.Project, owner, slices.Min(names), slices.Max(names), names},
		each: func(r row) error {
			file, _, err := scanFile(r[:fileColumns])
			texts[file.Name] = slices.Clone(r[fileColumns])
			n.keepBody(file, texts[file.Name])
			return err
		},
	})
}

// Read returns the bytes of a note and their revision.
func (n *Notes) Read(name string) (data []byte, revision string, err error) {
	data, err = n.Texts().Read(name, 0)
	return data, store.Revision(data), err
}

// Texts reads many notes.
func (n *Notes) Texts() *Texts { return &Texts{n} }

// Committed are the notes beside the write under way, and without what it has changed.
func (n *Notes) Committed() *Notes { return n.d.Notes(n.ctx, n.a) }

// NewPrivate lists the private notes of a subject that had none when the call began.
func (n *Notes) NewPrivate() (names []string, err error) {
	if n.a.Own {
		return nil, nil
	}
	err = n.query(reading{
		sql:   "SELECT name FROM blue.note WHERE project = $1 AND owner = $2 AND removed = 0",
		args:  []any{n.a.Project, n.a.Subject},
		begin: func() { names = nil },
		each:  func(r row) error { names = append(names, string(r[0])); return nil },
	})
	return names, err
}

// Texts reads notes, and finds those again that were read before.
type Texts struct{ n *Notes }

// Close does nothing.
func (t *Texts) Close() {}

// Read returns the bytes of a note. The number, if it is not 0, is that of the revision which
// a listing has seen: a text that is known by it needs no look at the database.
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
	found, err := n.queryOne(func(r row) error {
		var revision string
		err := r.scan(&data, &revision)
		key.number = numberOf(revision)
		return err
	}, "SELECT bytes, revision FROM blue.note WHERE project = $1 AND owner = $2 AND name = $3 AND removed = 0", n.a.Project, n.owner(name), name)
	if err == nil && !found {
		err = errors.NoNote(idOf(name))
	}
	if err == nil && n.held == nil {
		n.d.bodies.keep(key, data)
	} else if err == nil {
		n.mu.Lock()
		n.held.texts[name] = data
		n.mu.Unlock()
	}
	return data, err
}

// textRead is a text that the write under way has read before, nil when it has not.
func (n *Notes) textRead(name string) []byte {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.held == nil {
		return nil
	}
	return n.held.texts[name]
}
