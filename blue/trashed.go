package blue

import (
	"context"
	"strings"

	"blue/blue/internal/note"
)

// TrashList is the answer to "what is in the trash".
type TrashList struct {
	About
	Notes []Trashed `json:"notes"` // removed last first
}

// Trashed is a note in the trash.
type Trashed struct {
	ID      string `json:"id"`
	Ref     string `json:"ref"`  // what a removal with Restore names it by
	Path    string `json:"path"` // where it lies
	Title   string `json:"title"`
	Type    string `json:"type"`
	Removed string `json:"removed"` // RFC 3339, UTC
	Size    int64  `json:"size"`    // bytes
	Private bool   `json:"private,omitempty"`
	Older   bool   `json:"older,omitempty"` // another one of its name was removed later, and comes back first
}

// Trash lists the notes in the trash.
func (p *Project) Trash(ctx context.Context) (t TrashList, err error) {
	defer p.NameProject(&err)
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
		data, _, err := p.store.ReadTrashed(file.File)
		if err != nil {
			continue // it is gone meanwhile, or no note any more
		}
		n := note.ParseText(file.Name, data)
		t.Notes = append(t.Notes, Trashed{
			ID: note.IDOf(file.Name), Ref: strings.TrimSuffix(file.Name, ".md"), Path: ".blue/" + file.File, Title: note.ShowTitle(n.Title), Type: note.ShowWord(n.Type),
			Removed: formatTime(file.Time), Size: file.Size, Private: note.IsPrivate(file.Name), Older: seen[file.Name],
		})
		seen[file.Name] = true
	}
	return t, nil
}
