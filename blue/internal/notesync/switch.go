package notesync

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"blue/blue/internal/atomicfile"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/blue/result"
	"blue/errors"
	"blue/marker"
)

// Switch moves the notes of a project into its notebook, or out of it if in is false. If the
// process is killed, [Recover] finishes the move.
func Switch(ctx context.Context, found marker.Found, backups string, in bool) error {
	at := marker.NotebookOf(found)
	if err := marker.MakeNotebook(at); err != nil {
		return err
	}
	return withLocks(ctx, found, at, func(code, notebook *store.Held) error {
		if err := marker.BeginSwitch(at, in); err != nil {
			return err
		}
		return moveNotes(found, at, backups, in, code, notebook)
	})
}

// Recover finishes a [Switch] that was interrupted, and recreates a notebook that git clean has
// removed from the directory of backups. It returns where the notes are now. If restored is
// true the notebook had been fetched, and [Replica.RestoreMissing] restores the other notes.
func Recover(ctx context.Context, found marker.Found, at marker.Place, backups string) (now marker.Found, restored bool, err error) {
	switched, err := resumeSwitch(ctx, found, at, backups)
	if err == nil && !found.Fetched {
		restored, err = restoreBackups(ctx, found.ID, at, backups)
	}
	if err != nil || !switched && !restored {
		return found, false, err
	}
	if restored { // the commit that is checked out may lack the id
		id, goes := readRecord(backups)
		found.ID = cmp.Or(id, found.ID)
		if err := marker.UseNotebook(at, found.ID); err != nil {
			return found, false, err
		}
		if err := marker.SetDestination(at, goes); err != nil {
			return found, false, err
		}
	}
	return marker.Again(found), restored, nil
}

// resumeSwitch finishes an interrupted switch and reports whether there was one.
func resumeSwitch(ctx context.Context, found marker.Found, at marker.Place, backups string) (was bool, err error) {
	if _, was = marker.Switching(at); !was {
		return false, nil
	}
	return true, withLocks(ctx, found, at, func(code, notebook *store.Held) error {
		in, unfinished := marker.Switching(at)
		if !unfinished { // another process has finished it
			return nil
		}
		return moveNotes(found, at, backups, in, code, notebook)
	})
}

// withLocks calls do with the locks of the notes of the code and of the notebook.
func withLocks(ctx context.Context, found marker.Found, at marker.Place, do func(code, notebook *store.Held) error) error {
	var held [2]*store.Held
	for i, place := range []marker.Place{{Root: found.Root, Below: marker.Name}, at} {
		s, err := store.Open(place.Root, place.Below)
		if err != nil {
			return err
		}
		defer s.Close()
		if held[i], err = s.Lock(ctx); err != nil {
			return err
		}
		defer held[i].Unlock()
	}
	return do(held[0], held[1])
}

// moveNotes performs the steps of a switch. Each step can be repeated.
func moveNotes(found marker.Found, at marker.Place, backups string, in bool, code, notebook *store.Held) error {
	steps := []func() error{
		func() error { return notebook.MoveAll(code) },
		func() error { return marker.SetSyncKey(found.Root, "notes", "") },
		func() error { return marker.LeaveNotebook(at) },
		func() error { return os.RemoveAll(backups) },
	}
	if in {
		steps = []func() error{
			func() error { return code.MoveAll(notebook) },
			func() error { return marker.SetSyncKey(found.Root, "notes", string(marker.Notebook)) },
			func() error { return backUpAll(found, at, backups) },
			func() error { return marker.UseNotebook(at, found.ID) },
		}
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return err
		}
	}
	return marker.EndSwitch(at)
}

// backUpAll backs up all notes of a new notebook, because no other machine has them yet.
func backUpAll(found marker.Found, at marker.Place, backups string) error {
	s, err := store.Open(at.Root, at.Below)
	if err != nil {
		return err
	}
	defer s.Close()
	s.BackupDir = backups
	for f, err := range s.Files(context.Background()) {
		if err != nil || f.Problem != "" {
			continue // a check reports it
		}
		if err := s.BackUp(f.Name); err != nil {
			return err
		}
	}
	found.Notes = at
	return RecordNotebook(found, backups)
}

// inUseFile is the file among the backups that names the notebook in use, its project, and where
// its notes travel.
const inUseFile = "format"

// RecordNotebook records among the backups that the notebook is in use and where its notes travel,
// so that [Recover] notices when git clean has removed it.
func RecordNotebook(found marker.Found, backups string) error {
	goes := marker.DestinationOf(found.Notes)
	path, text := filepath.Join(backups, inUseFile), strings.Join([]string{found.Notes.Dir(), found.ID, goes.Remote, goes.Ref, fmt.Sprint(goes.Reached), ""}, "\n")
	if now, err := os.ReadFile(path); err == nil && string(now) == text {
		return nil
	}
	return atomicfile.Target{Path: path}.Replace([]byte(text))
}

// readRecord returns what [RecordNotebook] has recorded.
func readRecord(backups string) (id string, goes marker.Destination) {
	text, _ := os.ReadFile(filepath.Join(backups, inUseFile)) // missing if it was never in use
	lines := append(strings.Split(string(text), "\n"), "", "", "", "", "")
	return lines[1], marker.Destination{Remote: lines[2], Ref: lines[3], Reached: lines[4] == "true"}
}

// restoreBackups recreates a removed notebook from the backups. It reports whether the notebook had
// been fetched. The backups of a project that lay in the same directory before are set aside.
func restoreBackups(ctx context.Context, project string, at marker.Place, backups string) (fetched bool, err error) {
	if _, missing := os.Lstat(backups); missing != nil || marker.IsNotebook(at) {
		return false, nil
	}
	if id, _ := readRecord(backups); marker.IsID(id) && marker.IsID(project) && id != project {
		aside := backups
		for n := 1; err == nil; n++ {
			aside = fmt.Sprintf("%s-%d", backups, n)
			_, err = os.Lstat(aside)
		}
		return false, os.Rename(backups, aside)
	}
	if err := marker.MakeNotebook(at); err != nil {
		return false, err
	}
	s, err := store.Open(at.Root, at.Below)
	if err != nil {
		return false, err
	}
	defer s.Close()
	held, err := s.Lock(ctx)
	if err != nil {
		return false, err
	}
	defer held.Unlock()
	if err := held.RestoreBackups(backups); err != nil {
		return false, err
	}
	_, missing := os.Lstat(filepath.Join(backups, inUseFile))
	return missing == nil, nil
}

// NextSteps returns what a person must do in git after a switch.
func NextSteps(ctx context.Context, root string, in bool) []string {
	switch {
	case !in:
		return []string{"git add .blue && git commit: the notes are in the code's commits again; blue sync --off in each other clone"}
	case countTracked(ctx, root, filepath.Join(marker.Name, "notes")) == 0:
		return []string{"commit .blue/project.yaml and .blue/.gitignore, so that others do the same: they pull, and run blue sync"}
	}
	return []string{"git add .blue && git commit, so that others do the same: they pull, and run blue sync"}
}

// Leftover is a note outside the notebook: one of an older commit that was checked out, or a
// private one of a linked worktree.
type Leftover struct {
	Name  string // of its file, "notes/ID.md"
	Known bool   // the notebook has the note, or had it
	from  *store.Store
}

// Text reads the text. It must not be called after EachLeftover has returned.
func (l Leftover) Text() ([]byte, error) {
	text, _, err := l.from.Read(l.Name)
	return text, err
}

// EachLeftover calls each with the leftovers, by name.
func (r *Replica) EachLeftover(ctx context.Context, each func(Leftover) error) error {
	root := r.Found.Root
	if r.Found.Worktree != "" {
		root = r.Found.Worktree
	}
	if !r.Found.Notebook || !hasNotes(filepath.Join(root, marker.Name)) {
		return nil
	}
	s, err := store.Open(root, marker.Name)
	if err != nil {
		return nil // a check reports it
	}
	defer s.Close()
	var base *tree
	for f, err := range s.Files(ctx) {
		if err != nil || f.Problem != "" {
			continue
		}
		l := Leftover{Name: f.Name, from: s}
		if _, l.Known = r.Row(f.Name); !l.Known {
			if base == nil {
				t := r.loadBase()
				base = &t
			}
			l.Known = r.knows(l, *base)
		}
		if err := each(l); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// knows reports whether the notebook has or had a note under another name.
func (r *Replica) knows(l Leftover, base tree) bool {
	text, err := l.Text()
	if err != nil {
		return true // removed concurrently
	}
	n := note.ParseText(l.Name, text)
	uid := n.Identity()
	trashed, _ := r.Store.TrashedAs(l.Name)
	return len(r.OfUID(uid))+len(trashed) > 0 || base.Trash[uid] != "" || base.Notes[uid].name != ""
}

// hasNotes reports whether a project directory has notes outside the notebook.
func hasNotes(dir string) bool {
	_, public := os.Lstat(filepath.Join(dir, "notes"))
	_, private := os.Lstat(filepath.Join(dir, "private"))
	return public == nil || private == nil
}

// Leftovers returns the ids of the leftovers that the notebook does not know, and how many it
// knows. If compare is set, it also returns the ids of known ones with a text that the notebook
// never had.
func (r *Replica) Leftovers(ctx context.Context, compare bool) (unknown, differ []string, known int) {
	_ = r.EachLeftover(ctx, func(l Leftover) error {
		if !l.Known {
			unknown = append(unknown, note.IDOf(l.Name))
			return nil
		}
		known++
		if !compare {
			return nil
		}
		if text, err := l.Text(); err == nil {
			if file, _ := r.keepLeftover(l.Name, text); file != "" {
				differ = append(differ, note.IDOf(l.Name))
			}
		}
		return nil
	})
	return unknown, differ, known
}

// Adopt adds leftovers to the notebook: unknown ones as they are, and other texts of known ones as
// conflict notes. It returns the ids of the new notes.
func (r *Replica) Adopt(ctx context.Context) (adopted []string, err error) {
	adopted = []string{}
	if _, err := r.Stamp(ctx); err != nil {
		return nil, err
	}
	held, err := r.Lock(ctx)
	if err != nil {
		return nil, err
	}
	defer held.Unlock()
	err = r.EachLeftover(ctx, func(l Leftover) error {
		file := l.Name
		text, err := l.Text()
		if err == nil && l.Known {
			file, text = r.keepLeftover(l.Name, text)
		}
		if err != nil || file == "" {
			return err
		}
		_, err = held.Create(file, text)
		if errors.Is(err, errors.Exists) {
			return nil // adopted before
		}
		if err == nil {
			adopted = append(adopted, note.IDOf(file))
		}
		return err
	})
	return adopted, err
}

// keepLeftover returns the conflict note for a text of a leftover that the notebook knows. It
// returns no name if the note was removed, had the text before, or already has the conflict
// note.
func (r *Replica) keepLeftover(name string, text []byte) (file string, marked []byte) {
	n := note.ParseText(name, text)
	rows := r.OfUID(n.Identity())
	if len(rows) == 0 || note.IsPrivate(name) {
		return "", nil
	}
	row, revision := rows[0], store.Revision(text)
	if _, err := r.Store.ReadPast(row.Name, revision); err == nil || row.Revision == revision {
		return "", nil
	}
	file, marked = conflictNote(r.Found.ID, strings.TrimPrefix(row.Name, notesDir), text)
	file = notesDir + file
	_, there := r.Row(file)
	if trashed, _ := r.Store.TrashedAs(file); there || len(trashed) > 0 {
		return "", nil
	}
	return file, marked
}

// WorktreeLoss describes what git would delete with a linked worktree that has its own notes, since
// git only asks about files that it does not ignore. It is empty if nothing would be lost.
func (r *Replica) WorktreeLoss(ctx context.Context) string {
	below, err := filepath.Rel(r.Found.Worktree, r.Found.Root)
	if r.Found.Worktree == "" || err != nil || !filepath.IsLocal(below) || r.Found.Notebook {
		return ""
	}
	private := 0
	for name := range r.Stamps() {
		if note.IsPrivate(name) {
			private++
		}
	}
	var parts []string
	if private > 0 {
		parts = append(parts, result.Plural(private, "private note"))
	}
	if size, _ := r.Store.HistorySize(ctx); size > 0 { // a check reports what cannot be read
		parts = append(parts, fmt.Sprintf("%d KiB of earlier revisions", (size+1023)>>10))
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, " and ") + " would be deleted by git worktree remove, because this linked worktree keeps its notes itself; " +
		"`blue sync --on` keeps those of all worktrees in one place"
}
