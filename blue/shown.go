package blue

import (
	"slices"
	"time"

	"blue/blue/internal/commits"
	"blue/blue/internal/evidence"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
)

// goneForGood is how a note calls a cited file that is not where it was: git has been asked
// whether it has another name.
const goneForGood = "gone"

// severalShown is how many of the notes are named that an ambiguous link fits.
const severalShown = 3

// view is how a reader sees a project.
type view struct {
	visible func(index.Row) bool // whether the reader may see that a note is there
	files   *evidence.Files
}

// showNote returns a note with everything that is known of it, safe to show. Of other
// notes those that are not visible are not named, from whatever side they are linked.
func (p *Project) showNote(row index.Row, data []byte, past []store.Past, in view) Note {
	n := note.ParseText(row.Name, data)
	body, hidden := note.CountHidden(n.Body)
	out := Note{
		ID: row.ID, Path: ".blue/" + row.Name, Title: note.ShowTitle(n.Title), Type: note.ShowWord(n.Type), Tags: reply.ShowWords(n.Tags, note.WordLimit),
		Author: note.ShowWord(n.Author), Status: note.ShowWord(n.Status), Supersedes: reply.ShowWords(n.Supersedes, note.TitleLimit), Verified: note.ShowWord(n.Verified), Files: in.files.Check(n.Files),
		Body: body, Hidden: hidden, Revisions: []string{}, Links: []Link{}, Backlinks: []Link{},
		Private: note.IsPrivate(row.Name), Problem: note.ShowLabel(n.Problem, note.ProblemLimit), Conflicted: n.Conflicted,
	}
	if !n.Created.IsZero() {
		out.Created = n.Created.Format(time.RFC3339)
	}
	if out.Evidence = reply.DescribeEvidence(out.Files, goneForGood); out.Evidence != "" {
		out.Age = reply.FormatAge(row.Time, p.b.o.Now())
	}
	for _, rev := range past {
		out.Revisions = append(out.Revisions, rev.Revision)
	}
	for _, to := range note.FindLinks(n.Body) {
		link := Link{ID: note.ShowTitle(to.ID), Missing: true}
		if hash, ok := commits.ParseRef(to.ID); ok {
			link = p.beside().LinkCommit(hash)
		} else if rows := slices.DeleteFunc(p.linkedNotes(to.ID), func(row index.Row) bool { return !in.visible(row) }); len(rows) == 1 {
			link = Link{ID: rows[0].ID, Title: note.ShowTitle(rows[0].Title)}
		} else {
			link.Several = reply.ShowWords(idsOf(rows[:min(len(rows), severalShown)]), note.TitleLimit)
		}
		out.Links = append(out.Links, link)
	}
	for _, from := range p.index.LinkingTo(row) {
		if in.visible(from) {
			out.Backlinks = append(out.Backlinks, Link{ID: from.ID, Title: note.ShowTitle(from.Title)})
		}
	}
	return out
}
