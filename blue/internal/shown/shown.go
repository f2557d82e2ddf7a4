// Package shown is what replies say of notes: a line of a list, a glance in passing, the
// notes that answer a question or are about a file, the digest of a session's beginning, and
// what deserves a look.
package shown

import (
	"slices"
	"time"

	"blue/blue/internal/anchor"
	"blue/blue/internal/catalog"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

// Notes are the notes of a project as one answer shows them.
type Notes struct {
	catalog.Notes
	Told       func(name, revision string) bool // whether it may be told unasked
	Unreviewed func(index.Row) bool             // whether it came from others since the user last looked
	Trusted    bool                             // the project is
	InConflict func() map[string]bool           // as [catalog.Notes.InConflict]
	Cited      *anchor.Files
	MostRead   func(most int) []index.Row // the notes that were read, the one read most often first
	Now        time.Time
}

// goneOrRenamed is how rows call a cited file that is not where it was: git has not been
// asked whether it has another name.
const goneOrRenamed = "gone or renamed"

// IsTold reports whether a note may be told unasked: others are shown when they are asked for
// alone.
func (n Notes) IsTold(row index.Row) bool {
	name := catalog.NameOf(row) // of one in the trash
	return n.Told(row.Name, row.Revision) && (name == row.Name || n.Told(name, row.Revision))
}

// Row is a note in a list.
func (n Notes) Row(r index.Row) reply.Row {
	more, by := catalog.ExtraOf(r), ""
	cited := n.Cited.Check(more.Files)
	tags, others := reply.ShowLabels(r.Tags, note.WordLimit, reply.TagRoom)
	if name := n.SuccessorName(r); name != "" {
		next, _ := n.Index.Row(name)
		by = next.ID
	}
	return reply.Row{
		ID: r.ID, Title: note.ShowTitle(r.Title), Type: note.ShowWord(r.Type), Tags: tags, MoreTags: others, Age: reply.FormatAge(r.Time, n.Now),
		Stale: isStale(cited), Evidence: reply.DescribeEvidence(cited, goneOrRenamed), Superseded: catalog.IsSuperseded(r),
		Private: note.IsPrivate(r.Name), Conflict: n.InConflict()[r.Name], Status: note.ShowWord(more.Status), By: note.ShowTitle(by), Author: note.ShowWord(more.Author), Revision: r.Revision, Told: n.IsTold(r),
	}
}

// isStale reports whether a cited file has changed.
func isStale(files []note.Cited) bool {
	return slices.ContainsFunc(files, func(f note.Cited) bool { return f.Changed })
}

// Facts narrow a list or a search further than its type and tags.
type Facts struct {
	Author     string
	Status     string // by its first word
	Unreviewed bool   // only notes that came from others since the user last looked
}

// Passes reports whether a note is as the facts say.
func (n Notes) Passes(f Facts, row index.Row) bool {
	more := catalog.ExtraOf(row)
	return (f.Author == "" || more.Author == f.Author) && (f.Status == "" || more.StatusWord() == f.Status) && (!f.Unreviewed || n.Unreviewed(row))
}
