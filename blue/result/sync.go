package result

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"blue/blue/internal/note"
)

// NamedNote is a note, or an entry of a ref, and a remark about it.
type NamedNote struct {
	ID  string `json:"id"`
	Why string `json:"why"`
}

// Clash is a note in conflict and the note that holds another machine's text of it.
type Clash struct {
	ID   string `json:"id"`
	With string `json:"with"`
}

// Line names both notes.
func (c Clash) Line() string {
	return note.ShowTitle(c.With) + " is another machine's text of " + note.ShowTitle(c.ID)
}

// Remedy returns the commands with which a person ends the conflict.
func (c Clash) Remedy() string {
	one, other := ShellWord(note.ShowTitle(c.ID)), ShellWord(note.ShowTitle(c.With))
	return "blue diff " + one + " " + other + ", then blue resolve " + other
}

// Synced is the answer to a sync.
type Synced struct {
	About
	Remote    string      `json:"remote,omitempty"`
	Ref       string      `json:"ref"`
	Synced    bool        `json:"synced"` // the remote, read again, has everything that is here
	Head      string      `json:"head,omitempty"`
	Came      []string    `json:"came"`
	Went      []string    `json:"went"`
	Merged    []string    `json:"merged"`              // changed on both sides
	Removed   []string    `json:"removed"`             // removed here as on the other side
	Returned  []string    `json:"returned"`            // removed on one side and changed on the other, or without a file here
	Conflicts []Clash     `json:"conflicts"`           // open conflicts
	Withheld  []NamedNote `json:"withheld"`            // notes that are not sent
	Refused   []NamedNote `json:"refused"`             // notes that were not taken in
	Shown     []NamedNote `json:"shown"`               // that came with issues for a check
	Leftovers []string    `json:"leftovers,omitempty"` // notes of older commits that the notebook does not know
	Differing []string    `json:"differing,omitempty"` // notes with a text in older commits that the notebook never had here
	Healed    bool        `json:"healed,omitempty"`    // git's data here was damaged, and was rebuilt from the files and the remote
	SetBack   bool        `json:"set_back,omitempty"`  // the remote had lost what it had at the last sync
	Waited    bool        `json:"waited,omitempty"`    // another sync of this notebook ran first
}

// NewSynced returns an answer without notes.
func NewSynced() Synced {
	return Synced{Came: []string{}, Went: []string{}, Merged: []string{}, Removed: []string{}, Returned: []string{}, Conflicts: []Clash{}, Withheld: []NamedNote{}, Refused: []NamedNote{}, Shown: []NamedNote{}}
}

// syncedNames is the maximum number of notes of a kind that a text names.
const syncedNames = 8

// Text returns a line about what came and went, and one for each thing that needs a look.
func (s Synced) Text() string {
	var b writer
	var parts []string
	for _, part := range []struct {
		word string
		ids  []string
	}{{"came", s.Came}, {"went", s.Went}, {"merged", s.Merged}, {"removed", s.Removed}} {
		if len(part.ids) > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", len(part.ids), part.word))
		}
	}
	if len(parts) == 0 {
		parts = append(parts, "nothing to carry")
	}
	where := "with " + s.Remote
	switch {
	case s.Remote == "":
		where = "in this repository; it has no remote"
	case !s.Synced:
		where = "here, not sent to " + s.Remote
	}
	word := "Synced "
	if !s.Synced {
		word = "Merged "
	}
	b.list(word+where, parts)
	b.lineIf(s.Waited, "Waited: another sync of this notebook ran first, and has carried what was there")
	b.lineIf(s.SetBack, "Set back: %s had lost what it had at the last sync, as a restored copy has; what is known here counts there again", s.Remote)
	b.lineIf(s.Healed, "Mended: what git had of the notebook here was damaged; it was made anew from the files and the remote")
	b.list("Removed by others, and in the trash here", nameSome(s.Removed))
	b.list("Restored, because they were removed on one side and changed on the other, or had no file here", nameSome(s.Returned))
	b.WriteString(describeConflicts(s.Conflicts))
	for _, part := range []struct {
		word  string
		named []NamedNote
	}{{"Stays here", s.Withheld}, {"Not taken", s.Refused}, {"Look at", s.Shown}} {
		for i, n := range part.named {
			if i == syncedNames {
				b.line("%s: %d more", part.word, len(part.named)-i)
				break
			}
			b.line("%s: %s: %s", part.word, note.ShowTitle(n.ID), note.ShowTitle(n.Why))
		}
	}
	b.WriteString(leftoverLine(s.Leftovers))
	differing := strings.Join(nameSome(s.Differing), ", ")
	b.lineIf(differing != "", "Of this branch, with a text that the notebook never had here: %s; keep these texts beside the notes with: blue sync --adopt", differing)
	return b.String() + s.Lines()
}

// leftoverLine names the notes of older commits.
func leftoverLine(ids []string) string {
	if len(ids) == 0 {
		return ""
	}
	return fmt.Sprintf("Of this branch, and not in the notebook: %s; take them in with: blue sync --adopt\n", strings.Join(nameSome(ids), ", "))
}

// Adopted is the answer to sync --adopt.
type Adopted struct {
	About
	Adopted []string `json:"adopted"`
}

// Text names the notes.
func (a Adopted) Text() string {
	var b writer
	b.list("Adopted", nameSome(a.Adopted))
	b.lineIf(len(a.Adopted) == 0, "Nothing to adopt")
	return b.String() + a.Lines()
}

// describeConflicts names the first conflicts and how to end them.
func describeConflicts(all []Clash) string {
	var b writer
	for i, c := range all {
		if i == syncedNames {
			b.line("Conflict: %d more; blue list marks them", len(all)-i)
			break
		}
		b.line("Conflict: %s: %s", c.Line(), c.Remedy())
	}
	return b.String()
}

// Sound reports whether everything here could be sent and no conflict is open.
func (s Synced) Sound() bool { return len(s.Withheld)+len(s.Conflicts) == 0 }

func nameSome(ids []string) []string {
	shown := ids[:min(len(ids), syncedNames)]
	return listSome(ShowWords(shown, note.TitleLimit), len(ids)-len(shown))
}

// SyncStatus compares the notes of this machine with those of the others.
type SyncStatus struct {
	About
	Mode      string      `json:"notes"` // "notebook", or "code" after --off
	Remote    string      `json:"remote,omitempty"`
	Ref       string      `json:"ref"`
	Ahead     int         `json:"ahead"`  // notes that others do not have in their present form
	Behind    int         `json:"behind"` // notes that others have changed
	Last      *time.Time  `json:"last,omitempty"`
	Conflicts []Clash     `json:"conflicts"`
	Withheld  []NamedNote `json:"withheld,omitempty"`
	Next      []string    `json:"next,omitempty"`      // what a person may do next
	Unfetched bool        `json:"unfetched,omitempty"` // nothing has been fetched yet

	now time.Time
}

// At returns the status as it is shown at a given time.
func (s SyncStatus) At(now time.Time) SyncStatus { s.now = now; return s }

// Unfetched tells that the notes of others have never come to this clone.
const Unfetched = "notebook not fetched: run blue sync"

// Line returns the status as a line.
func (s SyncStatus) Line() string { return "Sync: " + s.Describe() + "\n" }

// Describe returns the status in a few words.
func (s SyncStatus) Describe() string {
	last := "never"
	if s.Last != nil {
		if last = FormatAge(*s.Last, s.now); last != "now" {
			last += " ago"
		}
	}
	if s.Unfetched {
		return Unfetched
	}
	text := fmt.Sprintf("%d ahead, %d behind, %s", s.Ahead, s.Behind, last)
	if len(s.Conflicts) > 0 {
		text += ", " + Plural(len(s.Conflicts), "conflict")
	}
	return text
}

// Text returns the status, where the notes travel, and what needs a look.
func (s SyncStatus) Text() string {
	var b writer
	if s.Mode == "code" {
		b.line("Notes: in .blue/notes, with the commits of the code")
	} else {
		b.line("%sNotes: in one notebook for all worktrees, apart from the code; %s on %s", s.Line(), s.Ref, cmp.Or(s.Remote, "no remote"))
	}
	b.WriteString(describeConflicts(s.Conflicts))
	for _, n := range s.Withheld {
		b.line("Stays here: %s: %s", note.ShowTitle(n.ID), note.ShowTitle(n.Why))
	}
	for _, next := range s.Next {
		b.line("Next: %s", next)
	}
	return b.String() + s.Lines()
}

// Conflict is a note of which two machines have changed the same lines, with both texts.
type Conflict struct {
	About
	Clash
	Title        string          `json:"title"`
	Revision     string          `json:"revision"`
	WithRevision string          `json:"with_revision"`
	Merged       string          `json:"merged"` // both texts, with markers where they are in conflict
	Marks        int             `json:"marks"`  // number of places between markers
	Lines        []note.DiffLine `json:"lines"`  // from the note to the other text
	More         int             `json:"more,omitempty"`
}

// OtherText is the heading above the other text in a note that keeps both.
const OtherText = "## Other text of this note"

// Resolved is the answer to the resolution of a conflict.
type Resolved struct {
	About
	Clash
	Replaced
	Trash   string `json:"trash"`          // where the other note is now
	More    int    `json:"more,omitempty"` // further texts of the note
	Durable bool   `json:"durable"`
}

// Text says what has become of both notes.
func (r Resolved) Text() string {
	text := fmt.Sprintf("Resolved %s, revision %s (was %s)\n", note.ShowTitle(r.ID), r.Revision, r.Previous)
	if r.Unchanged {
		text = fmt.Sprintf("Resolved %s: its text stays, revision %s\n", note.ShowTitle(r.ID), r.Revision)
	}
	text += fmt.Sprintf("Moved to the trash: %s (%s)\n", note.ShowTitle(r.With), r.Trash)
	if r.More > 0 {
		text += fmt.Sprintf("In conflict with %s still: blue resolve %s\n", Plural(r.More, "more note"), ShellWord(note.ShowTitle(r.ID)))
	}
	return text + durability(r.Durable) + r.Lines()
}
