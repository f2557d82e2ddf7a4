package blue

import (
	"time"

	"blue/blue/internal/commits"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/store"
)

// showNote returns a note with everything that is known of it, safe to show. Of other
// notes those that are not visible are not named, from whatever side they are linked.
func (p *Project) showNote(row index.Row, data []byte, past []store.Past, visible func(index.Row) bool) Note {
	n := note.ParseText(row.Name, data)
	body, hidden := note.CountHidden(n.Body)
	out := Note{
		ID: row.ID, Path: ".blue/" + row.Name, Title: note.ShowTitle(n.Title), Type: note.ShowWord(n.Type), Tags: reply.ShowWords(n.Tags, note.WordLimit),
		Author: note.ShowWord(n.Author), Status: note.ShowWord(n.Status), Supersedes: reply.ShowWords(n.Supersedes, note.TitleLimit), Files: p.checkCited(n.Files),
		Body: body, Hidden: hidden, Revisions: []string{}, Links: []Link{}, Backlinks: []Link{},
		Private: note.IsPrivate(row.Name), Problem: note.ShowLabel(n.Problem, note.ProblemLimit), Conflicted: n.Conflicted,
	}
	if !n.Created.IsZero() {
		out.Created = n.Created.Format(time.RFC3339)
	}
	for _, rev := range past {
		out.Revisions = append(out.Revisions, rev.Revision)
	}
	for _, to := range note.FindLinks(n.Body) {
		link := Link{ID: note.ShowTitle(to.ID), Missing: true}
		if hash, ok := commits.ParseRef(to.ID); ok {
			link = p.beside().LinkCommit(hash)
		} else if rows := p.matchNotes(to.ID); len(rows) == 1 && visible(rows[0]) {
			link = Link{ID: rows[0].ID, Title: note.ShowTitle(rows[0].Title)}
		}
		out.Links = append(out.Links, link)
	}
	for _, from := range p.index.Keyed("link:" + row.ID) {
		if from.Name != row.Name && visible(from) {
			out.Backlinks = append(out.Backlinks, Link{ID: from.ID, Title: note.ShowTitle(from.Title)})
		}
	}
	return out
}
