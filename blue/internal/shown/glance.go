package shown

import (
	"context"
	"slices"

	"blue/blue/internal/catalog"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
)

const (
	glances       = 3   // notes for a question
	glanceTitle   = 100 // characters of a title
	glancePassage = 250 // characters of a passage
)

// Glance is a note as it is named in passing.
func (n Notes) Glance(r index.Row) reply.Glance {
	more := catalog.ExtraOf(r)
	g := reply.Glance{
		ID: r.ID, Title: reply.PlainTags(note.ShowLabel(r.Title, glanceTitle)), Type: note.ShowLabel(r.Type, note.WordLimit), Age: reply.FormatAge(r.Time, n.Now),
		Branch: note.ShowLabel(more.Branch, glanceTitle), Next: reply.PlainTags(note.ShowLabel(more.Next, note.NextLimit)), Revision: r.Revision,
	}
	for _, f := range n.Cited.Check(more.Files[:min(len(more.Files), note.ListLimit)]) {
		if f.Changed {
			g.Changed = append(g.Changed, f.Path)
		}
	}
	return g
}

// Answers are the notes that answer a question, best first: none unless one surely does.
// Questions and prompts are asked as they are; what makes a note an answer is described in
// docs/search.md.
func (n Notes) Answers(ctx context.Context, question string, read catalog.ReadBody, skip func(index.Row) bool) ([]reply.Glance, error) {
	found := []reply.Glance{}
	hits, err := n.Search(ctx, index.Query{Text: question, Limit: catalog.SureHits, Sure: true, Body: read, Successor: n.SuccessorName})
	if err != nil {
		return found, err
	}
	passages := map[string]string{}
	for _, hit := range hits.Hits {
		passages[hit.Name] = hit.Snippet
		row, stands := n.Current(hit.Row) // which is a hit above, when it is another one
		if hit.Sure < 1 || !stands || skip(row) || !n.IsLocal(row) || slices.ContainsFunc(found, func(g reply.Glance) bool { return g.ID == row.ID }) {
			continue
		}
		if len(found) == glances {
			break
		}
		g := n.Glance(row)
		g.Passage = reply.PlainTags(note.ShowLabel(note.OneLine(passages[row.Name]), glancePassage))
		found = append(found, g)
	}
	return found, nil
}

// About are the notes that cite one of the files, or stand in the place of one that does,
// newest first, but for those to skip.
func (n Notes) About(files []string, most int, skip func(index.Row) bool) []reply.Glance {
	found, named := []reply.Glance{}, map[string]bool{}
	var rows []index.Row
	for _, file := range files {
		for _, row := range n.Citing(file) {
			row, stands := n.Current(row)
			if stands && !named[row.Name] && n.IsLocal(row) && !skip(row) {
				named[row.Name] = true
				rows = append(rows, row)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b index.Row) int { return b.Time.Compare(a.Time) })
	for _, row := range rows[:min(len(rows), most)] {
		found = append(found, n.Glance(row))
	}
	return found
}
