package notebook

import (
	"context"
	"path/filepath"
	"strings"

	"blue/blue/internal/corpus"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/errors"
	"blue/marker"
)

// findNote returns the note that a caller means by an id, the unique start of one, or the
// path of its file. A caller's words never become a path: they are looked up
// among the notes that are there.
func (nb *Notebook) findNote(ref string) (index.Row, error) {
	ref = strings.TrimSpace(ref)
	if ref == "" {
		return index.Row{}, errors.Missing("id", "give the id of a note")
	}
	if name, _, _ := nb.beside().FindDocument(context.Background(), ref, nb.isNoteFile); name != "" {
		return index.Row{}, errors.DocumentNoNote(name, filepath.Join(nb.workTree(), filepath.FromSlash(name)))
	}
	switch rows := nb.matchNotes(ref); len(rows) {
	case 1:
		return rows[0], nil
	case 0:
		word := nb.trimPath(ref)
		if err := nb.left.Reason(word); err != nil {
			return index.Row{}, err
		}
		if err := nb.store.whyUnserved(word); err != nil {
			return index.Row{}, err
		}
		if nb.behind != "" {
			return index.Row{}, errors.StillReading(nb.behind)
		}
		return index.Row{}, errors.NoNote(ref, nb.index.NearestIDs(note.BareID(word))...)
	default:
		return index.Row{}, errors.ManyNotes(ref, idsOf(rows)...)
	}
}

// mayBeDocument reports whether a link may lead to a document.
func (nb *Notebook) mayBeDocument(to string) bool { return corpus.IsPath(to) && !nb.isNoteFile(to) }

// matchNotes returns the notes that a word may mean, see [Catalog.Matches].
func (nb *Notebook) matchNotes(ref string) []index.Row { return nb.index.Matches(nb.trimPath(ref)) }

// linkedNotes returns the notes that a link may mean, see [Catalog.Linked].
func (nb *Notebook) linkedNotes(to string) []index.Row { return nb.index.Linked(nb.trimPath(to)) }

// linkedIDs are the ids of the notes that a link may mean.
func (nb *Notebook) linkedIDs(to string) []string { return idsOf(nb.linkedNotes(to)) }

func idsOf(rows []index.Row) (ids []string) {
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids
}

// isNoteFile reports words that are the name of a note's file.
func (nb *Notebook) isNoteFile(ref string) bool {
	_, ok := nb.index.InFile(nb.trimPath(ref))
	return ok
}

// trimPath takes a path to a note apart as far as `notes/<id>`; an id stays one.
func (nb *Notebook) trimPath(ref string) string {
	if filepath.IsAbs(ref) && nb.Found.Root != "" {
		if rel, err := filepath.Rel(nb.Found.Root, ref); err == nil {
			ref = rel
		}
	}
	ref = strings.TrimPrefix(filepath.ToSlash(ref), "./")
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(ref, marker.Name+"/"), "notebook/"), ".md")
}
