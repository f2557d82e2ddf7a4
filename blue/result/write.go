package result

import (
	"fmt"
	"slices"
	"strings"

	"blue/blue/internal/note"
	"blue/errors"
)

// Written is the answer to a write.
type Written struct {
	About
	ID       string `json:"id"`
	Path     string `json:"path"` // relative to the root
	Revision string `json:"revision"`
	Created  bool   `json:"created"`           // false if that note already exists
	Trashed  bool   `json:"trashed,omitempty"` // it exists in the trash
	Status   string `json:"status,omitempty"`  // if it is not active
	Durable  bool   `json:"durable"`           // the disk has confirmed the file and its directory
	Cites
	Alike
}

// durability warns that the disk has not confirmed a change.
func durability(durable bool) string {
	if durable {
		return ""
	}
	return "Not durable: the disk did not confirm the directory; check the disk\n"
}

// Text says what was written, and where.
func (w Written) Text() string {
	var b writer
	written := ""
	if w.Created {
		written = w.ID
	}
	b.WriteString(setAside(w.SetAside, written, w.Terminal))
	at := fmt.Sprintf("%s (%s), revision %s", w.ID, w.Path, w.Revision)
	switch {
	case w.Trashed:
		b.line("That note exists already, and is in the trash: %s", w.ID)
	case w.Created:
		b.line("Wrote %s", at)
		b.WriteString(waits(w.Status))
	case w.Status != "":
		b.line("That note exists already, with the status %s: %s", w.Status, at)
	default:
		b.line("That note exists already: %s", at)
	}
	return b.String() + w.Cites.line() + w.Similar.line(w.ID, w.Terminal) + durability(w.Durable) + w.Lines()
}

// waits says that a note of that status is not in force.
func waits(status string) string {
	if !note.IsProposed(status) {
		return ""
	}
	return "It is proposed: in force when a person has accepted it\n"
}

// Cites lists the parts of files that are cited in place of these, because the note names them.
type Cites struct {
	Cites []string `json:"cites,omitempty"`
}

func (c Cites) line() string {
	if len(c.Cites) == 0 {
		return ""
	}
	return "Cites what the note names: " + strings.Join(c.Cites, ", ") + "\n"
}

// Similar lists notes of the same matter, which a new text may replace.
type Similar struct {
	Similar []Named `json:"similar,omitempty"`
}

// Named names a note.
type Named struct {
	ID    string `json:"id"`
	Title string `json:"title,omitempty"` // empty if it may not be told unasked
}

// line names these notes, and how the note with an id supersedes one of them, in the words of
// the terminal or of a tool.
func (s Similar) line(id string, terminal bool) string {
	how := "blue_edit " + id + " supersedes "
	if terminal {
		how = "blue edit " + id + " --supersedes "
	}
	var b writer
	for _, n := range s.Similar {
		b.line("Similar: %s. If this replaces it: %s", named(n.Title, n.ID), how+n.ID)
	}
	return b.String()
}

// Alike lists notes of the same matter as a new one.
type Alike struct {
	SetAside []SetAside `json:"set_aside,omitempty"` // notes that are not in force
	Similar
}

// StatusRemoved replaces the status of a note in the trash.
const StatusRemoved = "removed"

// SetAside is a note that was rejected, superseded, deprecated or removed.
type SetAside struct {
	ID      string `json:"id"`
	Title   string `json:"title,omitempty"`         // like the other texts empty if the note may not be told unasked
	Status  string `json:"status"`                  // its first word
	Since   string `json:"since,omitempty"`         // day on which it got that status
	Written string `json:"written,omitempty"`       // day of the note, if the other is unknown
	By      string `json:"superseded_by,omitempty"` // id of the note that replaces it now
	ByTitle string `json:"by_title,omitempty"`
	Why     string `json:"why,omitempty"` // the reason, or else the gist of the note
}

// line returns one line about what has become of the note and why.
func (s SetAside) line() string {
	line := strings.ToUpper(s.Status[:1]) + s.Status[1:]
	if s.Since != "" {
		line += " on " + s.Since
	} else if s.Written != "" {
		line += " (note of " + s.Written + ")"
	}
	if s.By != "" {
		line += map[bool]string{true: "", false: ", replaced"}[s.Status == note.Superseded] + " by " + named(s.ByTitle, s.By)
	}
	line += ": " + named(s.Title, s.ID)
	if s.Why != "" {
		line += ": " + s.Why
	}
	return line + "\n"
}

// named returns a title with an id, or the id alone.
func named(title, id string) string {
	if title == "" {
		return id
	}
	return fmt.Sprintf("\"%s\" (%s)", title, id)
}

// setAside names notes that are not in force, and what to do about the first. id is the note
// that was written nevertheless, if any.
func setAside(all []SetAside, id string, terminal bool) string {
	if len(all) == 0 {
		return ""
	}
	var b writer
	for _, s := range all {
		b.WriteString(s.line())
	}
	edit, flag, first := "blue_edit ", " ", all[0]
	if terminal {
		edit, flag = "blue edit ", " --"
	}
	b.lineIf(id != "", "Written all the same. If it is another matter, give it a title of its own: %s", edit+id+flag+"title …")
	switch {
	case first.Status == StatusRemoved && terminal:
		b.line("To take %s up again, bring it back: blue restore %s", first.ID, first.ID)
	case first.Status == StatusRemoved:
		b.line("To take %s up again, bring it back: blue_remove %s restore", first.ID, first.ID)
	case first.By == "":
		b.line("To take %s up again, change its status: %s", first.ID, edit+first.ID+flag+"status active")
	case id != "":
		b.line("If it replaces %s: %s", first.By, edit+id+flag+"supersedes "+first.By)
	}
	return b.String()
}

// Edited is the answer to an edit.
type Edited struct {
	About
	ID string `json:"id"`
	Replaced
	Status  string `json:"status,omitempty"` // if it is not active
	Durable bool   `json:"durable"`
	Cites
	Similar
}

// Replaced describes the new state of the file of a note.
type Replaced struct {
	Path      string `json:"path"`
	Revision  string `json:"revision"`
	Previous  string `json:"previous,omitempty"`  // the revision that was replaced, kept in the history
	Unchanged bool   `json:"unchanged,omitempty"` // the content was already the same
}

// Text says what has become of the note.
func (e Edited) Text() string {
	text := fmt.Sprintf("Edited %s, revision %s (was %s)\n", e.ID, e.Revision, e.Previous)
	if e.Unchanged {
		text = fmt.Sprintf("Unchanged: %s has that content already, revision %s\n", e.ID, e.Revision)
	}
	return text + waits(e.Status) + e.Cites.line() + e.Similar.line(e.ID, e.Terminal) + durability(e.Durable) + e.Lines()
}

// Current is a note's state, returned with a conflict so that it can be merged.
type Current struct {
	ID       string `json:"id"`
	Revision string `json:"revision"`
	Body     string `json:"body"`
	More     int    `json:"more,omitempty"` // bytes of the body left out
}

// Text shows the current body to the reader of a conflict.
func (c Current) Text() string {
	text := fmt.Sprintf("Current revision %s:\n%s", c.Revision, c.Body)
	if c.More > 0 {
		text += fmt.Sprintf("\n(%d bytes more: read it with its id)", c.More)
	}
	return text
}

// currentRoom is the maximum number of bytes of the current text in a conflict.
const currentRoom = 8000

// StaleConflict returns the error of an edit or removal that names an outdated revision.
func StaleConflict(name, given, now string, data []byte) error {
	n := note.ParseText(name, data)
	body, more := CutBytes(note.ShowHidden(n.Body), currentRoom)
	return errors.Stale(note.IDOf(name), given, now, Current{ID: note.IDOf(name), Revision: now, Body: body, More: more})
}

// Removed is the answer to a removal.
type Removed struct {
	About
	ID       string `json:"id"`
	Alias    string `json:"alias,omitempty"` // the former name by which the note was named
	Trashed  bool   `json:"trashed"`
	Path     string `json:"path,omitempty"`     // where the note is now
	Revision string `json:"revision,omitempty"` // of a note that was brought back
	Already  bool   `json:"already,omitempty"`  // it was already so before
	Durable  bool   `json:"durable"`            // the disk has confirmed the place of the note
}

// Text says where the note is.
func (r Removed) Text() string {
	state := "Back from the trash"
	switch {
	case r.Trashed && r.Already:
		state = "Already in the trash"
	case r.Trashed:
		state = "Moved to the trash"
	case r.Already:
		state = "Not in the trash: the note is there"
	}
	text := fmt.Sprintf("%s: %s (%s)", state, r.ID, r.Path)
	if r.Revision != "" {
		text += ", revision " + r.Revision
	}
	if r.Alias != "" {
		text += "; " + r.Alias + " is a former name of it"
	}
	return text + "\n" + durability(r.Durable) + r.Lines()
}

// RemovedAll is the answer to a removal of several notes.
type RemovedAll struct {
	About
	Removed []Removed `json:"removed"` // each without the project
}

// Text says where each note is.
func (r RemovedAll) Text() string {
	var b strings.Builder
	for _, one := range r.Removed {
		b.WriteString(one.Text())
	}
	return b.String() + r.Lines()
}

// Stopped adds to an error what was done before it.
func (r RemovedAll) Stopped(err error) error {
	var ids []string
	for _, one := range r.Removed {
		ids = append(ids, one.ID)
	}
	return stopped(err, ids)
}

func stopped(err error, done []string) error {
	if len(done) == 0 {
		return err
	}
	e := *errors.Of(err)
	e.Hints = slices.Clone(e.Hints)
	return e.Hint("", "", "done before that: "+strings.Join(done, ", "))
}

// Decided is the answer to the acceptance or rejection of notes.
type Decided struct {
	About
	Notes []Edited `json:"notes"` // each without the project
}

// Text says what each note is now.
func (s Decided) Text() string {
	var b writer
	for _, n := range s.Notes {
		done := "Accepted"
		if n.Status == note.Rejected {
			done = "Rejected"
		}
		b.line("%s %s, revision %s (was %s)", done, n.ID, n.Revision, n.Previous)
	}
	return b.String() + s.Lines()
}

// Stopped adds to an error what was done before it.
func (s Decided) Stopped(err error) error {
	var ids []string
	for _, n := range s.Notes {
		ids = append(ids, n.ID)
	}
	return stopped(err, ids)
}

// TrashList is the answer to a question for the content of the trash.
type TrashList struct {
	About
	Notes []Trashed `json:"notes"` // most recently removed first
}

// Trashed is a note in the trash.
type Trashed struct {
	ID      string `json:"id"`
	Ref     string `json:"ref"`  // name for a removal with Restore
	Path    string `json:"path"` // where it is
	Title   string `json:"title"`
	Type    string `json:"type"`
	Removed string `json:"removed"` // RFC 3339, UTC
	Size    int64  `json:"size"`    // bytes
	Private bool   `json:"private,omitempty"`
	Older   bool   `json:"older,omitempty"` // another note of its name was removed later and comes back first
}

// Text lists the notes, most recently removed first.
func (t TrashList) Text() string {
	var b writer
	for _, n := range t.Notes {
		words := []string{"removed " + n.Removed}
		if n.Private {
			words = append(words, "private")
		}
		if n.Older {
			words = append(words, "older")
		}
		b.line("%s  %s  (%s)", n.ID, n.Title, strings.Join(words, ", "))
	}
	size := int64(0)
	for _, n := range t.Notes {
		size += n.Size
	}
	b.lineIf(len(t.Notes) == 0, "The trash is empty")
	b.lineIf(len(t.Notes) > 0, "%s in the trash, %s", Plural(len(t.Notes), "note"), formatSize(size))
	return b.String() + t.Lines()
}

// Emptied is the answer to an order to empty the trash.
type Emptied struct {
	About
	Done    bool  `json:"done"`             // the notes are deleted
	Deleted int   `json:"deleted"`          // notes; those that would be, if it was not done
	Size    int64 `json:"size"`             // of these, in bytes
	Unsent  int   `json:"unsent,omitempty"` // notes that stay until a sync has told others of their removal
}

// Text says what was deleted, or would be.
func (e Emptied) Text() string {
	var b writer
	word := "Would delete"
	if e.Done {
		word = "Deleted"
	}
	b.line("%s %s from the trash, %s", word, Plural(e.Deleted, "note"), formatSize(e.Size))
	b.lineIf(e.Unsent > 0, "%s until blue sync has told others of the removal", staying(e.Unsent))
	return b.String() + e.Lines()
}

func staying(notes int) string {
	if notes == 1 {
		return "1 note stays"
	}
	return fmt.Sprintf("%d notes stay", notes)
}

// formatSize formats a size in bytes.
func formatSize(bytes int64) string {
	switch {
	case bytes >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
	case bytes >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return Plural(int(bytes), "byte")
}
