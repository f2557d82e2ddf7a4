package notebook

import (
	"context"
	"iter"
	"path/filepath"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
)

// findNote returns the note that an id, a unique prefix of one, or the path of its file names.
// It looks ref up among the notes and never opens it as a path.
func (nb *Notebook) findNote(ref string) (index.Row, error) {
	ref = strings.TrimSpace(ref)
	if ref == "" {
		return index.Row{}, errors.Missing("id", "give the id of a note")
	}
	if name, _, _ := nb.shelves().FindDocument(context.Background(), ref, nb.isNoteFile); name != "" {
		return index.Row{}, errors.E(errors.Invalid, "%s is a document of the project, not a note", errors.Quote(name)).
			Hint("", "", "edit the file itself: "+
				errors.Visible(filepath.Join(nb.workTree(), filepath.FromSlash(name))))
	}
	switch rows := nb.index.Matches(nb.trimPath(ref)); len(rows) {
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

// findAnywhere returns the note of a reference, or else the trashed one, of which it returns
// only the name and the id.
func (nb *Notebook) findAnywhere(ref string) (row index.Row, trashed bool, err error) {
	row, err = nb.findNote(ref)
	if !errors.Is(err, errors.NotFound) {
		return row, false, err
	}
	name, _, ok := nb.findTrashed(ref)
	if !ok {
		return row, false, err
	}
	return index.Row{Name: name, ID: note.IDOf(name)}, true, nil
}

// matchTrashed returns the trashed notes that a reference may mean: the one of that name, else
// those whose ids begin with it, the newest of each name.
func (nb *Notebook) matchTrashed(ref string) (found []store.Trashed) {
	word := nb.trimPath(ref)
	start := note.BareID(word)
	trashed, err := nb.store.Trash()
	if err != nil || start == "" {
		return nil
	}
	seen := map[string]bool{}
	for _, t := range trashed {
		id := note.IDOf(t.Name)
		if t.Name == word+".md" || id == word {
			return []store.Trashed{t}
		}
		if strings.HasPrefix(id, start) && !seen[id] {
			found = append(found, t)
		}
		seen[id] = true
	}
	return found
}

// pastTexts yields the former revisions of a note that can be read, newest first.
func pastTexts(from Reader, name string) iter.Seq2[store.Past, note.Text] {
	return func(yield func(store.Past, note.Text) bool) {
		all, _ := from.Revisions(name)
		for _, past := range all {
			if data, err := from.ReadPast(name, past.Revision); err == nil && !yield(past, note.ParseText(name, data)) {
				return
			}
		}
	}
}

// readTrashed reads the newest trashed note of a name.
func readTrashed(from Reader, name string) (data []byte, revision string, file store.Trashed, err error) {
	trashed, err := from.TrashedAs(name)
	if err != nil {
		return nil, "", file, err
	}
	if len(trashed) == 0 {
		return nil, "", file, errors.NotTrashed(note.IDOf(name))
	}
	data, revision, err = from.ReadTrashed(trashed[0].File)
	return data, revision, trashed[0], err
}

// findTrashed returns the former name and the present file of the only trashed note that a word
// means.
func (nb *Notebook) findTrashed(ref string) (name, file string, ok bool) {
	found := nb.matchTrashed(ref)
	if len(found) != 1 {
		return "", "", false
	}
	return found[0].Name, found[0].File, true
}

// Trash lists the notes in the trash, except those whose files were renamed elsewhere, as a sync brings
// it.
func (nb *Notebook) Trash(ctx context.Context) (t result.TrashList, err error) {
	defer nb.NameProject(&err)
	if err := nb.refresh(ctx); err != nil {
		return t, err
	}
	t = result.TrashList{About: nb.About(), Notes: []result.Trashed{}}
	files, err := nb.store.Trash()
	if err != nil {
		return t, err
	}
	seen := map[string]bool{}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		data, _, err := nb.store.ReadTrashed(file.File)
		if err != nil {
			continue // it was removed since the listing, or is no longer a note
		}
		n := note.ParseText(file.Name, data)
		if _, renamed := nb.withUID(n.Identity(), file.Name); renamed {
			continue
		}
		t.Notes = append(t.Notes, result.Trashed{
			ID: note.IDOf(file.Name), Ref: strings.TrimSuffix(file.Name, ".md"), Path: nb.pathOf(file.File), Title: note.ShowTitle(n.Title), Type: note.ShowWord(n.Type),
			Removed: result.FormatTime(file.Time), Size: file.Size, Private: note.IsPrivate(file.Name), Older: seen[file.Name],
		})
		seen[file.Name] = true
	}
	return t, nil
}
