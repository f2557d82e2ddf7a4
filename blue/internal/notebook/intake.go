package notebook

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
)

// Intake finds out for an import which documents are already notes, and which names the others
// can get. It is not safe for concurrent use.
type Intake struct {
	nb         *Notebook
	trash      map[string]string // file in the trash, by the name that the note had
	claimed    map[string]bool   // lower-case names of the files that were settled
	identities map[string]bool   // given to new notes
}

// Intake begins an import. It fails if it is uncertain that this project is meant.
func (nb *Notebook) Intake(ctx context.Context) (*Intake, error) {
	if err := nb.requireOneProject(); err != nil {
		return nil, err
	}
	if err := nb.refreshWhole(ctx); err != nil {
		return nil, err
	}
	trashed, err := nb.store.Trash()
	k := &Intake{nb: nb, trash: map[string]string{}, claimed: map[string]bool{}, identities: map[string]bool{}}
	for _, t := range slices.Backward(trashed) { // the newest note of a name counts
		k.trash[t.Name] = t.File
	}
	return k, err
}

// Create writes one note under a lock of its own.
func (k *Intake) Create(ctx context.Context, file string, data []byte) (durable bool, err error) {
	err = k.nb.update(ctx, "import", func(tx *Tx) error {
		saved, err := tx.held.Create(file, data)
		durable = saved.Durable
		return err
	})
	return durable, err
}

// Holds reports whether the file of a note has exactly these bytes.
func (k *Intake) Holds(file string, data []byte) bool {
	there, _, err := k.nb.store.Read(file)
	return err == nil && bytes.Equal(there, data)
}

// Incoming is a document that will become a note.
type Incoming struct {
	ID      string // its own id, which the note keeps if possible; may be empty
	From    string // what the note is made of: its place, "#", and a hash of its text
	Private bool
	Note    note.Text
}

// Settled is where the note of a document is or will be.
type Settled struct {
	File  string // below .blue, with slashes
	There bool   // the note was made before; it may be in the trash
	Kept  bool   // it has the document's own id, by which it is recognized
}

// ID returns the id of the note.
func (s Settled) ID() string { return note.IDOf(s.File) }

// Settle finds the note that was made of a document before, trashed or not, or claims a free name.
func (k *Intake) Settle(in Incoming) Settled {
	s := k.findPlace(in)
	if !s.There {
		k.claimed[strings.ToLower(s.File)] = true
	}
	return s
}

func (k *Intake) findPlace(in Incoming) Settled {
	if own := note.FileOf(in.ID, in.Private); in.ID != "" && store.SafeName(in.ID+".md") == "" {
		row, ok := k.nb.index.Row(own)
		switch {
		case ok && (row.Title == in.Note.Title || k.beganAs(own, in.Note)):
			return Settled{File: own, There: true, Kept: true}
		case k.isTrashed(own, func(was note.Text) bool { return was.Title == in.Note.Title }):
			return Settled{File: own, There: true, Kept: true}
		case !ok && !k.claimed[strings.ToLower(own)]:
			return Settled{File: own, Kept: true}
		}
	}
	if rows := k.nb.index.Keyed(fromKey + in.From); len(rows) > 0 {
		return Settled{File: rows[0].Name, There: true}
	}
	name := ""
	for suffix := range note.IDSuffixes(k.nb.Found.ID, "import\x00"+in.From) {
		name = note.FileOf(note.MakeSlug(in.Note.Title)+"-"+suffix, in.Private)
		if k.isTrashed(name, func(was note.Text) bool { return was.From == in.From }) {
			return Settled{File: name, There: true}
		}
		if _, ok := k.nb.index.Row(name); !ok && !k.claimed[strings.ToLower(name)] {
			break
		}
	}
	return Settled{File: name}
}

// UID returns the identity for the note that will be made in a file: the given one, unless
// another note has it.
func (k *Intake) UID(file, uid string) string {
	taken := func(row index.Row) bool { return row.Name != file }
	if k.identities[uid] || slices.ContainsFunc(k.nb.index.Keyed(uidKey+uid), taken) {
		uid = note.NewUID()
	}
	k.identities[uid] = true
	return uid
}

// beganAs reports whether the first revision of a note had the text of another.
func (k *Intake) beganAs(name string, n note.Text) bool {
	_, _, ok := wasMadeOf(k.nb.store, name, n)
	return ok
}

// isTrashed reports whether the note of that name in the trash is the one meant.
func (k *Intake) isTrashed(name string, is func(note.Text) bool) bool {
	file, ok := k.trash[name]
	if !ok {
		return false
	}
	data, _, err := k.nb.store.ReadTrashed(file)
	return err == nil && is(note.ParseText(name, data))
}

// Earlier returns the note that was made of an earlier text at the same place, which is the
// part of Incoming.From before its "#".
func (k *Intake) Earlier(place string) (id string, ok bool) {
	rows := k.nb.index.Keyed(wasKey + place)
	if len(rows) == 0 {
		return "", false
	}
	return rows[0].ID, true
}
