package marker

import (
	"os"
	"path/filepath"
	"strings"

	"blue/errors"
)

// Place is a directory of notes, given by Below relative to Root.
type Place struct{ Root, Below string }

// Dir returns the path of the directory.
func (p Place) Dir() string { return filepath.Join(p.Root, p.Below) }

// A notebook is a directory of notes that is in no commit of the code, so that checkouts do not
// change it. Its format file records that it is in use and where its notes travel, regardless of the
// project.yaml that is checked out.
const (
	notebookName = "notebook"
	formatFile   = "format"
	switchFile   = "switching"
)

// placeNotebook sets f.Notes to the notebook, if the project has one. id is that in project.yaml,
// which an older commit may lack.
func (f *Found) placeNotebook(id string) {
	at := Place{f.Root, filepath.Join(Name, notebookName)}
	format := readFormat(at)
	if !format.inUse && f.Sync.Mode != Notebook {
		return
	}
	if id == "" && IsID(format.id) {
		f.ID = format.id
	}
	f.Notes, f.Notebook, f.Fetched = at, true, format.inUse
}

// placeApart sets f.Notes of a linked worktree whose main tree has no marker to the notebook that all
// worktrees share: in the main tree, or in the git directory if there is none.
func (f *Found) placeApart(t gitEntry) {
	at := Place{t.main, filepath.Join(Name, notebookName)}
	if t.main == "" {
		if f.ID == f.Root {
			return
		}
		at = Place{t.common, filepath.Join("blue", notebookName+"-"+strings.ReplaceAll(f.ID, ":", "_"))}
	}
	if inUse := IsNotebook(at); inUse || f.Notebook {
		f.Notes, f.Notebook, f.Fetched = at, true, inUse
	}
}

// Destination is where the notes of a notebook travel: a ref of a git remote, or a project of a
// server.
type Destination struct {
	Remote  string // name of the git remote, or URL of the server; empty if there is none yet
	Ref     string // or name of the project
	Reached bool   // a sync with it has succeeded
}

// Is reports whether both are the same place.
func (d Destination) Is(other Destination) bool {
	return d.Remote == other.Remote && d.Ref == other.Ref
}

// IsServer reports whether the notes travel to a server.
func (d Destination) IsServer() bool { return strings.Contains(d.Remote, "://") }

// format is what the format file of a notebook holds.
type format struct {
	id    string // of the project
	inUse bool   // the notes are in the notebook
	goes  Destination
}

// Keys of the format file.
const (
	projectKey = "project: "
	goesKey    = "goes to: "    // the remote, a space, and the ref
	willGoKey  = "will go to: " // the same, before it was reached
)

func readFormat(at Place) (f format) {
	text, _ := readOwn(at, formatFile)
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if id, ok := strings.CutPrefix(line, projectKey); ok {
			f.id, f.inUse = id, true
		}
		for key, reached := range map[string]bool{goesKey: true, willGoKey: false} {
			if goes, ok := strings.CutPrefix(line, key); ok {
				remote, ref, _ := strings.Cut(goes, " ")
				f.goes = Destination{remote, ref, reached}
			}
		}
	}
	return f
}

// IsNotebook reports whether the directory is a notebook in use.
func IsNotebook(at Place) bool { return readFormat(at).inUse }

// DestinationOf returns where the notes of a notebook travel.
func DestinationOf(at Place) Destination { return readFormat(at).goes }

// NotebookOf returns the place of the notebook that a project has or would have.
func NotebookOf(f Found) Place {
	if f.Notebook {
		return f.Notes
	}
	f.Sync.Mode = Notebook
	f.place(f.ID)
	return f.Notes
}

// MakeNotebook creates the directory of a notebook. Git ignores it.
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

// UseNotebook records that the notes of a project are in the notebook.
func UseNotebook(at Place, id string) error {
	return changeFormat(at, func(f *format) { f.id, f.inUse = id, true })
}

// SetDestination records where the notes of a notebook travel. It creates the notebook if it is
// missing.
func SetDestination(at Place, goes Destination) error {
	if err := MakeNotebook(at); err != nil {
		return err
	}
	return changeFormat(at, func(f *format) { f.goes = goes })
}

func changeFormat(at Place, change func(*format)) error {
	f := readFormat(at)
	change(&f)
	text := "format: 1\n"
	if f.inUse {
		text += projectKey + f.id + "\n"
	}
	if f.goes != (Destination{}) {
		key := willGoKey
		if f.goes.Reached {
			key = goesKey
		}
		text += key + f.goes.Remote + " " + f.goes.Ref + "\n"
	}
	return inPlace(at, func(dir *os.Root) error {
		return rewriteFile(dir, formatFile, func(string) string { return text })
	})
}

// LeaveNotebook undoes [UseNotebook]. The destination stays, for notes that come back.
func LeaveNotebook(at Place) error {
	return changeFormat(at, func(f *format) { f.id, f.inUse = "", false })
}

// BeginSwitch records that notes are being moved into a notebook, or out of it.
func BeginSwitch(at Place, in bool) error {
	return inPlace(at, func(dir *os.Root) error {
		return rewriteFile(dir, switchFile, func(string) string { return map[bool]string{true: "in\n", false: "out\n"}[in] })
	})
}

// Switching reports whether notes are being moved, and whether into the notebook.
func Switching(at Place) (in, there bool) {
	text, err := readOwn(at, switchFile)
	return strings.TrimSpace(string(text)) == "in", err == nil
}

// readOwn reads a state file of a notebook, which must be a real directory.
func readOwn(at Place, name string) ([]byte, error) {
	if info, err := os.Lstat(at.Dir()); err != nil || !info.IsDir() {
		return nil, errors.New("there is no notebook")
	}
	return ReadFile(filepath.Join(at.Dir(), name), maxLink)
}

// EndSwitch undoes [BeginSwitch].
func EndSwitch(at Place) error { return dropFile(at, switchFile) }

// inPlace calls do with the directory of a notebook and syncs it to disk.
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

// Again determines again where the notes of a project are.
func Again(f Found) Found {
	s, _ := readSettings(f.Root)
	f.Sync, f.Notes, f.Notebook, f.Fetched = s.Sync, Place{f.Root, Name}, false, false
	f.place(s.ID)
	return f
}

// place sets f.Notes to the notebook of a project with its own marker.
func (f *Found) place(id string) {
	f.placeNotebook(id)
	if t, err := readGitEntry(f.Root); err == nil && t.linked {
		f.placeApart(t)
	}
}
