package notebook

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/result"
)

const (
	glances       = 3    // notes for a question
	judged        = 4    // best hits for a question; 10 answer 0 to 1 of 100 prompts more
	wordsShown    = 3    // words that made a note an answer
	glanceTitle   = 100  // characters of a title
	glancePassage = 250  // characters of a passage of a note that is no hit itself, or is set aside
	glanceGist    = 300  // characters of what a note about a file has decided
	answersRoom   = 1060 // bytes of all answers
	answerLine    = 130  // of these for what stands before a passage
	leastPassage  = 150  // bytes
	nearMargin    = 0.4  // by which the score of a note may lack that comes near to an answer
)

// passageRoom is how many bytes the passage of a hit has. What has been decided often stands
// at the end: the best answer is shown whole where there is room, and the others as far as
// there is some left.
func passageRoom(hits []index.Hit, at int) int {
	var answers []int
	for i, hit := range hits {
		if hit.Verdict.Passes() && len(answers) < glances {
			answers = append(answers, i)
		}
	}
	slices.SortStableFunc(answers, func(a, b int) int { return cmp.Compare(margin(hits[b]), margin(hits[a])) })
	left := answersRoom - len(answers)*answerLine
	for i, answer := range answers {
		room := min(hits[answer].Bytes, left-(len(answers)-1-i)*leastPassage)
		if answer == at {
			return room
		}
		left -= room
	}
	return glancePassage
}

func margin(hit index.Hit) float64 { return hit.Verdict.Score - hit.Verdict.Threshold }

// Glance is a note as it is named in passing.
func (n presenter) Glance(r index.Row) result.Glance {
	more := ExtraOf(r)
	g := result.Glance{
		ID: r.ID, Title: result.PlainTags(note.ShowLabel(r.Title, glanceTitle)), Type: note.ShowLabel(r.Type, note.WordLimit), Age: result.FormatAge(r.Time, n.now),
		Next: result.PlainTags(note.ShowLabel(more.Next, note.NextLimit)), Revision: r.Revision,
	}
	if n.nb.trusted {
		g.Branch = result.CutName(more.Branch)
	}
	for _, f := range n.cited.Check(more.Files[:min(len(more.Files), note.ListLimit)]) {
		if f.Changed {
			g.Changed = append(g.Changed, f.Path)
		}
	}
	return g
}

// Answers are the notes that answer a question, best first: none unless one surely does, for
// which a note of the favored type needs a little less.
// It also returns the note that comes nearest to be told, nil when no note has a word of the
// question, and the names of those that come near. docs/agents.md describes what makes a note
// an answer.
func (n presenter) Answers(ctx context.Context, question, favored string, read ReadBody, skip func(index.Row) bool) (found []result.Glance, best *result.Judged, near []string, err error) {
	found = []result.Glance{}
	hits, err := n.Search(ctx, index.Query{Text: question, Limit: judged, Judge: true, Favored: favored, Body: read, Room: passageRoom, Successor: n.SuccessorName})
	if err != nil {
		return found, nil, nil, err
	}
	passages := map[string]string{}
	for _, hit := range hits.Hits {
		passages[hit.Name] = hit.Snippet
		row, stands := n.Current(hit.Row) // which is a hit above, when it is another one
		if !n.IsTold(row) {
			continue
		}
		if judged := judge(hit); best == nil || judged.Margin() > best.Margin() {
			best = judged
		}
		if !hit.Verdict.Passes() && margin(hit) >= -nearMargin && stands {
			near = append(near, row.Name)
		}
		if !hit.Verdict.Passes() || skip(row) {
			continue
		}
		at := slices.IndexFunc(found, func(g result.Glance) bool { return g.ID == row.ID })
		if at < 0 {
			if len(found) == glances {
				break
			}
			at = len(found)
			found = append(found, n.answer(row, stands, passages[row.Name], read))
		}
		if row.Name != hit.Name {
			found[at].Replaces = result.PlainTags(note.ShowLabel(hit.Title, glanceTitle))
		}
	}
	return found, best, near, nil
}

// answer is a glance with a passage; of a note that does not stand it has the status, and the
// reason for that.
func (n presenter) answer(row index.Row, stands bool, passage string, read ReadBody) result.Glance {
	g := n.Glance(row)
	if !stands || passage == "" {
		body, _ := read(row)
		passage = note.Gist(body, glancePassage)
		if !stands {
			passage = note.Reason(body, glancePassage)
			g.Status = result.PlainTags(note.ShowWord(ExtraOf(row).Status))
		}
	}
	g.Passage = result.PlainTags(note.ShowLabel(note.OneLine(passage), answersRoom))
	return g
}

// Removed is the note in the trash that answers a question best, as one that is set aside, or
// in its place the one that replaces it: none unless one surely does, and better than best.
func (n presenter) Removed(ctx context.Context, question string, best *result.Judged, trash Catalog, read, readRemoved ReadBody, skip func(index.Row) bool) []result.Glance {
	hits, _ := trash.Search(ctx, index.Query{Text: question, Limit: judged, Judge: true, Body: readRemoved})
	for _, hit := range hits.Hits {
		if !hit.Verdict.Passes() || best != nil && judge(hit).Margin() < best.Margin() || skip(hit.Row) || !n.IsTold(hit.Row) {
			continue
		}
		if heirs := n.Successors(hit.Row); len(heirs) > 0 {
			if found := n.InPlaceOf(hit.Title, heirs[0], read, skip); len(found) > 0 {
				return found
			}
			continue
		}
		g := n.answer(hit.Row, false, "", readRemoved)
		g.Status = result.StatusRemoved + " on " + hit.Time.Format(time.DateOnly)
		return []result.Glance{g}
	}
	return nil
}

// InPlaceOf is the note that stands in the place of what another note replaces, of which it
// names the title; none when it may not be told.
func (n presenter) InPlaceOf(title string, heir index.Row, read ReadBody, skip func(index.Row) bool) []result.Glance {
	by, stands := n.Current(heir)
	if !stands || !n.IsTold(by) || skip(by) {
		return nil
	}
	g := n.answer(by, true, "", read)
	g.Replaces = result.PlainTags(note.ShowLabel(title, glanceTitle))
	return []result.Glance{g}
}

// judge describes how well a hit answers.
func judge(hit index.Hit) *result.Judged {
	j := &result.Judged{ID: hit.ID, Score: hit.Verdict.Score, Threshold: hit.Verdict.Threshold}
	for _, w := range hit.Verdict.Words[:min(len(hit.Verdict.Words), wordsShown)] {
		j.Words = append(j.Words, fmt.Sprintf("%s %.1f", note.ShowWord(w.Text), w.Worth))
	}
	return j
}

// About are the notes that cite one of the files or supersede it, or stand in the place of one that does,
// newest first, but for those to skip, each with what it has decided.
func (n presenter) About(files []string, most int, read ReadBody, skip func(index.Row) bool) []result.Glance {
	found, superseded := []result.Glance{}, n.SupersededDocuments()
	for _, row := range slices.DeleteFunc(n.about(files), skip) {
		if len(found) == most {
			break
		}
		g := n.withGist(row, read)
		if at := slices.IndexFunc(files, func(file string) bool { return superseded[file].Name == row.Name }); at >= 0 {
			g.Replaces = result.PlainTags(note.ShowLabel(files[at], glanceTitle))
		}
		found = append(found, g)
	}
	return found
}

// Near are at most so many of the notes of some names, but for those to skip, each with what it
// has decided.
func (n presenter) Near(names []string, most int, read ReadBody, skip func(index.Row) bool) (found []result.Glance) {
	for _, name := range names {
		row, ok := n.Index.Row(name)
		if row, stands := n.Current(row); ok && stands && n.IsTold(row) && !skip(row) && len(found) < most {
			found = append(found, n.withGist(row, read))
		}
	}
	return found
}

// withGist is a glance with what the note has decided, unless it names a next step.
func (n presenter) withGist(row index.Row, read ReadBody) result.Glance {
	g := n.Glance(row)
	if g.Next == "" {
		body, _ := read(row)
		g.Passage = result.PlainTags(note.ShowLabel(note.Gist(body, glanceGist), glanceGist))
	}
	return g
}

func (n presenter) about(files []string) (rows []index.Row) {
	named, superseded := map[string]bool{}, n.SupersededDocuments()
	for _, file := range files {
		citing := n.Citing(file)
		if by, ok := superseded[file]; ok {
			citing = append(citing, by)
		}
		for _, row := range citing {
			row, stands := n.Current(row)
			if stands && !named[row.Name] && n.IsTold(row) {
				named[row.Name] = true
				rows = append(rows, row)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b index.Row) int { return b.Time.Compare(a.Time) })
	return rows
}
