package notebook

import (
	"slices"
	"sync"
	"time"

	"blue/blue/internal/anchor"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

// presenter makes what one answer says of notes: a line of a list, a glance in passing, the notes
// that answer a question or are about a file, the digest of a session's beginning.
type presenter struct {
	Catalog
	nb         *Notebook
	told       func(name, revision string) bool // whether a note may be told unasked
	inConflict func() map[string]bool           // as [Catalog.InConflict]
	cited      *anchor.Files
	now        time.Time
}

// shown are the notes as this answer shows them.
func (nb *Notebook) shown() presenter {
	return presenter{nb.index, nb, nb.told(), sync.OnceValue(nb.index.InConflict), nb.citedFiles(), nb.o.Now()}
}

// goneOrRenamed is how rows call a cited file that is not where it was: git has not been
// asked whether it has another name.
const goneOrRenamed = "gone or renamed"

// IsTold reports whether a note may be told unasked: others are shown when they are asked for
// alone.
func (n presenter) IsTold(row index.Row) bool {
	name := NameOf(row) // of one in the trash
	return n.told(row.Name, row.Revision) && (name == row.Name || n.told(name, row.Revision))
}

// Row is a note in a list.
func (n presenter) Row(r index.Row) result.Row {
	more, by := ExtraOf(r), ""
	cited := n.cited.Check(more.Files)
	tags, others := result.ShowLabels(r.Tags, note.WordLimit, result.TagRoom)
	if name := n.SuccessorName(r); name != "" {
		next, _ := n.Index.Row(name)
		by = next.ID
	}
	return result.Row{
		ID: r.ID, Title: note.ShowTitle(r.Title), Type: note.ShowWord(r.Type), Tags: tags, MoreTags: others, Age: result.FormatAge(r.Time, n.now),
		Stale: isStale(cited), Evidence: result.DescribeEvidence(cited, goneOrRenamed), Superseded: IsSuperseded(r),
		Private: note.IsPrivate(r.Name), Conflict: n.inConflict()[r.Name], Status: note.ShowWord(more.Status), By: note.ShowTitle(by), Author: note.ShowWord(more.Author), Revision: r.Revision, Told: n.IsTold(r),
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

// pass reports whether a note has the author and the status that the facts say.
func (f Facts) pass(row index.Row) bool {
	more := ExtraOf(row)
	return (f.Author == "" || more.Author == f.Author) && (f.Status == "" || more.StatusWord() == f.Status)
}
