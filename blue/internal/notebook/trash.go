package notebook

import (
	"context"
	"strings"

	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

// Trash lists the notes in the trash, but for those that are there under another id.
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
		if nb.isMoved(file.Name) {
			continue
		}
		data, _, err := nb.store.ReadTrashed(file.File)
		if err != nil {
			continue // it is gone meanwhile, or no note any more
		}
		n := note.ParseText(file.Name, data)
		path := ".blue/" + file.File
		nb.showPath(&path)
		t.Notes = append(t.Notes, result.Trashed{
			ID: note.IDOf(file.Name), Ref: strings.TrimSuffix(file.Name, ".md"), Path: path, Title: note.ShowTitle(n.Title), Type: note.ShowWord(n.Type),
			Removed: result.FormatTime(file.Time), Size: file.Size, Private: note.IsPrivate(file.Name), Older: seen[file.Name],
		})
		seen[file.Name] = true
	}
	return t, nil
}
