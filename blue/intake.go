package blue

import (
	"bytes"
	"context"
	"strings"

	"blue/blue/internal/note"
	"blue/blue/internal/store"
)

// Intake says, for an import, which documents are notes of the project already and
// under which names the others can become notes. It must not be used by two
// goroutines at a time.
type Intake struct {
	p       *Project
	trash   map[string]string // file in the trash, by the name that the note had
	claimed map[string]bool   // names of files that were settled, in lower case
}

// Incoming is a document that is to become a note.
type Incoming struct {
	ID      string // its own, which the note keeps where it can; empty when it has none
	From    string // what the note is made of: where it stands, "#", and a hash of its text
	Private bool
	Note    note.Text
}

// Settled is where the note of a document stands or will stand.
type Settled struct {
	File  string // below .blue, with slashes
	There bool   // it was made before, and may be in the trash
	Kept  bool   // it has the document's own id, by which it is known again
}

// ID is the id of the note.
func (s Settled) ID() string { return note.IDOf(s.File) }

// Intake begins an import. It refuses when it is not sure that this project is meant.
func (p *Project) Intake(ctx context.Context) (*Intake, error) {
	if err := p.requireOneProject(); err != nil {
		return nil, err
	}
	if err := p.refresh(ctx); err != nil {
		return nil, err
	}
	trashed, err := p.store.Trash()
	k := &Intake{p: p, trash: map[string]string{}, claimed: map[string]bool{}}
	for _, t := range trashed {
		if _, ok := k.trash[t.Name]; !ok { // the newest comes first
			k.trash[t.Name] = t.File
		}
	}
	return k, err
}

// Settle finds the note that a document was made into before, in the trash too, or
// claims a free name for it.
func (k *Intake) Settle(in Incoming) Settled {
	s := k.findPlace(in)
	if !s.There {
		k.claimed[strings.ToLower(s.File)] = true
	}
	return s
}

func (k *Intake) findPlace(in Incoming) Settled {
	if own := note.FileOf(in.ID, in.Private); in.ID != "" && store.SafeName(in.ID+".md") == "" {
		row, ok := k.p.index.Row(own)
		switch {
		case ok && (row.Title == in.Note.Title || k.beganAs(own, in.Note)):
			return Settled{File: own, There: true, Kept: true}
		case k.isTrashed(own, func(was note.Text) bool { return was.Title == in.Note.Title }):
			return Settled{File: own, There: true, Kept: true}
		case !ok && !k.claimed[strings.ToLower(own)]:
			return Settled{File: own, Kept: true}
		}
	}
	if rows := k.p.index.ImportedFrom(in.From); len(rows) > 0 {
		return Settled{File: rows[0].Name, There: true}
	}
	name := ""
	for suffix := range note.IDSuffixes(k.p.found.ID, "import\x00"+in.From) {
		name = note.FileOf(note.MakeSlug(in.Note.Title)+"-"+suffix, in.Private)
		if k.isTrashed(name, func(was note.Text) bool { return was.From == in.From }) {
			return Settled{File: name, There: true}
		}
		if _, ok := k.p.index.Row(name); !ok && !k.claimed[strings.ToLower(name)] {
			break
		}
	}
	return Settled{File: name}
}

// beganAs reports whether the first revision of a note had the text of another.
func (k *Intake) beganAs(name string, n note.Text) bool {
	_, _, ok := k.p.wasMadeOf(name, n)
	return ok
}

// isTrashed reports whether a note of that name in the trash is the one meant.
func (k *Intake) isTrashed(name string, is func(note.Text) bool) bool {
	file, ok := k.trash[name]
	if !ok {
		return false
	}
	data, _, err := k.p.store.ReadTrashed(file)
	return err == nil && is(note.ParseText(name, data))
}

// Earlier is the note that was made of an earlier text at the same place, which is
// what Incoming.From has before its "#".
func (k *Intake) Earlier(place string) (id string, ok bool) {
	rows := k.p.index.ImportedAt(place)
	if len(rows) == 0 {
		return "", false
	}
	return rows[0].ID, true
}

// Create writes one note. The lock is held for this one alone, so that others can
// write meanwhile.
func (k *Intake) Create(ctx context.Context, file string, data []byte) (durable bool, err error) {
	held, err := k.p.lockNotes(ctx)
	if err != nil {
		return false, err
	}
	defer held.Unlock()
	saved, err := held.Create(file, data)
	if err != nil {
		return false, err
	}
	k.p.recordWritten(file, saved.Revision)
	return saved.Durable, nil
}

// MarkSuperseded marks the notes of those ids as superseded, as far as they are there.
func (k *Intake) MarkSuperseded(ctx context.Context, ids []string) (durable bool, err error) {
	held, err := k.p.lockNotes(ctx)
	if err != nil {
		return false, err
	}
	defer held.Unlock()
	if err := k.p.refresh(ctx); err != nil {
		return false, err
	}
	return k.p.markSuperseded(held, ids)
}

// Holds reports whether a file of a note has just these bytes.
func (k *Intake) Holds(file string, data []byte) bool {
	there, _, err := k.p.store.Read(file)
	return err == nil && bytes.Equal(there, data)
}
