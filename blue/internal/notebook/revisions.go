package notebook

import (
	"strings"
	"time"

	"blue/blue/internal/note"
	"blue/blue/internal/store"
	"blue/errors"
)

// wasMadeOf reports whether a file was made by the request of the note, or, when it does
// not say by which, whether its first revision has the title and body of the note; it
// looks in the trash too, trashed being the file there.
func wasMadeOf(from Reader, name string, n note.Text) (revision, trashed string, ok bool) {
	data, revision, err := from.Read(name)
	if errors.Is(err, errors.NotFound) {
		data, revision, trashed, err = readTrashed(from, name)
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

// formerStatus is the status that a note had before it was superseded, nil when its front
// matter did not say.
func formerStatus(from Reader, name string) any {
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

// sinceMost is how many former texts are read for the day of a status.
const sinceMost = 10

// statusSince is when a note got the status that it has, as far as its history tells, else zero.
func statusSince(from Reader, name, status string) time.Time {
	past, _ := from.Revisions(name)
	for _, rev := range past[:min(len(past), sinceMost)] {
		data, err := from.ReadPast(name, rev.Revision)
		if err == nil && note.StatusWord(note.ParseText(name, data).Status) != note.StatusWord(status) {
			return rev.Time
		}
	}
	return time.Time{}
}

// matchTrashed returns the trashed notes that a reference may mean: the one of that name, else
// those whose id begins so. Of one name it is the newest; a note that has moved is not there.
func (nb *Notebook) matchTrashed(ref string) (found []store.Trashed) {
	word := nb.trimPath(ref)
	start := note.BareID(word)
	trashed, err := nb.store.Trash()
	if err != nil || start == "" {
		return nil
	}
	seen := map[string]bool{}
	for _, t := range trashed {
		id := note.IDOf(t.Name)
		if nb.isMoved(t.Name) {
			continue
		}
		if t.Name == word+".md" || id == word {
			return []store.Trashed{t}
		}
		if strings.HasPrefix(id, start) && !seen[id] {
			found = append(found, t)
		}
		seen[id] = true
	}
	return found
}

// readTrashed reads the newest trashed note of a name, and names its file.
func readTrashed(from Reader, name string) (data []byte, revision, file string, err error) {
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

// lastSaved is when Blue has last put a former text of a note into the history, zero when
// it has not.
func lastSaved(from Reader, name string) time.Time {
	past, err := from.Revisions(name)
	if err != nil || len(past) == 0 {
		return time.Time{}
	}
	return past[0].Time
}
