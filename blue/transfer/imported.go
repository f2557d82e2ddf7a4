package transfer

import (
	"fmt"
	"strings"

	"blue/blue"
	"blue/blue/internal/note"
)

// Importing says what to import.
type Importing struct {
	Source       string                // what kind it is, one of Sources
	Path         string                // the directory or file, absolute
	DryRun       bool                  // write nothing
	NoPrivate    bool                  // leave out what is about the person alone
	EscapeHidden bool                  // spell hidden characters out as \u{…}
	AllowSecret  bool                  // a person at the terminal says that what looks like a secret is none
	Progress     func(done, total int) // told of each document; total is 0 while they are counted; may be nil
}

// Imported is the answer to an import.
type Imported struct {
	blue.About
	Source         string     `json:"source"`
	Path           string     `json:"path"`
	DryRun         bool       `json:"dry_run,omitempty"` // nothing was written; the rest says what would have been
	Stopped        bool       `json:"stopped,omitempty"` // interrupted; the next run goes on
	Durable        bool       `json:"durable"`           // the disk has confirmed every note
	Found          int        `json:"found"`             // documents; the sum of the next, present and left_out
	Taken          int        `json:"taken"`
	Changed        int        `json:"changed"`           // of those taken, the ones that notes say more about
	Present        int        `json:"present"`           // that were imported before
	LeftOut        int        `json:"left_out"`          // reasons say why
	Links          int        `json:"links"`             // that lead to the notes made of their targets
	Nowhere        int        `json:"links_nowhere"`     // whose targets are not there; they are as they were
	Escaped        int        `json:"escaped,omitempty"` // hidden characters of notes that were taken, spelled out
	Notes          []Taken    `json:"notes"`             // those taken, at most 1,000
	More           int        `json:"more,omitempty"`
	Reasons        []NotTaken `json:"reasons"` // at most 1,000
	Unlisted       int        `json:"unlisted,omitempty"`
	reasons        map[string]int
	hidden, secret bool // a document was left out for its hidden characters, for what looks like a secret
}

// Taken is a note that an import made.
type Taken struct {
	From    string   `json:"from"`
	ID      string   `json:"id"`
	Private bool     `json:"private,omitempty"`
	Changes []string `json:"changes,omitempty"` // how it differs from what was read
}

// NotTaken is why documents were left out.
type NotTaken struct {
	Reason string   `json:"reason"`
	Count  int      `json:"count"`
	From   []string `json:"from"` // at most 20
}

const (
	reportLimit = 1000 // entries of each list in the report of an import
	textLimit   = 20   // of which a text shows
)

// Sound reports whether the import came to its end.
func (r Imported) Sound() bool { return !r.Stopped }

// Text says what became of the documents.
func (r Imported) Text() string {
	var b strings.Builder
	word := "imported"
	if r.DryRun {
		b.WriteString("Dry run, nothing was written\n")
		word = "would be imported"
	}
	fmt.Fprintf(&b, "%s from %s: %d %s", blue.Plural(r.Found, "document"), r.Source, r.Taken, word)
	for _, more := range []struct {
		n     int
		words string
	}{{r.Changed, ", %d of them with changes"}, {r.Present, ", %d imported before"}, {r.LeftOut, ", %d left out"}} {
		if more.n > 0 {
			fmt.Fprintf(&b, more.words, more.n)
		}
	}
	b.WriteString("\n")
	if r.Links+r.Nowhere > 0 {
		fmt.Fprintf(&b, "Links: %d to new notes, %d to what was not imported\n", r.Links, r.Nowhere)
	}
	for _, n := range r.Notes[:min(len(r.Notes), textLimit)] {
		fmt.Fprintf(&b, "  %s  from %s", n.ID, n.From)
		if len(n.Changes) > 0 {
			fmt.Fprintf(&b, " (%s)", strings.Join(n.Changes, "; "))
		}
		b.WriteString("\n")
	}
	if rest := r.Taken - min(len(r.Notes), textLimit); rest > 0 {
		fmt.Fprintf(&b, "  and %s more\n", blue.Plural(rest, "note"))
	}
	r.writeRest(&b)
	return b.String() + r.Lines()
}

// writeRest says what was left out and why, and what to do about it.
func (r Imported) writeRest(b *strings.Builder) {
	for _, n := range r.Reasons {
		fmt.Fprintf(b, "Left out: %s: %s", n.Reason, strings.Join(n.From[:min(len(n.From), 5)], ", "))
		if n.Count > 5 {
			fmt.Fprintf(b, " and %d more", n.Count-5)
		}
		b.WriteString("\n")
	}
	if r.Unlisted > 0 {
		fmt.Fprintf(b, "Left out for other reasons: %d\n", r.Unlisted)
	}
	if r.Escaped > 0 {
		fmt.Fprintf(b, "%s spelled out as \\u{…}\n", blue.Plural(r.Escaped, "hidden character"))
	}
	if r.hidden {
		b.WriteString("To import documents with hidden characters, add --escape-hidden: it spells them out as \\u{…}\n")
	}
	if r.secret {
		b.WriteString("To import documents in which a line only looks like a secret, add --allow-secret: it marks the line\n")
	}
	if r.Stopped {
		b.WriteString("Stopped before the end; run it again to go on\n")
	}
	if !r.Durable {
		b.WriteString("Not durable: the disk did not confirm a directory; check the disk\n")
	}
}

// leaveOut notes that a document was left out.
func (r *Imported) leaveOut(from, reason string) {
	from, reason = note.ShowLine(from), note.ShowLine(reason)
	r.LeftOut++
	at, ok := r.reasons[reason]
	if !ok {
		if len(r.Reasons) == reportLimit {
			r.Unlisted++
			return
		}
		at = len(r.Reasons)
		r.reasons[reason] = at
		r.Reasons = append(r.Reasons, NotTaken{Reason: reason, From: []string{}})
	}
	n := &r.Reasons[at]
	if n.Count++; len(n.From) < textLimit {
		n.From = append(n.From, from)
	}
}

// addTaken notes that a document was taken.
func (r *Imported) addTaken(t Taken) {
	r.Taken++
	if len(t.Changes) > 0 {
		r.Changed++
	}
	if len(r.Notes) == reportLimit {
		r.More++
		return
	}
	r.Notes = append(r.Notes, t)
}
