package marker

import (
	"os"
	"path/filepath"
	"strings"

	"blue/errors"
	"blue/marker/mount"
)

// Place is where the notes of a project lie: in the directory Below of Root.
type Place struct{ Root, Below string }

// Dir is the path of the directory.
func (p Place) Dir() string { return filepath.Join(p.Root, p.Below) }

// A notebook keeps notes out of the commits of the code. It lies in a directory that no commit
// has ever held, so that no checkout can touch it, and its format file says that it is in use,
// whatever the project.yaml of the commit that is checked out says.
const (
	notebookName = "notebook"
	formatFile   = "format"
	switchFile   = "switching"
)

// placeNotebook makes the notes those of the notebook, if the project has one. id is that of
// project.yaml, which may be missing in an older commit.
func (f *Found) placeNotebook(id string) {
	at := Place{f.Root, filepath.Join(Name, notebookName)}
	known, there := readFormat(at)
	if !there && f.Carry.Mode != Notebook {
		return
	}
	if id == "" && IsID(known) {
		f.ID = known
	}
	f.Notes, f.Notebook, f.Fetched = at, true, there
}

// placeApart makes the notes of a linked worktree whose main tree has no marker those of the
// notebook that all worktrees share: in the main tree, or in the directory of git where there
// is none.
func (f *Found) placeApart(t gitEntry) {
	at := Place{t.main, filepath.Join(Name, notebookName)}
	if t.main == "" {
		if f.ID == f.Root {
			return
		}
		at = Place{t.common, filepath.Join("blue", notebookName+"-"+strings.ReplaceAll(f.ID, ":", "_"))}
	}
	if _, there := readFormat(at); there || f.Notebook {
		f.Notes, f.Notebook, f.Fetched = at, true, there
	}
}

// readFormat reads the id of the project from the format file of a notebook, and reports
// whether there is one.
func readFormat(at Place) (id string, there bool) {
	text, err := readOwn(at, formatFile)
	for line := range strings.Lines(string(text)) {
		if value, ok := strings.CutPrefix(strings.TrimSpace(line), "project: "); ok {
			id = value
		}
	}
	return id, err == nil
}

// IsNotebook reports whether the directory is a notebook in use.
func IsNotebook(at Place) bool {
	_, there := readFormat(at)
	return there
}

// NotebookOf is the place of the notebook that the project has, or would have.
func NotebookOf(f Found) Place {
	if f.Notebook {
		return f.Notes
	}
	f.Carry.Mode = Notebook
	f.placeNotebook(f.ID)
	if t, err := readGitEntry(f.Worktree); err == nil && t.linked && f.Worktree == f.Root {
		f.placeApart(t)
	}
	return f.Notes
}

// MakeNotebook makes the directory of a notebook, which git ignores wherever it lies.
func MakeNotebook(at Place) error {
	root, err := os.OpenRoot(at.Root)
	if err == nil {
		err = root.MkdirAll(at.Below, 0o755)
		_ = root.Close()
	}
	if err != nil {
		return errors.MarkerNotMade(at.Root, err)
	}
	return inPlace(at, func(dir *os.Root) error {
		_, err := addFile(dir, ignoreFile, "*\n")
		return err
	})
}

// UseNotebook says from now on that the notes of a project lie in the notebook.
func UseNotebook(at Place, id string) error {
	return inPlace(at, func(dir *os.Root) error {
		return rewriteFile(dir, formatFile, func(string) string { return "format: 1\nproject: " + id + "\n" })
	})
}

// LeaveNotebook takes back what [UseNotebook] has said.
func LeaveNotebook(at Place) error { return dropFile(at, formatFile) }

// BeginSwitch notes that the notes are on their way into a notebook, or out of it.
func BeginSwitch(at Place, in bool) error {
	return inPlace(at, func(dir *os.Root) error {
		return rewriteFile(dir, switchFile, func(string) string { return map[bool]string{true: "in\n", false: "out\n"}[in] })
	})
}

// Switching reports whether the notes are on their way, and whether into the notebook.
func Switching(at Place) (in, there bool) {
	text, err := readOwn(at, switchFile)
	return strings.TrimSpace(string(text)) == "in", err == nil
}

// readOwn reads a small file of Blue's own in a notebook, which is a real directory.
func readOwn(at Place, name string) ([]byte, error) {
	if info, err := os.Lstat(at.Dir()); err != nil || !info.IsDir() {
		return nil, errors.New("there is no notebook")
	}
	return mount.ReadFile(filepath.Join(at.Dir(), name), maxLink)
}

// EndSwitch notes that they have arrived.
func EndSwitch(at Place) error { return dropFile(at, switchFile) }

func inPlace(at Place, do func(dir *os.Root) error) error {
	dir, err := os.OpenRoot(at.Dir())
	if err == nil {
		err = do(dir)
		flushDir(dir)
		_ = dir.Close()
	}
	if err != nil {
		return errors.MarkerNotMade(at.Root, err)
	}
	return nil
}

func dropFile(at Place, name string) error {
	return inPlace(at, func(dir *os.Root) error {
		if err := dir.Remove(name); !errors.Is(err, os.ErrNotExist) {
			return err
		}
		return nil
	})
}

// Again looks once more where the notes of a project lie.
func Again(f Found) Found {
	s, _ := readSettings(f.Root)
	f.Carry, f.Notes, f.Notebook, f.Fetched = s.Carry, Place{f.Root, Name}, false, false
	f.placeNotebook(s.ID)
	if t, err := readGitEntry(f.Root); err == nil && t.linked {
		f.placeApart(t)
	}
	return f
}
