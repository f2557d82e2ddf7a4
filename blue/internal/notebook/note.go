package notebook

import (
	"context"
	"slices"
	"time"

	"blue/blue/internal/anchor"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

// goneForGood is how a note calls a cited file that is not where it was. Where viewer.files
// follows files, git has been asked whether it has another name.
const goneForGood = "gone"

// severalShown is how many of the notes are named that an ambiguous link fits.
const severalShown = 3

// viewer is how a reader sees the notes of a project.
type viewer struct {
	nb      *Notebook
	visible func(index.Row) bool // whether the reader may see that a note is there
	files   *anchor.Files
}

// note returns a note with everything that is known of it, safe to show. Of other notes
// those that are not visible are not named, from whatever side they are linked.
func (v viewer) note(ctx context.Context, row index.Row, data []byte, linking []index.Row) result.Note {
	n := note.ParseText(row.Name, data)
	body, hidden := note.CountHidden(n.Body)
	out := result.Note{
		ID: row.ID, Path: ".blue/" + row.Name, Title: note.ShowTitle(n.Title), Type: note.ShowWord(n.Type), Tags: result.ShowWords(n.Tags, note.WordLimit),
		Author: note.ShowWord(n.Author), Status: note.ShowWord(n.Status), Supersedes: result.ShowWords(n.Supersedes, note.TitleLimit), Verified: note.ShowWord(n.Verified), Files: v.files.Check(n.Files),
		Body: body, Hidden: hidden, Revisions: []string{}, Links: []result.Link{}, Backlinks: []result.Link{},
		Private: note.IsPrivate(row.Name), Problem: note.ShowLabel(n.Problem, note.ProblemLimit), Conflicted: n.Conflicted,
	}
	if !n.Created.IsZero() {
		out.Created = n.Created.Format(time.RFC3339)
	}
	if out.Evidence = result.DescribeEvidence(out.Files, goneForGood); out.Evidence != "" {
		out.Age = result.FormatAge(row.Time, v.nb.o.Now())
	}
	v.addLinks(ctx, &out, n.Body)
	for _, from := range linking {
		if v.visible(from) {
			out.Backlinks = append(out.Backlinks, result.Link{ID: from.ID, Title: note.ShowTitle(from.Title)})
		}
	}
	return out
}

// addLinks adds what the links of a body mean, each note, commit and document once.
func (v viewer) addLinks(ctx context.Context, out *result.Note, body string) {
	var words []string
	for _, link := range note.FindLinks(body) {
		words = append(words, link.ID)
	}
	beside, added := v.nb.linkedBeside(ctx, words), map[string]bool{}
	for _, to := range words {
		link, ok := beside[to]
		if !ok {
			link = v.link(to)
		}
		if link.Missing || !added[link.ID] {
			out.Links = append(out.Links, link)
		}
		added[link.ID] = added[link.ID] || !link.Missing
	}
}

// link is the note that the words of a link mean.
func (v viewer) link(to string) result.Link {
	rows := slices.DeleteFunc(v.nb.linkedNotes(to), func(row index.Row) bool { return !v.visible(row) })
	if len(rows) == 1 {
		return result.Link{ID: rows[0].ID, Title: note.ShowTitle(rows[0].Title)}
	}
	var several []string
	for _, row := range rows[:min(len(rows), severalShown)] {
		several = append(several, row.ID)
	}
	return result.Link{ID: note.ShowTitle(to), Missing: true, Several: result.ShowWords(several, note.TitleLimit)}
}
