// Package transfer carries notes between a project and the outside: [Import] makes
// notes of what other tools keep, and [Export] writes a bundle, one JSON object or a
// site that others can read.
//
// The formats of other tools are those of blue/internal/sources, the pages those of
// blue/internal/site. Which document is a note already is for [blue.Intake] to say,
// and what others may see for [blue.Publication].
package transfer

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"blue/blue"
	"blue/blue/internal/note"
	"blue/blue/internal/sources"
	"blue/errors"
	"blue/marker"
)

// Importing says what to import.
type Importing struct {
	Source      string                // what kind it is, one of Sources
	Path        string                // the directory or file, absolute
	DryRun      bool                  // write nothing
	AllowSecret bool                  // a person at the terminal says that what looks like a secret is none
	Progress    func(done, total int) // told of each document; total is 0 while they are counted; may be nil
}

// Imported is the answer to an import.
type Imported struct {
	blue.About
	Source   string     `json:"source"`
	Path     string     `json:"path"`
	DryRun   bool       `json:"dry_run,omitempty"` // nothing was written; the rest says what would have been
	Stopped  bool       `json:"stopped,omitempty"` // interrupted; the next run goes on
	Durable  bool       `json:"durable"`           // the disk has confirmed every note
	Found    int        `json:"found"`             // documents; the sum of the next, present and left_out
	Taken    int        `json:"taken"`
	Changed  int        `json:"changed"`       // of those taken, the ones that notes say more about
	Present  int        `json:"present"`       // that were imported before
	LeftOut  int        `json:"left_out"`      // reasons say why
	Links    int        `json:"links"`         // that lead to the notes made of their targets
	Nowhere  int        `json:"links_nowhere"` // whose targets are not there; they are as they were
	Notes    []Taken    `json:"notes"`         // those taken, at most 1,000
	More     int        `json:"more,omitempty"`
	Reasons  []NotTaken `json:"reasons"` // at most 1,000
	Unlisted int        `json:"unlisted,omitempty"`
	reasons  map[string]int
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

// Sources are the kinds of what can be imported.
func Sources() []string { return sources.Kinds() }

// Sound reports whether the import came to its end.
func (r Imported) Sound() bool { return !r.Stopped }

// Text says what became of the documents.
func (r Imported) Text() string {
	var b strings.Builder
	word := "taken"
	if r.DryRun {
		b.WriteString("Dry run, nothing was written\n")
		word = "would be taken"
	}
	fmt.Fprintf(&b, "%s from %s: %d %s (%d changed on the way), %d there already, %d left out\n",
		blue.Plural(r.Found, "document"), r.Source, r.Taken, word, r.Changed, r.Present, r.LeftOut)
	fmt.Fprintf(&b, "%s led to the new notes, %d lead to nothing that was imported\n", blue.Plural(r.Links, "link"), r.Nowhere)
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
	for _, n := range r.Reasons {
		fmt.Fprintf(&b, "Left out: %s: %s", n.Reason, strings.Join(n.From[:min(len(n.From), 5)], ", "))
		if n.Count > 5 {
			fmt.Fprintf(&b, " and %d more", n.Count-5)
		}
		b.WriteString("\n")
	}
	if r.Unlisted > 0 {
		fmt.Fprintf(&b, "Left out for other reasons: %d\n", r.Unlisted)
	}
	if r.Stopped {
		b.WriteString("Stopped before the end; run it again to go on\n")
	}
	if !r.Durable {
		b.WriteString("Not durable: the disk did not confirm a directory; check the disk\n")
	}
	return b.String() + r.Lines()
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

// Import makes notes of the documents of another tool. A document that was
// imported before, and has not changed, makes none, whatever has become of its
// note; no note is ever overwritten. What looks like a secret, holds hidden
// characters or is no text is left out and reported, and the rest goes on. Only
// what the path names is read, and no link in it is followed.
func Import(ctx context.Context, p *blue.Project, i Importing) (r Imported, err error) {
	defer p.NameProject(&err)
	r = Imported{About: p.About(), Source: i.Source, Path: i.Path, DryRun: i.DryRun, Durable: true,
		Notes: []Taken{}, Reasons: []NotTaken{}, reasons: map[string]int{}}
	intake, err := p.Intake(ctx)
	if err != nil {
		return r, err
	}
	r.About = p.About()
	root, source, err := openSource(p, i)
	if err != nil {
		return r, err
	}
	defer root.Close()
	m := importer{i: i, r: &r, source: source, intake: intake, plans: map[string]plan{}}
	if err := m.planNotes(ctx); err != nil || r.Stopped {
		return r, err
	}
	return r, m.takeDocuments(ctx)
}

// openSource opens what is to be imported. The root must be closed.
func openSource(p *blue.Project, i Importing) (*os.Root, *sources.Source, error) {
	given, err := marker.Parse(i.Path)
	if err != nil {
		return nil, nil, err
	}
	real, err := filepath.EvalSymlinks(given)
	if err != nil {
		return nil, nil, errors.PathUnusable(given, "it cannot be reached")
	}
	info, err := os.Stat(real)
	if err != nil {
		return nil, nil, errors.PathUnusable(given, "it cannot be reached")
	}
	if rel, err := filepath.Rel(filepath.Join(p.Root(), marker.Name), real); err == nil && filepath.IsLocal(rel) {
		return nil, nil, errors.BadSource(given, "these are the notes of this project")
	}
	dir, file := real, ""
	switch {
	case info.Mode().IsRegular():
		dir, file = filepath.Split(real)
	case !info.IsDir():
		return nil, nil, errors.BadSource(given, "it is neither a directory nor a regular file")
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, nil, errors.PathUnusable(given, "it cannot be opened")
	}
	source, err := sources.Open(i.Source, root.FS(), filepath.Base(dir), file)
	if err != nil {
		root.Close()
		return nil, nil, err
	}
	return root, source, nil
}
