package blue

import (
	"context"
	"path/filepath"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/shelves"
	"blue/errors"
	"blue/marker"
)

// findNote returns the note that a caller means by an id, the unique start of one, or the
// path of its file. A caller's words never become a path: they are looked up
// among the notes that are there.
func (p *Project) findNote(ref string) (index.Row, error) {
	ref = strings.TrimSpace(ref)
	if ref == "" {
		return index.Row{}, errors.Missing("id", "give the id of a note")
	}
	if name, _, _ := p.beside().FindDocument(context.Background(), ref, p.isNoteFile); name != "" {
		return index.Row{}, errors.DocumentNoNote(name, filepath.Join(p.workTree(), filepath.FromSlash(name)))
	}
	switch rows := p.matchNotes(ref); len(rows) {
	case 1:
		return rows[0], nil
	case 0:
		if err := p.whyUnserved(ref); err != nil {
			return index.Row{}, err
		}
		if p.behind != "" {
			return index.Row{}, errors.StillReading(p.behind)
		}
		return index.Row{}, errors.NoNote(ref, p.index.NearestIDs(note.BareID(p.trimPath(ref)))...)
	default:
		return index.Row{}, errors.ManyNotes(ref, idsOf(rows)...)
	}
}

// mayBeDocument reports whether a link may lead to a document.
func (p *Project) mayBeDocument(to string) bool { return shelves.IsPath(to) && !p.isNoteFile(to) }

// matchNotes returns the notes that a word may mean, see [catalog.Notes.Matches].
func (p *Project) matchNotes(ref string) []index.Row { return p.index.Matches(p.trimPath(ref)) }

// linkedNotes returns the notes that a link may mean, see [catalog.Notes.Linked].
func (p *Project) linkedNotes(to string) []index.Row { return p.index.Linked(p.trimPath(to)) }

// linkedIDs are the ids of the notes that a link may mean.
func (p *Project) linkedIDs(to string) []string { return idsOf(p.linkedNotes(to)) }

func idsOf(rows []index.Row) (ids []string) {
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids
}

// whyUnserved says why the file of that id is not served, nil when there is none. The
// word is compared with the names of a listing and never becomes a path.
func (p *Project) whyUnserved(ref string) error {
	word := p.trimPath(ref)
	if err := p.left.Reason(word); err != nil {
		return err
	}
	if p.hosted != nil {
		return nil // a database serves all that it has
	}
	for file, err := range p.store.Files(context.Background()) {
		if err != nil || file.Problem == "" {
			continue
		}
		if stem := strings.TrimSuffix(file.Name, ".md"); stem == word || note.BareID(stem) == word {
			_, _, err := p.store.Read(file.Name)
			return err
		}
	}
	return nil
}

// isNoteFile reports words that are the name of a note's file.
func (p *Project) isNoteFile(ref string) bool {
	_, ok := p.index.InFile(p.trimPath(ref))
	return ok
}

// trimPath takes a path to a note apart as far as `notes/<id>`; an id stays one.
func (p *Project) trimPath(ref string) string {
	if filepath.IsAbs(ref) && p.hosted == nil {
		if rel, err := filepath.Rel(p.found.Root, ref); err == nil {
			ref = rel
		}
	}
	ref = strings.TrimPrefix(filepath.ToSlash(ref), "./")
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(ref, marker.Name+"/"), "notebook/"), ".md")
}
