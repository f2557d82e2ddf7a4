package storage

import (
	"strings"
	"time"

	"blue/blue/internal/note"
	"blue/errors"
)

// WasMadeOf reports whether a file was made by the request of the note, or, when it does
// not say by which, whether its first revision has the title and body of the note; it
// looks in the trash too, trashed being the file there.
func WasMadeOf(from Notes, name string, n note.Text) (revision, trashed string, ok bool) {
	data, revision, err := from.Read(name)
	if errors.Is(err, errors.NotFound) {
		data, revision, trashed, err = ReadTrashed(from, name)
	}
	if err != nil {
		return "", "", false
	}
	if was := note.ParseText(name, data); was.Request != "" && n.Request != "" {
		return revision, trashed, was.Request == n.Request
	}
	if past, err := from.Revisions(name); err == nil && len(past) > 0 {
		if first, err := from.ReadPast(name, past[len(past)-1].Revision); err == nil {
			data = first
		}
	}
	was := note.ParseText(name, data)
	return revision, trashed, was.Title == n.Title && strings.TrimSpace(was.Body) == strings.TrimSpace(n.Body)
}

// FormerStatus is the status that a note had before it was superseded, nil when its front
// matter did not say.
func FormerStatus(from Notes, name string) any {
	past, _ := from.Revisions(name)
	for _, rev := range past {
		data, err := from.ReadPast(name, rev.Revision)
		if err != nil {
			continue
		}
		if n := note.ParseText(name, data); n.Problem == "" && !note.IsSuperseded(n.Status) {
			if !n.HasKey("status") {
				return nil
			}
			return n.Status
		}
	}
	return note.Active
}

// FindTrashed returns the name that a trashed note had, and the file it lies in now: the
// newest of that id.
func FindTrashed(from Notes, word string) (name, file string, ok bool) {
	trashed, err := from.Trash()
	if err != nil {
		return "", "", false
	}
	for _, t := range trashed {
		if t.Name == word+".md" || note.IDOf(t.Name) == word {
			return t.Name, ".blue/" + t.File, true
		}
	}
	return "", "", false
}

// ReadTrashed reads the newest trashed note of a name, and names its file.
func ReadTrashed(from Notes, name string) (data []byte, revision, file string, err error) {
	trashed, err := from.TrashedAs(name)
	if err != nil {
		return nil, "", "", err
	}
	if len(trashed) == 0 {
		return nil, "", "", errors.NotTrashed(note.IDOf(name))
	}
	file = trashed[0].File
	data, revision, err = from.ReadTrashed(file)
	return data, revision, file, err
}

// LastSaved is when Blue has last put a former text of a note into the history, zero when
// it has not.
func LastSaved(from Notes, name string) time.Time {
	past, err := from.Revisions(name)
	if err != nil || len(past) == 0 {
		return time.Time{}
	}
	return past[0].Time
}
