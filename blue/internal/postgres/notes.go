package postgres

import (
	"context"
	"iter"
	"slices"
	"strings"
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
	Seq     uint64 // of the last change when the call began
	Own     bool   // the subject has private notes here, which the index of this call has too
}

// Notes is the notes of one project for one call.
type Notes struct {
	d   *Database
	ctx context.Context // of the call; the methods of a store have none
	a   Access

	mu   sync.Mutex // of the transaction: one statement at a time
	held *Held      // the write under way, nil for none
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

func isPrivate(name string) bool { return strings.HasPrefix(name, "private/") }

// idOf is the name of a note that people use.
func idOf(name string) string {
	return strings.TrimSuffix(strings.TrimPrefix(name, "notes/"), ".md")
}

// Seq is the number of the last change that the call must see: the one when it began, or
// within a write the last one of another.
func (n *Notes) Seq() uint64 {
	if n.held != nil {
		return uint64(n.held.seq - 1)
	}
	return n.a.Seq
}

// Change is a note that has come, changed or gone.
type Change struct {
	store.File
	Gone bool
	Text []byte // nil when there are so many changes that texts are asked for apart
}

// fewChanges is up to how many changes of a project come with their texts.
const fewChanges = 20

// Changes lists what has changed since a number, for the index of this call.
func (n *Notes) Changes(seq uint64) (changes []Change, err error) {
	few := n.Seq()-seq <= fewChanges
	columns := selectFiles
	if few {
		columns = selectTexts
	}
	at := map[string]int{} // by name
	err = n.query(reading{
		sql:  columns + ofView + " AND seq > $3 ORDER BY seq",
		args: []any{n.a.Project, n.view(), int64(seq)},
		begin: func() {
			changes = changes[:0]
			clear(at)
		},
		each: func(r row) error {
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
	return changes, err
}

// keepBody keeps a text that a listing has brought, for those who will show it.
func (n *Notes) keepBody(file store.File, text []byte) {
	n.d.bodies.keep(bodyKey{n.a.Project, n.owner(file.Name), file.Name, file.Inode}, text)
}

const (
	selectFiles = "SELECT name, length(bytes), at, seq, removed"
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

// scanFile reads a row of a listing. The sequence number of a note stands where a file has
// its inode: another text has another one.
func scanFile(r row) (file store.File, removed bool, err error) {
	var at, seq, gone int64
	err = r.scan(&file.Name, &file.Size, &at, &seq, &gone)
	file.ModTime, file.ChangeTime, file.Inode = time.Unix(0, at), time.Unix(0, 0), uint64(seq)
	return file, gone != 0, err
}

// Bodies reads the texts of some notes in one round trip. A note that is gone is missing.
func (n *Notes) Bodies(names []string) (texts map[string][]byte, err error) {
	err = n.query(reading{
		sql:   selectTexts + ofView + " AND removed = 0 AND name = ANY($3)",
		args:  []any{n.a.Project, n.view(), names},
		begin: func() { texts = map[string][]byte{} },
		each: func(r row) error {
			file, _, err := scanFile(r[:fileColumns])
			texts[file.Name] = slices.Clone(r[fileColumns])
			n.keepBody(file, texts[file.Name])
			return err
		},
	})
	return texts, err
}

// Read returns the bytes of a note and their revision.
func (n *Notes) Read(name string) (data []byte, revision string, err error) {
	data, err = n.Texts().Read(name, 0)
	return data, store.Revision(data), err
}

// Texts reads many notes.
func (n *Notes) Texts() *Texts { return &Texts{n} }

// Texts reads notes, and finds those again that were read before.
type Texts struct{ n *Notes }

// Close does nothing.
func (t *Texts) Close() {}

// Read returns the bytes of a note. The number, if it is not 0, is the sequence number that
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
	found, err := n.queryOne(func(r row) error {
		var seq int64
		err := r.scan(&data, &seq)
		key.number = uint64(seq)
		return err
	}, "SELECT bytes, seq FROM blue.note WHERE project = $1 AND owner = $2 AND name = $3 AND removed = 0", n.a.Project, n.owner(name), name)
	if err == nil && !found {
		err = errors.NoNote(idOf(name))
	}
	if err == nil && n.held == nil {
		n.d.bodies.keep(key, data)
	}
	return data, err
}

// checkName refuses a name that no file of a note could have.
func checkName(name string) error {
	dir, base, _ := strings.Cut(name, "/")
	if dir != "notes" && dir != "private" {
		return errors.NotServed(name, "it is neither in notes/ nor in private/")
	}
	if problem := store.SafeName(base); problem != "" {
		return errors.NotServed(name, problem)
	}
	return nil
}

// bodyKey is a text: of a project and an owner, by its name and sequence number.
type bodyKey struct {
	project, owner, name string
	number               uint64
}

// bodyLimit is how many bytes of texts each of the two halves of the cache has.
const bodyLimit = 16 << 20

// bodyCache keeps the texts that were read last, in two halves: when the young one is full
// it takes the place of the old one.
type bodyCache struct {
	mu         sync.Mutex
	young, old map[bodyKey][]byte
	size       int
}

func (c *bodyCache) find(key bodyKey) (data []byte, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if data, ok = c.young[key]; ok {
		return data, true
	}
	if data, ok = c.old[key]; ok {
		c.add(key, data)
	}
	return data, ok
}

func (c *bodyCache) keep(key bodyKey, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.add(key, data)
}

func (c *bodyCache) add(key bodyKey, data []byte) {
	if c.young == nil || c.size+len(data) > bodyLimit {
		c.young, c.old, c.size = map[bodyKey][]byte{}, c.young, 0
	}
	c.young[key] = data
	c.size += len(data)
}
