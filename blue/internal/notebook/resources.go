package notebook

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue/internal/deliveries"
	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Lists of resources, prompts and completions contain only notes of trusted projects.

// Offered is a note that Blue shows unasked.
type Offered struct {
	result.Row
	Path string // of its file, absolute
	Name string // of its file below .blue, with slashes
	Size int64  // of its file in bytes
}

// Offer returns the notes of a trusted project, newest first. Of another project it returns how
// many there are.
func (nb *Notebook) Offer(ctx context.Context) (notes []Offered, others int, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return nil, 0, err
	}
	if !nb.trusted {
		return nil, nb.index.Len(), nil
	}
	show := nb.shown()
	for _, row := range nb.index.All(false) {
		notes = append(notes, Offered{Row: show.row(row), Path: nb.absolutePath(row.Name), Name: row.Name, Size: row.Stamp.Size})
	}
	return notes, 0, nil
}

// Completions returns the ids and tags of those notes that begin with start, in alphabetical
// order.
func (nb *Notebook) Completions(ctx context.Context, start string) (ids, tags []string, err error) {
	notes, _, err := nb.Offer(ctx)
	for _, n := range notes {
		for _, tag := range n.Tags {
			if hasStart(tag, start) {
				tags = append(tags, tag)
			}
		}
		if hasStart(n.ID, start) {
			ids = append(ids, n.ID)
		}
	}
	return sortDistinct(ids), sortDistinct(tags), err
}

func hasStart(word, start string) bool {
	return len(word) >= len(start) && strings.EqualFold(word[:len(start)], start)
}

func sortDistinct(words []string) []string {
	slices.SortFunc(words, func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a), strings.ToLower(b)), cmp.Compare(a, b))
	})
	return slices.Compact(words)
}

// Resource is the file of a note as it is served to a client, safe to show.
type Resource struct {
	Text   string
	Hidden int // characters shown as \u{…}
}

// Source reads the file at an absolute path, which must be that of a note of this project. The
// path may use any spelling of the root that leads to the same directory.
func (nb *Notebook) Source(ctx context.Context, file string) (s Resource, err error) {
	defer nb.NameProject(&err)
	name, ok := nb.noteName(file)
	if !ok {
		return s, errors.NoNote(file)
	}
	if err := nb.refresh(ctx); err != nil {
		return s, err
	}
	if err := nb.left.Reason(strings.TrimSuffix(name, ".md")); err != nil {
		return s, err
	}
	row, ok := nb.index.Row(name)
	if !ok {
		return s, errors.NoNote(file)
	}
	nb.recordUse(deliveries.Read, []string{row.ID})
	data, _, err := nb.store.Read(name)
	if err != nil {
		return s, err
	}
	n := note.ParseText(name, data)
	if n.UID != "" { // the uid means nothing to a reader
		if err := n.SetKey(note.UIDKey, nil); err != nil {
			return s, err
		}
	}
	s.Text, s.Hidden = note.CountHidden(strings.ToValidUTF8(string(n.Bytes()), "\uFFFD"))
	return s, nil
}

// noteName returns the name of a note below the marker. The marker must be in the root itself,
// because a name below another one means another note.
func (nb *Notebook) noteName(file string) (string, bool) {
	scope := filepath.Dir(file)
	mark := filepath.Dir(scope)
	root, err := filepath.EvalSymlinks(filepath.Dir(mark))
	if err != nil || root != nb.Found.Root || filepath.Base(mark) != marker.Name {
		return "", false
	}
	return path.Join(filepath.Base(scope), filepath.Base(file)), true
}
