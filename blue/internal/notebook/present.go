package notebook

import (
	"slices"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
)

// presenter renders notes for one answer: as lines of a list, as glances, as answers to a
// question or about a file, and as the digest at the start of a session.
type presenter struct {
	Catalog
	nb         *Notebook
	inConflict map[string]bool // as [Catalog.InConflict]
	cited      *citations
	now        time.Time
}

// shown returns the presenter of this answer.
func (nb *Notebook) shown() presenter {
	return presenter{nb.index, nb, nb.index.InConflict(), nb.citedFiles(), nb.o.Now()}
}

// goneOrRenamed labels a cited file in rows that is not where it was. Git has not been asked
// whether the file has another name.
const goneOrRenamed = "gone or renamed"

// row returns a note as a line of a list.
func (n presenter) row(r index.Row) result.Row {
	more, by := ExtraOf(r), ""
	cited := n.cited.check(more.Files, n.nb.says(r))
	tags, others := result.ShowLabels(r.Tags, note.WordLimit, result.TagRoom)
	if next, ok := n.Successor(r); ok {
		by = next.ID
	}
	return result.Row{
		ID: r.ID, Title: note.ShowTitle(r.Title), Type: note.ShowWord(r.Type), Tags: tags, MoreTags: others, Age: result.FormatAge(r.Time, n.now),
		Stale: isStale(cited), Evidence: result.DescribeEvidence(cited, goneOrRenamed), Superseded: IsSuperseded(r),
		Private: note.IsPrivate(r.Name), Conflict: n.inConflict[r.Name], Status: note.ShowWord(more.Status), By: note.ShowTitle(by), Author: note.ShowWord(more.Author), Revision: r.Revision,
	}
}

// isStale reports whether a cited file has changed.
func isStale(files []note.Cited) bool {
	return slices.ContainsFunc(files, func(f note.Cited) bool { return f.Changed })
}

// Bounds of a glance.
const (
	glanceTitle = 100 // characters of a title
	glanceFiles = 3   // of a checkpoint
)

// glance returns a note as it is named in passing, with what has become of the files that it cites.
func (n presenter) glance(r index.Row) result.Glance {
	g := n.titled(r)
	for _, f := range n.cited.check(ExtraOf(r).Files, n.nb.says(r)) {
		if f.Changed {
			g.Changed = append(g.Changed, result.DescribeChange(f, goneOrRenamed))
		}
	}
	return g
}

// titled returns a note as it is named among others by its title.
func (n presenter) titled(r index.Row) result.Glance {
	more := ExtraOf(r)
	g := result.Glance{
		ID: r.ID, Title: result.PlainTags(note.ShowLabel(r.Title, glanceTitle)), Type: note.ShowLabel(r.Type, note.WordLimit), Age: result.FormatAge(r.Time, n.now),
		Next: result.PlainTags(note.ShowLabel(more.Next, note.NextLimit)), Revision: r.Revision, Conflict: n.inConflict[r.Name],
	}
	if IsProposed(r) {
		g.Status = note.Proposed
	}
	if n.nb.trusted {
		g.Branch = result.CutName(more.Branch)
	}
	if r.Type == note.TypeCheckpoint {
		for _, f := range more.Files[:min(len(more.Files), glanceFiles)] {
			g.Files = append(g.Files, result.PlainTags(note.ShowLabel(f.Path, glanceTitle)))
		}
	}
	return g
}
