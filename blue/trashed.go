package blue

import (
	"context"
	"strings"

	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/storage"
)

// TrashList is the answer to "what is in the trash".
type TrashList = reply.TrashList

// Trashed is a note in the trash.
type Trashed = reply.Trashed

// Trashed are the notes in the trash whose id begins so.
func (p *Project) Trashed(start string) []Choice { return storage.CompleteTrashed(p.store, start) }

// Trash lists the notes in the trash.
func (p *Project) Trash(ctx context.Context) (t TrashList, err error) {
	defer p.NameProject(&err)
	if err := p.refresh(ctx); err != nil {
		return t, err
	}
	t = TrashList{About: p.About(), Notes: []Trashed{}}
	files, err := p.store.Trash()
	if err != nil {
		return t, err
	}
	seen := map[string]bool{}
	for _, file := range files {
		if err := ctx.Err(); err != nil {
			return t, err
		}
		if p.isMoved(file.Name) {
			continue // the note is there, under another id
		}
		data, _, err := p.store.ReadTrashed(file.File)
		if err != nil {
			continue // it is gone meanwhile, or no note any more
		}
		n := note.ParseText(file.Name, data)
		t.Notes = append(t.Notes, Trashed{
			ID: note.IDOf(file.Name), Ref: strings.TrimSuffix(file.Name, ".md"), Path: ".blue/" + file.File, Title: note.ShowTitle(n.Title), Type: note.ShowWord(n.Type),
			Removed: reply.FormatTime(file.Time), Size: file.Size, Private: note.IsPrivate(file.Name), Older: seen[file.Name],
		})
		seen[file.Name] = true
	}
	return t, nil
}
