package blue

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue/internal/git"
	"blue/blue/internal/reply"
	"blue/blue/internal/storage"
	"blue/blue/internal/store"
	"blue/errors"
	"blue/marker"
)

// Notes is what the verbs need of a store, Texts reads many of its notes, and Writer is the one
// write that is under way.
type (
	Notes  = storage.Notes
	Texts  = storage.Texts
	Writer = storage.Writer
)

// Choice is a word that may stand on a command line that is being typed, and what it means.
type Choice = storage.Choice

// Project is the project of one call. Its methods are the verbs.
type Project struct {
	b      *Blue
	found  marker.Found
	client string
	call   Call
	left   reply.Unread
	behind string // how far the notes are read, when the call does not know all of them
	store  Notes
	*opened

	trusted bool         // its notes may be told unasked
	hosted  *Hosted      // nil for a project of this machine
	derived *hostedIndex // the index of a hosted one

	gitTrouble string // the file for which git would wait, empty when there is none

	at string // URL of the server whose notes these are for a while, empty elsewhere
}

// Ref names a project in a reply.
type Ref = reply.Ref

// About is what every reply carries.
type About = reply.About

// About names the project, for the replies of this call, and what the call has left
// out so far.
func (p *Project) About() About {
	a := aboutFound(p.found, p.trusted)
	_, here := git.Relative(filepath.Join(p.found.Root, marker.Name), cmp.Or(p.found.Worktree, p.found.Root))
	a.Unnamed = p.call.Plain && here && p.found.Source == marker.Cwd && p.found.Near == ""
	a.Project, a.Terminal = p.Ref(), p.call.Door.Terminal
	if p.behind != "" {
		a.Reading = []string{p.behind}
	}
	if w := p.left.Warning(); w != "" {
		a.Warnings = append(a.Warnings, w)
	}
	if p.gitTrouble != "" {
		a.Warnings = append(a.Warnings, p.gitTrouble)
	}
	if p.hosted != nil && p.hosted.asOf != "" {
		a.Warnings = append(a.Warnings, p.hosted.asOf)
	}
	return a
}

// AboutFound names a project that was found and is not open.
func (b *Blue) AboutFound(f marker.Found) About { return aboutFound(f, b.isTrusted(f)) }

func aboutFound(f marker.Found, trusted bool) About {
	return About{Project: makeRef(f), OtherRoots: f.OtherRoots, Warnings: slices.Clone(f.Warnings), Untrusted: !trusted, Unfetched: f.Notebook && !f.Fetched}
}

// Ref names the project.
func (p *Project) Ref() *Ref {
	r := makeRef(p.found)
	r.Root = cmp.Or(p.at, r.Root)
	return r
}

func makeRef(f marker.Found) *Ref {
	return &Ref{Root: f.Root, Name: f.Name, ID: f.ID, Source: string(f.Source), Worktree: f.Worktree, Nearest: f.Near}
}

// NameProject puts the project on a failure that concerns it.
func (p *Project) NameProject(err *error) {
	if *err == nil {
		return
	}
	e := *errors.Of(*err)
	e.Project = p.Ref()
	*err = &e
}

// write makes one write of the project, see [storage.Write].
func (p *Project) write(ctx context.Context, verb string, do func(w Writer) error) error {
	return storage.Write(ctx, func() (Writer, error) {
		if p.hosted == nil {
			held, err := p.lockNotes(ctx)
			if err == nil && held.AfterStop() && verb != importsOn {
				if err := p.mend(ctx, held); err != nil {
					p.b.o.Log.Warn("notes not looked through after a writer was stopped", "project", p.found.Root, "err", err)
				}
			}
			return held, err
		}
		// An index that is far behind is brought in line while others can still write.
		if err := p.refreshWhole(ctx); err != nil {
			return nil, err
		}
		return p.hosted.Notes.Lock(ctx, verb)
	}, func(w Writer) error {
		err := do(w)
		if held, ok := w.(*store.Held); ok && err != nil {
			err = held.Unfinished(err)
		}
		return err
	})
}

// lockNotes takes the lock of the project's files, for everything that writes. Private
// and former text must not get into git, whoever made the marker.
func (p *Project) lockNotes(ctx context.Context) (*store.Held, error) {
	held, err := p.opened.store.Lock(ctx)
	if err != nil {
		return nil, err
	}
	if marker.Again(p.found).Notes != p.found.Notes {
		return nil, errors.Join(errors.NotesMoved(), held.Unlock())
	}
	held.By = p.by()
	if err := marker.WriteIgnoreFile(p.found.Root); err != nil {
		return nil, errors.Join(err, held.Unlock())
	}
	return held, nil
}

// mend finishes what a writer that was stopped has left.
func (p *Project) mend(ctx context.Context, held *store.Held) error {
	err := p.refreshWhole(ctx)
	if err == nil {
		err = p.renaming(held).Mend()
	}
	if err == nil {
		err = p.steps(held).MendSuperseded()
	}
	if errors.Is(err, errors.Disk) {
		held.LeaveUnfinished()
	}
	return err
}

// requireOneProject refuses to change anything while it is not sure that this project is meant:
// several projects are open and the call does not say which, or the session worked in
// another one that is gone.
func (p *Project) requireOneProject() error {
	if p.found.Lost != "" {
		return errors.RootGone(p.found.Lost, p.found.Root)
	}
	if len(p.found.OtherRoots) == 0 {
		return nil
	}
	roots := append([]string{p.found.Root}, p.found.OtherRoots...)
	trace := slices.Clone(p.found.Trace)
	for i := range trace {
		if trace[i].Outcome == marker.Used {
			trace[i].Outcome = marker.OtherProject // none is used
		}
	}
	return errors.ManyProjects(roots).With(marker.Failure{Trace: trace, Candidates: roots})
}

// indexDir is the directory of what is derived from a project.
func (b *Blue) indexDir(id, root string) string {
	return filepath.Join(b.Directory("cache"), rootKey(id, root))
}

// rootKey names a project among all of this machine: two roots never share a name, even
// when they carry one id.
func rootKey(id, root string) string {
	sum := sha256.Sum256([]byte(id + "\x00" + root))
	return hex.EncodeToString(sum[:16])
}

// Heard is where the project was named, what was said there, and the root that it led to.
func (p *Project) Heard() (source marker.Source, value, root string) {
	return p.found.Source, p.found.Value, p.found.Root
}

// Root is the project's root directory.
func (p *Project) Root() string { return p.found.Root }

func (p *Project) absolutePath(name string) string {
	return filepath.Join(p.found.Notes.Dir(), filepath.FromSlash(name))
}

// showPath makes the path of a file of the notes below .blue that of where it lies.
func (p *Project) showPath(path *string) {
	if below, ok := strings.CutPrefix(*path, marker.Name+"/"); ok && p.found.Notebook && p.found.Notes.Root == p.found.Root {
		*path = filepath.ToSlash(p.found.Notes.Below) + "/" + below
	}
}

// WorkingDir spells the working directory of the process, which the system names dir, as
// the variable PWD does when that is the same directory and a path that Blue takes.
func (b *Blue) WorkingDir(dir string) string { return marker.WorkingDir(dir, b.o.Env("PWD")) }

// Process is the candidate that the working directory of the process makes; one that is
// gone is unusable.
func (b *Blue) Process(dir string) marker.Candidate {
	if dir == "" {
		return marker.Candidate{Source: marker.Cwd, Outcome: marker.Unusable, Detail: "the working directory is gone"}
	}
	return marker.Candidate{Source: marker.Cwd, Value: b.WorkingDir(dir)}
}

// workTree is the directory whose files the call works on: the root, and in a
// linked worktree the directory there that stands for it.
func (p *Project) workTree() string {
	if p.hosted != nil {
		return ""
	}
	if p.found.Worktree == "" {
		return p.found.Root
	}
	if top := git.FindCheckout(p.found.Root).Top; top != "" {
		if below, err := filepath.Rel(top, p.found.Root); err == nil {
			if dir := filepath.Join(p.found.Worktree, below); isDirectory(dir) {
				return dir
			}
		}
	}
	return p.found.Worktree
}

func isDirectory(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.IsDir()
}
