package notebook

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
)

// Publication holds the notes of a project that others may see: all except private ones.
type Publication struct {
	Notes   []Published // by title
	Private int         // notes that are left out
	nb      *Notebook
}

// Published is the index row of a note in a [Publication].
type Published index.Row

// Publish finds the notes that others may see.
func (nb *Notebook) Publish(ctx context.Context) (Publication, error) {
	u := Publication{nb: nb}
	if err := nb.refreshWhole(ctx); err != nil {
		return u, err
	}
	rows := nb.index.All(true)
	for _, row := range rows {
		if note.IsPrivate(row.Name) {
			u.Private++
			continue
		}
		u.Notes = append(u.Notes, Published(row))
	}
	return u, nil
}

// Read returns the unchanged file of a note.
func (u Publication) Read(n Published) ([]byte, error) {
	data, _, err := u.nb.store.Read(n.Name)
	return data, err
}

// Find returns the note that a link means, and false if others may not see it.
func (u Publication) Find(ref string) (n Published, ok bool) {
	rows := u.nb.linkedNotes(ref)
	if len(rows) != 1 || note.IsPrivate(rows[0].Name) {
		return n, false
	}
	return Published(rows[0]), true
}

// Note returns a note as others may see it. It does not name private notes.
func (u Publication) Note(ctx context.Context, of Published, data []byte) result.Note {
	n := viewer{u.nb, u.nb.citedFiles(), true}.note(ctx, index.Row(of), data, u.nb.index.LinkingTo(index.Row(of)))
	n.Revision = of.Revision
	return n
}

// LinkTo returns the document, or the single note, that a link means. It is missing if there is none.
func (nb *Notebook) LinkTo(ref string) result.Link {
	if nb.mayBeDocument(ref) {
		name := path.Clean(ref)
		if title, ok := nb.shelves().Title(name); ok {
			return result.Link{ID: name, Title: title}
		}
	}
	if rows := nb.linkedNotes(ref); len(rows) == 1 {
		return result.Link{ID: rows[0].ID, Title: note.ShowTitle(rows[0].Title)}
	}
	return result.Link{ID: ref, Missing: true}
}

// pictureLimit is the maximum size of a picture that is shown with a note.
const pictureLimit = 2 << 20

// notPublic are the directories whose pictures are never shown.
var notPublic = []string{".blue/private/", ".blue/history/", ".blue/trash/", ".blue/notebook/private/", ".blue/notebook/history/", ".blue/notebook/trash/", ".git/"}

// Picture returns a picture that a note shows, and its media type, which is empty if there is
// none. The name is relative to the directory of the notes or to the root.
func (nb *Notebook) Picture(name string) (kind string, content []byte) {
	kind = note.PictureKind(name)
	if kind == "" || nb.Found.Root == "" {
		return "", nil
	}
	for _, file := range []string{path.Join(filepath.ToSlash(nb.Found.Notes.Below), "notes", name), path.Clean(strings.TrimPrefix(name, "/"))} {
		below := func(dir string) bool { return strings.HasPrefix(strings.ToLower(file), dir) }
		if filepath.IsLocal(filepath.FromSlash(file)) && !slices.ContainsFunc(notPublic, below) {
			if content, ok := git.ReadFile(nb.Found.Root, file, pictureLimit); ok {
				return kind, content
			}
		}
	}
	return "", nil
}
