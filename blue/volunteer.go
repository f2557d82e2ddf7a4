package blue

import (
	"context"
	"path"
	"path/filepath"
	"strings"

	"blue/blue/internal/deliveries"
	"blue/blue/internal/note"
	"blue/blue/internal/shown"
	"blue/errors"
	"blue/marker"
	"blue/marker/mount"
)

// Lists of resources, prompts and completions are made of the notes that may be told unasked.

// Offered is a note that Blue shows unasked.
type Offered = shown.Offered

// Offer returns the notes that may be told unasked, newest first, and how many others
// there are.
func (p *Project) Offer(ctx context.Context) (notes []Offered, others int, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return nil, 0, err
	}
	rows := p.index.All(false)
	notes, others = p.shown().Offer(rows, p.absolutePath)
	return notes, others, nil
}

// Completions are the ids and tags of those notes that begin with a word, in the order of the alphabet.
func (p *Project) Completions(ctx context.Context, start string) (ids, tags []string, err error) {
	notes, _, err := p.Offer(ctx)
	ids, tags = shown.Complete(notes, start)
	return ids, tags, err
}

// Source is the file of a note as it is served to a client, safe to show.
type Source struct {
	Text   string
	Hidden int // characters shown as \u{…}
}

// Source reads the file at an absolute path, which must be that of a note of this
// project, by the spelling of its root or another one of the same directory.
func (p *Project) Source(ctx context.Context, file string) (s Source, err error) {
	defer p.NameProject(&err)
	name, ok := p.noteName(file)
	if !ok {
		return s, errors.NoNote(file)
	}
	if err := p.refresh(ctx); err != nil {
		return s, err
	}
	if err := p.left.Reason(strings.TrimSuffix(name, ".md")); err != nil {
		return s, err
	}
	row, ok := p.index.Row(name)
	if !ok {
		return s, errors.NoNote(file)
	}
	p.recordUse(deliveries.Read, []string{row.ID})
	data, _, err := p.store.Read(name)
	if err != nil {
		return s, err
	}
	n := note.ParseText(name, data)
	if n.UID != "" { // it means nothing to a reader
		if err := n.SetKey(note.UIDKey, nil); err != nil {
			return s, err
		}
	}
	s.Text, s.Hidden = note.CountHidden(strings.ToValidUTF8(string(n.Bytes()), "\uFFFD"))
	return s, nil
}

// noteName takes a path apart as far as the name of a note. The directory that
// holds the marker must be the project's root itself: a name below another one
// would be another note.
func (p *Project) noteName(file string) (string, bool) {
	scope := filepath.Dir(file)
	mark := filepath.Dir(scope)
	root, err := mount.Resolve(filepath.Dir(mark))
	if err != nil || root != p.found.Root || filepath.Base(mark) != marker.Name {
		return "", false
	}
	return path.Join(filepath.Base(scope), filepath.Base(file)), true
}
