package notesync

import (
	"cmp"
	"context"
	"os"
	"path/filepath"
	"strings"

	"blue/blue/internal/atomicfile"
	"blue/blue/internal/store"
	"blue/marker"
)

// Switch moves the notes of a project into its notebook, or out of it if in is false. If the process
// is killed, [Recover] finishes the move.
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
// removed from the directory of backups. It returns where the notes are now. If restored is true the
// notebook had been fetched, and [Replica.RestoreMissing] restores the other notes.
func Recover(ctx context.Context, found marker.Found, backups string) (now marker.Found, restored bool, err error) {
	at := marker.NotebookOf(found)
	switched, err := resumeSwitch(ctx, found, at, backups)
	if err == nil && !found.Fetched {
		restored, err = restoreBackups(ctx, at, backups)
	}
	if err != nil || !switched && !restored {
		return found, false, err
	}
	if restored { // the commit that is checked out may lack the id
		text, _ := os.ReadFile(filepath.Join(backups, inUseFile))
		_, id, _ := strings.Cut(string(text), "\n")
		found.ID = cmp.Or(strings.TrimSpace(id), found.ID)
		if err := marker.UseNotebook(at, found.ID); err != nil {
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

// moveNotes makes the steps of a switch. Each can be repeated.
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

// backUpAll backs up all notes of a new notebook, which nobody else has yet.
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

// inUseFile is the file among the backups that names the notebook in use and its project.
const inUseFile = "format"

// RecordNotebook records among the backups that the notebook is in use, so that [Recover] notices
// when git clean has removed it.
func RecordNotebook(found marker.Found, backups string) error {
	path, text := filepath.Join(backups, inUseFile), found.Notes.Dir()+"\n"+found.ID+"\n"
	if now, err := os.ReadFile(path); err == nil && string(now) == text {
		return nil
	}
	return atomicfile.File{Path: path}.Replace([]byte(text))
}

// restoreBackups recreates a removed notebook from the backups. It reports whether the notebook had
// been fetched.
func restoreBackups(ctx context.Context, at marker.Place, backups string) (fetched bool, err error) {
	if _, missing := os.Lstat(backups); missing != nil || marker.IsNotebook(at) {
		return false, nil
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

// NextSteps returns what a person has to do in git after a switch.
func NextSteps(ctx context.Context, root string, in bool) []string {
	switch {
	case !in:
		return []string{"git add .blue && git commit: the notes are in the code's commits again; blue sync --off in each other clone"}
	case countTracked(ctx, root, filepath.Join(marker.Name, "notes")) == 0:
		return []string{"commit .blue/project.yaml and .blue/.gitignore, so that others do the same: they pull, and run blue sync"}
	}
	return []string{"git add .blue && git commit, so that others do the same: they pull, and run blue sync"}
}
