package notebook

import (
	"path"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue/internal/git"
	"blue/blue/internal/note"
)

// pictureLimit is the size of a picture that is shown with a note.
const pictureLimit = 2 << 20

// notPublic are the directories of a project of which no picture is shown: what lies there
// stays on this machine.
var notPublic = []string{".blue/private/", ".blue/history/", ".blue/trash/", ".blue/notebook/private/", ".blue/notebook/history/", ".blue/notebook/trash/", ".git/"}

// Picture returns a picture that a note shows, and its media type, which is empty when there
// is none. The note names it from the directory of the notes or from the top of the project.
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
