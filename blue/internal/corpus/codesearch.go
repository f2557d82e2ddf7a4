package corpus

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"blue/blue/internal/anchor"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/result"
	"blue/blue/internal/snippet"
)

const (
	codePool    = 20  // files whose parts are weighed, at least
	codeFirst   = 10  // hits of different files before a second one of the same
	secondLeast = 0.5 // weight of a second hit of a file, as a share of the first
	partShare   = 0.5 // of the weight of its best part that counts for a file
	around      = 10  // lines around a hit outside of definitions
)

// codeHit is a part of a file that a search has found.
type codeHit struct {
	file *codeFile
	row  index.Row
	part int
	best index.Weight // of the part
	sum  float64      // score of the file
}

// searchCode searches the code of the tree, best files first.
func (s Corpus) searchCode(ctx context.Context, q index.Query) (found Results, err error) {
	of := s.openCode()
	x, ended := of.refresh(ctx, s.checkout(), nil, s.patience())
	found, done := of.begin(x, ended)
	if done {
		return found, nil
	}
	files, limit := map[string]*codeFile{}, q.Limit
	q.Limit, q.Judge = max(limit, codePool), false
	q.Filter.Type = kindCode
	q.Body = of.codeBody
	q.Parts = func(row index.Row, body string) []index.Part {
		files[row.Name] = cutCode(row.Name, body)
		return files[row.Name].weighed()
	}
	answer, err := x.Search(ctx, q)
	if err != nil {
		return found, err
	}
	found.Total, found.Searched = answer.Total, answer.Searched
	found.Lacking = []map[string][]string{answer.Lacking()}
	hits := rankCode(answer.Hits, files)
	for _, hit := range hits[:min(limit, len(hits))] {
		found.Hits = append(found.Hits, hit.show(answer))
	}
	return found, nil
}

// rankCode returns the parts to show of the files that were found: the best of each of the best
// files, then second ones of these, then those of the other files.
func rankCode(found []index.Hit, files map[string]*codeFile) (all []codeHit) {
	var seconds []codeHit
	for _, hit := range found {
		file := files[hit.Name]
		order := make([]int, len(hit.Weights))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(hit.Weights[b].Sum, hit.Weights[a].Sum) })
		if len(order) == 0 {
			continue
		}
		first := codeHit{file, hit.Row, order[0], hit.Weights[order[0]], hit.Score}
		first.sum += partShare * first.best.Sum
		all = append(all, first)
		if len(order) > 1 && hit.Weights[order[1]].Sum >= secondLeast*first.best.Sum {
			second := first
			second.part, second.best = order[1], hit.Weights[order[1]]
			seconds = append(seconds, second)
		}
	}
	slices.SortStableFunc(all, func(a, b codeHit) int {
		if a.row.Superseded != b.row.Superseded {
			return map[bool]int{true: 1, false: -1}[a.row.Superseded]
		}
		return cmp.Compare(b.sum, a.sum)
	})
	first := all[:min(len(all), codeFirst)]
	seconds = slices.DeleteFunc(seconds, func(hit codeHit) bool {
		return !slices.ContainsFunc(first, func(other codeHit) bool { return other.row.Name == hit.row.Name })
	})
	return slices.Concat(first, seconds, all[len(first):])
}

// show returns a hit as replies show it. Its lines are those of its definition, or some around its
// heaviest word.
func (h codeHit) show(answer index.Result) result.Beside {
	p, at := h.file.parts[h.part], h.file.lineOf(h.best.At)
	b := result.Beside{Kind: kindCode, Path: h.row.Name, Score: h.sum, Generated: h.row.Superseded, Revision: h.row.Revision}
	lines := anchor.Span{First: max(p.from, at-around) + 1, Last: min(p.to, at+around+1)}
	if p.defined >= 0 {
		d := h.file.defined[p.defined]
		if block := h.file.lines.Block(d.Line); at < block.Last {
			lines, b.Symbol = block, d.Kind
			b.Title = strings.TrimPrefix(d.In+"."+d.Name, ".")
			p.to = block.Last
		} else {
			p.from = block.Last
			lines.First = max(lines.First, block.Last+1)
		}
	}
	if b.Symbol == "" {
		p.from, p.to = lines.First-1, lines.Last
		b.Title = h.file.line(at)
	}
	b.First, b.Last = lines.First, lines.Last
	b.Ref = note.ShowLabel(fmt.Sprintf("%s#L%d-L%d", h.row.Name, lines.First, lines.Last), result.PathShown)
	text := maskSecrets(h.file.text[h.file.starts[p.from]:h.file.end(p.to)])
	b.Title = note.ShowLabel(maskSecrets(b.Title), besideTitle)
	b.Snippet, b.Marks = result.ShowMarked(answer.Choose("```\n"+text, snippet.Bytes))
	return b
}
