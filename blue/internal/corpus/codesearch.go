package corpus

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"path"
	"slices"
	"strings"

	"blue/blue/internal/anchor"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/screen"
	"blue/blue/internal/snippet"
	"blue/blue/result"
)

const (
	codePool    = 12  // files that are sorted by the weights of their parts; more have the order of the index
	narrowPool  = 50  // the same if only some definitions are asked for
	codeFirst   = 10  // hits of different files before a second one of the same
	secondLeast = 0.5 // weight of a second hit of a file, as a share of the first
	partShare   = 0.5 // of the weights of its parts that counts for a file
	partFade    = 0.5 // factor of the weight of each further part, the heaviest first
	partsMost   = 10  // parts that count
	around      = 10  // lines around a hit outside of definitions

	sizePower = 0.1 // power of the size of a file that its score is multiplied with
	dataShare = 0.3 // factor for the score of a file of data or settings
	testShare = 0.8 // factor for the score of a test
)

// codeFactor returns the factor for the score of a file. It favors long files, because what is
// looked for is one place of a file, and they have more of them.
func codeFactor(name string, size int64) (factor float64) {
	factor = math.Pow(float64(max(size, 100)), sizePower)
	if l := languageOf(name); l != nil && l.data {
		factor *= dataShare
	}
	if isTest(name) {
		factor *= testShare
	}
	return factor
}

// isTest reports whether a file holds tests, by its name.
func isTest(name string) bool {
	dir, base := path.Split(name)
	for _, part := range strings.Split(dir, "/") {
		if part == "test" || part == "tests" || part == "__tests__" || part == "spec" {
			return true
		}
	}
	return strings.HasPrefix(base, "test_") || strings.Contains(base, "_test.") || strings.Contains(base, ".test.") || strings.Contains(base, ".spec.")
}

// codeHit is a part of a file that a search has found.
type codeHit struct {
	file *codeFile
	row  index.Row
	part int
	best index.Weight // of the part
	rank int          // how well its definition is what was asked for
	sum  float64      // score
}

// searchCode searches the code of the tree, best files first.
func (s Corpus) searchCode(ctx context.Context, q index.Query) (found Results, err error) {
	of := s.openCode()
	x, ended := of.refresh(ctx, s.checkout(), nil, s.patience())
	found, done := of.begin(x, ended)
	if done {
		return found, nil
	}
	asked, err := parseCode(q.Text)
	if err != nil {
		return found, err
	}
	if asked.uses != "" {
		return s.searchUses(ctx, of, x, asked, q.Limit)
	}
	files, limit, pool := map[string]*codeFile{}, q.Limit, codePool
	if asked.symbol+asked.kind != "" {
		pool = narrowPool
	}
	q.Text, q.Limit, q.Judge, q.Filter = asked.text, max(limit, pool), false, asked.filter(x, q.Filter)
	if q.Text == "" {
		q.Text, q.Prefix = asked.symbol, true
	}
	q.Factor = codeFactor
	q.Body = of.codeBody
	q.Parts = func(row index.Row, body string) []index.Part {
		files[row.Name] = cutCode(row, body)
		return files[row.Name].weighed()
	}
	answer, err := x.Search(ctx, q)
	if err != nil {
		return found, err
	}
	found.Total, found.Searched = answer.Total, x.Types()[kindCode]
	found.Lacking = []map[string][]string{answer.Lacking()}
	hits := asked.rankHits(answer.Hits, files, pool)
	found.Total += len(hits) - len(answer.Hits) // other parts of the same files
	if asked.symbol+asked.kind != "" {
		found.Total = len(hits)
	}
	for _, hit := range hits[:min(limit, len(hits))] {
		found.Hits = append(found.Hits, hit.show(answer))
	}
	return found, nil
}

// rankHits returns the parts to show of the files that were found: the best of each of the best
// files, then second ones of these, then those of the other files. It sorts the first files, as many
// as pool, so that their order is the same for every page.
func (q codeQuery) rankHits(found []index.Hit, files map[string]*codeFile, pool int) (all []codeHit) {
	var seconds []codeHit
	ranked := 0
	for n, hit := range found {
		var parts []codeHit
		for i, p := range files[hit.Name].parts {
			next := codeHit{file: files[hit.Name], row: hit.Row, part: i, best: hit.Weights[i]}
			if next.rank = q.rank(next.file.definition(p)); next.rank > notWanted {
				parts = append(parts, next)
			}
		}
		slices.SortStableFunc(parts, func(a, b codeHit) int {
			return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.best.Sum, a.best.Sum))
		})
		sum, share := hit.Score, partShare*codeFactor(hit.Name, hit.Stamp.Size)
		for _, part := range parts[:min(len(parts), partsMost)] {
			sum += share * part.best.Sum
			share *= partFade
		}
		for i, part := range parts[:min(len(parts), 2)] {
			if part.sum = sum; i == 0 {
				all = append(all, part)
			} else if part.best.Sum >= secondLeast*parts[0].best.Sum {
				seconds = append(seconds, part)
			}
		}
		if n < pool {
			ranked = len(all)
		}
	}
	slices.SortStableFunc(all[:ranked], func(a, b codeHit) int {
		if a.row.Superseded != b.row.Superseded {
			return map[bool]int{true: 1, false: -1}[a.row.Superseded]
		}
		return cmp.Or(cmp.Compare(b.rank, a.rank), cmp.Compare(b.sum, a.sum))
	})
	first := all[:min(ranked, codeFirst)]
	seconds = slices.DeleteFunc(seconds, func(hit codeHit) bool {
		return !slices.ContainsFunc(first, func(other codeHit) bool { return other.row.Name == hit.row.Name })
	})
	return slices.Concat(first, seconds, all[len(first):])
}

// show returns a hit as replies show it. Its lines are those of its definition, or some around its
// heaviest word.
func (h codeHit) show(answer index.Result) result.ShelfHit {
	p, at := h.file.parts[h.part], h.file.lineOf(h.best.At)
	b := result.ShelfHit{Kind: kindCode, Path: h.row.Name, Score: h.sum, Generated: h.row.Superseded, Revision: h.row.Revision}
	lines := anchor.Span{First: max(p.from, at-around) + 1, Last: min(p.to, at+around+1)}
	if d := h.file.definition(p); d != nil {
		if block := anchor.Split(h.row.Name, h.file.text).Block(d.Line); at < block.Last || h.rank > wanted {
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
	}
	b.First, b.Last = lines.First, lines.Last
	b.Ref = note.ShowLabel(fmt.Sprintf("%s#L%d-L%d", h.row.Name, lines.First, lines.Last), result.PathShown)
	shown := MaskLines(h.file.text, h.file.starts[p.from], h.file.end(p.to))
	if b.Symbol == "" {
		b.Title = strings.TrimSpace(shown[at-p.from])
	}
	b.Title = note.ShowLabel(b.Title, titleShown)
	b.Snippet, b.Marks = result.ShowMarked(answer.Choose("```\n"+screen.Join(shown), snippet.Bytes))
	return b
}
