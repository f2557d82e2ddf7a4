// Package notebook keeps the notes of one project. It owns their files, or the part of a
// database that holds them, the index, the ledger and the lock.
//
// A [Notebook] is what one call sees of a project; its methods are the verbs. The
// calls of a process share the [Handles] of a project. A verb that reads first brings the index
// in line with the notes. A verb that writes does all of it in one [Tx], under the lock.
package notebook

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"iter"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"blue/blue/internal/corpus"
	"blue/blue/internal/git"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Notebook is the notes of one project, for one call.
type Notebook struct {
	Found marker.Found
	Call  Call
	*Handles

	o       *Options
	store   backend
	trusted bool   // its notes may be told unasked
	at      string // shown in place of the root if it is not empty

	left       result.Unread
	behind     string // how far the notes are read; empty if the call sees all of them
	gitTrouble string // says that git did not answer; empty if it did
}

// Trusted reports whether the notes of the project may be told unasked.
func (nb *Notebook) Trusted() bool { return nb.trusted }

// ShownAt makes replies name a URL in place of the root.
func (nb *Notebook) ShownAt(url string) { nb.at = url }

// About names the project in the replies of this call, with what the call has left out so far.
func (nb *Notebook) About() result.About {
	a := AboutFound(nb.Found, nb.trusted)
	_, here := git.Relative(filepath.Join(nb.Found.Root, marker.Name), cmp.Or(nb.Found.Worktree, nb.Found.Root))
	a.Unnamed = nb.Call.Plain && here && nb.Found.Source == marker.Cwd && nb.Found.Near == ""
	a.Project, a.Terminal = nb.Ref(), nb.Call.Door.Terminal
	if nb.behind != "" {
		a.Reading = []string{nb.behind}
	}
	for _, warning := range []string{nb.left.Warning(), nb.gitTrouble} {
		if warning != "" {
			a.Warnings = append(a.Warnings, warning)
		}
	}
	return a
}

// AboutFound names a project that need not be open.
func AboutFound(f marker.Found, trusted bool) result.About {
	return result.About{Project: makeRef(f), OtherRoots: f.OtherRoots, Warnings: slices.Clone(f.Warnings), Untrusted: !trusted,
		Unfetched: f.Notebook && !f.Fetched}
}

// Ref names the project.
func (nb *Notebook) Ref() *result.Ref {
	r := makeRef(nb.Found)
	r.Root = cmp.Or(nb.at, r.Root)
	return r
}

func makeRef(f marker.Found) *result.Ref {
	return &result.Ref{Address: f.Address, Source: string(f.Source), Worktree: f.Worktree, Nearest: f.Near}
}

// NameProject adds the project to a failure that concerns it.
func (nb *Notebook) NameProject(err *error) {
	if *err == nil {
		return
	}
	e := *errors.Of(*err)
	e.Project = nb.Ref()
	*err = &e
}

// requireOneProject rejects a change if another project may be meant: several are open and the
// call names none, or the session worked in another one.
func (nb *Notebook) requireOneProject() error {
	if nb.Found.Lost != "" {
		return errors.ProjectMoved(nb.Found.Lost, nb.Found.Root)
	}
	if len(nb.Found.OtherRoots) == 0 {
		return nil
	}
	roots := append([]string{nb.Found.Root}, nb.Found.OtherRoots...)
	trace := slices.Clone(nb.Found.Trace)
	for i := range trace {
		if trace[i].Outcome == marker.Used {
			trace[i].Outcome = marker.OtherProject // none is used
		}
	}
	return errors.ManyProjects(roots).With(marker.Failure{Trace: trace, Candidates: roots})
}

// Root returns the project's root directory, empty if its notes are in a database.
func (nb *Notebook) Root() string { return nb.Found.Root }

func (nb *Notebook) absolutePath(name string) string {
	return filepath.Join(nb.Found.Notes.Dir(), filepath.FromSlash(name))
}

// pathOf returns the path, relative to the root, of a file of the notes.
func (nb *Notebook) pathOf(name string) string {
	if nb.Found.Notebook && nb.Found.Notes.Root == nb.Found.Root {
		return filepath.ToSlash(nb.Found.Notes.Below) + "/" + name
	}
	return marker.Name + "/" + name
}

// workTree returns the directory that the call works in: the root, or its counterpart in a
// linked worktree.
func (nb *Notebook) workTree() string {
	if nb.Found.Worktree == "" {
		return nb.Found.Root
	}
	if top := git.FindCheckout(nb.Found.Root).Top; top != "" {
		if below, err := filepath.Rel(top, nb.Found.Root); err == nil {
			dir := filepath.Join(nb.Found.Worktree, below)
			if info, err := os.Lstat(dir); err == nil && info.IsDir() {
				return dir
			}
		}
	}
	return nb.Found.Worktree
}

// by returns who changes notes in this call, and with which program.
func (nb *Notebook) by() store.By {
	client := nb.Call.Client
	if nb.Call.Door.Terminal {
		client = "cli"
	}
	return store.By{Author: note.ShowWord(nb.store.author()), Client: note.ShowWord(client)}
}

// Options are the settings that a process gives to its notebooks.
type Options struct {
	Home   string // the user's home directory, empty when unknown
	Cache  string // base directory of the indexes
	State  string // base directory of what Blue keeps of this user: trust, ledgers, syncs, copies, logs
	Config string // base directory of tokens
	Data   string // base directory of the notes about the user; empty if there are none
	User   string // the author if nothing else names one
	Env    func(string) string
	Now    func() time.Time
	Log    *slog.Logger
}

// Call is what one call says about its project.
type Call struct {
	From    iter.Seq[marker.Candidate] // in the order of docs/detection.md
	Allowed []string                   // the directories that a server may serve; if empty, all
	Cwd     string                     // shown as the process directory in failures
	Door    marker.Door                // how the call came, for failures
	Memory  *marker.Memory             // what earlier calls of the session led to; nil if there is no session
	Serving bool                       // the process lives on and a client waits for the answer: long reading continues in the background
	Private bool                       // the answer goes to the user of this process alone
	Client  string                     // name of the MCP client, empty at the terminal
	Plain   bool                       // texts do not name a project that the working directory lies in
	Log     *slog.Logger               // where this call is logged, with what the door knows of it
}

// Directory returns where Blue keeps files of a kind: "state", "config", "cache" or "data".
func (o *Options) Directory(kind string) string {
	base := map[string]string{"state": o.State, "config": o.Config, "cache": o.Cache, "data": o.Data}[kind]
	return filepath.Join(base, "blue")
}

// gitSettings returns the directory of the user's git settings.
func (o *Options) gitSettings() string {
	return filepath.Join(cmp.Or(o.Env("XDG_CONFIG_HOME"), filepath.Join(o.Home, ".config")), "git")
}

// IndexDir returns the directory of what is derived from a project.
func (o *Options) IndexDir(id, root string) string {
	return filepath.Join(o.Directory("cache"), rootKey(id, root))
}

// BackupDir returns the directory of the spare copies of what only this machine has of a
// notebook.
func (o *Options) BackupDir(at marker.Place) string {
	return filepath.Join(o.Directory("state"), "notebook", rootKey("", at.Dir()))
}

// SyncFile returns the file in which this machine keeps the state of the last sync of a
// notebook.
func (o *Options) SyncFile(found marker.Found) string {
	return filepath.Join(o.Directory("state"), "sync", rootKey(found.ID, found.Notes.Dir())+".json")
}

// rootKey returns a unique name for a project on this machine, even if two roots have one id.
func rootKey(id, root string) string {
	sum := sha256.Sum256([]byte(id + "\x00" + root))
	return hex.EncodeToString(sum[:16])
}

// isNoteFile reports whether ref is the name of a note's file.
func (nb *Notebook) isNoteFile(ref string) bool {
	_, ok := nb.index.InFile(nb.trimPath(ref))
	return ok
}

// trimPath shortens the path of a note to `notes/<id>`. It does not change an id.
func (nb *Notebook) trimPath(ref string) string {
	if filepath.IsAbs(ref) && nb.Found.Root != "" {
		if rel, err := filepath.Rel(nb.Found.Root, ref); err == nil {
			ref = rel
		}
	}
	ref = strings.TrimPrefix(filepath.ToSlash(ref), "./")
	return strings.TrimSuffix(strings.TrimPrefix(strings.TrimPrefix(ref, marker.Name+"/"), "notebook/"), ".md")
}

// linkedNotes returns the notes that a link may mean. See [Catalog.Linked].
func (nb *Notebook) linkedNotes(to string) []index.Row { return nb.index.Linked(nb.trimPath(to)) }

// mayBeDocument reports whether a link may lead to a document.
func (nb *Notebook) mayBeDocument(to string) bool { return corpus.IsPath(to) && !nb.isNoteFile(to) }

func idsOf(rows []index.Row) (ids []string) {
	for _, row := range rows {
		ids = append(ids, row.ID)
	}
	return ids
}

// Branch returns the git branch that the call works on, empty if there is none.
func (nb *Notebook) Branch() string {
	if nb.Found.Start == "" {
		return ""
	}
	return note.ShowTitle(git.Branch(nb.Found.Start))
}
