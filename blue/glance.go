package blue

import (
	"context"
	"slices"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/blue/internal/tree"
)

// sureHits is how many hits are looked at for answers.
const sureHits = 10

// glances returns what makes a glance of a row.
func (p *Project) glances() func(index.Row) Glance {
	now, files := p.b.o.Now(), p.citedFiles()
	return func(r index.Row) Glance {
		more := extraOf(r)
		g := Glance{
			ID: r.ID, Title: reply.PlainTags(Label(r.Title, glanceTitle)), Type: Label(r.Type, note.WordLimit), Age: reply.FormatAge(r.Time, now),
			Branch: Label(more.Branch, glanceTitle), Next: reply.PlainTags(Label(more.Next, note.NextLimit)), Revision: r.Revision,
		}
		for _, f := range files.Check(more.Files[:min(len(more.Files), note.ListLimit)]) {
			if f.Changed {
				g.Changed = append(g.Changed, f.Path)
			}
		}
		return g
	}
}

// answerMoment fills in the notes that answer the question, and those about the files.
func (p *Project) answerMoment(ctx context.Context, c *Context, m Moment) (err error) {
	c.Notes = p.index.Len()
	seen := func(row index.Row) bool { return m.Seen != nil && m.Seen(row.ID, row.Revision) }
	if strings.TrimSpace(m.For) != "" {
		if c.Answers, err = p.answering(ctx, m.For, seen); err != nil {
			return err
		}
	}
	var files []string
	for _, file := range m.Files {
		if name, ok := tree.Relative(tree.Physical(file), p.found.Root, p.workTree()); ok {
			files = append(files, name)
		}
	}
	c.Cited = p.about(files, glances, func(row index.Row) bool {
		return seen(row) || slices.ContainsFunc(c.Answers, func(g Glance) bool { return g.ID == row.ID })
	})
	return nil
}

// answering are the notes that answer a question, best first: none unless one surely does.
// Questions and prompts are asked as they are; what makes a note an answer is described in
// docs/search.md.
func (p *Project) answering(ctx context.Context, question string, skip func(index.Row) bool) ([]Glance, error) {
	found := []Glance{}
	question, _ = reply.CutBytes(question, queryLimit)
	texts := p.store.Texts()
	defer texts.Close()
	hits, err := p.index.Search(ctx, index.Query{Text: question, Limit: sureHits, Sure: true, Body: bodyReader(texts), Successor: p.successorName})
	if err != nil {
		return found, err
	}
	local, glance, passages := p.localNotes(), p.glances(), map[string]string{}
	for _, hit := range hits.Hits {
		passages[hit.Name] = hit.Snippet
		row, stands := p.current(hit.Row) // which is a hit above, when it is another one
		if hit.Sure < 1 || !stands || skip(row) || !local(row) || slices.ContainsFunc(found, func(g Glance) bool { return g.ID == row.ID }) {
			continue
		}
		if len(found) == glances {
			break
		}
		g := glance(row)
		g.Passage = reply.PlainTags(Label(note.OneLine(passages[row.Name]), glancePassage))
		found = append(found, g)
	}
	return found, nil
}

// about are the notes that cite one of the files, or stand in the place of one that does,
// newest first, but for those to skip.
func (p *Project) about(files []string, most int, skip func(index.Row) bool) []Glance {
	found, named := []Glance{}, map[string]bool{}
	local, glance := p.localNotes(), p.glances()
	var rows []index.Row
	for _, file := range files {
		for _, row := range p.index.Keyed(fileKey(file)) {
			row, stands := p.current(row)
			if stands && !named[row.Name] && local(row) && !skip(row) {
				named[row.Name] = true
				rows = append(rows, row)
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b index.Row) int { return b.Time.Compare(a.Time) })
	for _, row := range rows[:min(len(rows), most)] {
		found = append(found, glance(row))
	}
	return found
}
