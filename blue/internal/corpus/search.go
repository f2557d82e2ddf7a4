package corpus

import (
	"cmp"
	"context"
	"encoding/json"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
)

// Results holds the results of a search of documents and commits.
type Results struct {
	Hits            []result.ShelfHit
	Total, Searched int
	Lacking         []map[string][]string // for each index, the unknown words and those searched instead
	Warning         string                // why there are no results
	Reading         []string              // indexes that are still being read
	Uses            string                // how many uses of a name were found, and how
	stuck           bool                  // git did not answer in time
	rows            []index.Row           // of the hits
}

// First returns, judged, at most that many documents, with one section each, and then at most that
// many commits. A query without a limit looks at twice as many, so that versions of one document
// leave room for others. Results only warn of an empty index if git is stuck; blue where gives the
// other reasons.
func (s Corpus) First(ctx context.Context, names []string, most int, q index.Query) Results {
	q.Limit, q.Each, q.Flat, q.Judge = cmp.Or(q.Limit, 2*most), 1, true, true
	found := s.searchEach(ctx, names, q)
	for i := range found {
		f := &found[i]
		if names[i] == Documents {
			f.dropVersions(s.open().documents.isVersion)
		}
		f.Hits = f.Hits[:min(len(f.Hits), most)]
		if !f.stuck {
			f.Warning = ""
		}
	}
	return join(found, func(a, b []result.ShelfHit) []result.ShelfHit { return append(a, b...) })
}

// dropVersions keeps one section of each document, and one of those that are nearly the same text: of
// documents with the same name and title the newest, judged by path, else the best.
func (f *Results) dropVersions(isVersion func(a, b index.Row) bool) {
	seen := map[string]bool{}
	var kept []result.ShelfHit
	var rows []index.Row
	for i, b := range f.Hits {
		file := fileOf(b.Ref)
		if seen[file] {
			continue
		}
		seen[file] = true
		at := 0 // of the one that it repeats; a passage that was shown above is left out
		for at < len(kept) && !((b.Title == kept[at].Title || b.Snippet == "") && isVersion(f.rows[i], rows[at])) {
			at++
		}
		if at == len(kept) {
			kept, rows = append(kept, b), append(rows, f.rows[i])
			continue
		}
		sameName := b.Title == kept[at].Title && path.Base(file) == path.Base(fileOf(kept[at].Ref))
		if b.By == "" && sameName && comparePaths(b.Ref, kept[at].Ref) > 0 {
			b.Snippet, b.Marks = kept[at].Snippet, kept[at].Marks // the other one would repeat what was shown above
			kept[at], rows[at] = b, f.rows[i]
		}
	}
	f.Hits, f.rows = kept, rows
}

// comparePaths compares paths, with the numbers in them in numerical order.
func comparePaths(a, b string) int {
	const digits = "0123456789"
	for a != "" && b != "" {
		x, y := a[:len(a)-len(strings.TrimLeft(a, digits))], b[:len(b)-len(strings.TrimLeft(b, digits))]
		if x == "" || y == "" {
			x, y = a[:1], b[:1]
		} else if c := cmp.Compare(len(strings.TrimLeft(x, "0")), len(strings.TrimLeft(y, "0"))); c != 0 {
			return c
		}
		if c := cmp.Compare(x, y); c != 0 {
			return c
		}
		a, b = a[len(x):], b[len(y):]
	}
	return cmp.Compare(a, b)
}

// Search searches documents and commits and merges what it finds by score.
func (s Corpus) Search(ctx context.Context, names []string, q index.Query) Results {
	q.Each = sectionsMost
	return join(s.searchEach(ctx, names, q), mergeHits)
}

// mergeHits merges two lists of hits by score and keeps the order of each.
func mergeHits(a, b []result.ShelfHit) (all []result.ShelfHit) {
	for len(a) > 0 && len(b) > 0 {
		next := &a
		if cmp.Or(cmp.Compare(b[0].Score, a[0].Score), cmp.Compare(a[0].Ref, b[0].Ref)) > 0 {
			next = &b
		}
		all = append(all, (*next)[0])
		*next = (*next)[1:]
	}
	return slices.Concat(all, a, b)
}

// join joins several results into one. The function order combines their hits.
func join(found []Results, order func(a, b []result.ShelfHit) []result.ShelfHit) (all Results) {
	var warnings []string
	for _, f := range found {
		all.Hits = order(all.Hits, f.Hits)
		all.Total += f.Total
		all.Searched += f.Searched
		all.Lacking = append(all.Lacking, f.Lacking...)
		all.Reading = append(all.Reading, f.Reading...)
		all.Uses += f.Uses
		if f.Warning != "" {
			warnings = append(warnings, f.Warning)
		}
	}
	all.Warning = strings.Join(warnings, "; ")
	return all
}

// searchEach searches documents and commits concurrently; documents come first. It logs errors and
// leaves those results out, so that the notes are answered in any case.
func (s Corpus) searchEach(ctx context.Context, names []string, q index.Query) []Results {
	p := s.open()
	s.Superseded = sync.OnceValue(s.Superseded)
	found, c := make([]Results, len(names)), s.checkout()
	var group sync.WaitGroup
	search := func(i int, of *reading, x *index.Index, ended bool, q index.Query) {
		var err error
		if found[i], err = of.search(ctx, x, ended, q); err != nil {
			s.Log.Debug("shelf not searched", "project", s.Root, "shelf", names[i], "err", err)
		}
	}
	if i := slices.Index(names, Commits); i >= 0 {
		ofCommits := q
		ofCommits.Body = bodyOfCommit
		group.Go(func() {
			ended := p.commits.refresh(ctx, c, s.patience())
			search(i, &p.commits.reading, p.commits.index, ended, ofCommits)
		})
	}
	if i := slices.Index(names, Code); i >= 0 {
		group.Go(func() {
			var err error
			if found[i], err = s.searchCode(ctx, q); err != nil {
				s.Log.Debug("shelf not searched", "project", s.Root, "shelf", Code, "err", err)
			}
		})
	}
	if i := slices.Index(names, Documents); i >= 0 { // in this goroutine, since it takes longer and must start at once
		x, ended := p.documents.refresh(ctx, c, s.Sources.Globs, s.patience())
		ofDocuments := q
		ofDocuments.Body, ofDocuments.Around = p.documents.body, p.documents.around
		ofDocuments.Group = func(row index.Row) string { return fileOf(row.Name) }
		ofDocuments.Factor = func(piece string, _ int64) float64 {
			if _, is := s.Superseded()[fileOf(piece)]; is {
				return supersededShare
			}
			return 1
		}
		search(i, &p.documents.reading, x, ended, ofDocuments)
	}
	group.Wait()
	for i, of := range found {
		for n, row := range of.rows {
			when, hit := row.Time, &found[i].Hits[n]
			if names[i] == Documents { // the history has been read by now
				when = p.commits.lastChange(c, s.Tree, row)
				by := s.Superseded()[fileOf(row.Name)]
				hit.By, hit.ByTitle = note.ShowTitle(by.ID), note.ShowTitle(by.Title)
			}
			if !when.IsZero() {
				hit.Age, hit.Date = result.FormatAge(when, s.Now()), when.Format(time.DateOnly)
			}
		}
	}
	return found
}

// begin returns what a search says about the state of an index. It reports whether that is all: an
// index with a single entry is empty, because that entry records what has been read.
func (r *reading) begin(x *index.Index, ended bool) (found Results, done bool) {
	lacks, progress := r.describe(ended)
	switch {
	case lacks != "": // the contents of the index may be of another history
		r.Lock()
		defer r.Unlock()
		return Results{Warning: "no " + r.what + ": " + lacks, stuck: r.stuck}, true
	case progress != "":
		found.Reading = []string{progress}
	}
	return found, x.Len() <= 1
}

// search searches an index. Entries of other types have no words, and filtering by type would cost
// more than the search.
func (r *reading) search(ctx context.Context, x *index.Index, ended bool, q index.Query) (found Results, err error) {
	found, done := r.begin(x, ended)
	if done {
		return found, nil
	}
	hits, err := x.Search(ctx, q)
	if err != nil {
		return found, err
	}
	found.Total, found.Searched = hits.Total, hits.Searched
	found.Lacking = []map[string][]string{hits.Lacking()}
	for _, hit := range hits.Hits {
		if hit.Type == kindDocument || hit.Type == kindCommit {
			b := showHit(hit)
			b.Sure = q.Judge && hit.Verdict.Passes()
			b.Level = hit.Verdict.Level()
			found.Hits, found.rows = append(found.Hits, b), append(found.rows, hit.Row)
		}
	}
	return found, nil
}

// showHit returns a hit as replies show it, without its date. Its texts are single lines without
// hidden characters.
func showHit(hit index.Hit) result.ShelfHit {
	b := result.ShelfHit{
		Ref: note.ShowLabel(hit.ID, result.PathShown), Kind: hit.Type, Title: note.ShowLabel(hit.Title, titleShown), Score: hit.Score, Revision: hit.Revision,
	}
	b.Snippet, b.Marks = result.ShowMarked(trimTitle(hit))
	if hit.Type == kindDocument {
		b.Path, b.Anchor = cutSection(hit.ID)
		return b
	}
	var e commitEntry
	_ = json.Unmarshal(hit.Extra, &e) // written by this package; a damaged entry shows less
	b.Ref, b.Author, b.More = commitRef(hit.Name), note.ShowWord(e.Author), e.More
	b.Files = result.ShowWords(e.Files, titleShown)
	return b
}

// trimTitle removes the title from the beginning of a hit's passage, since the line above shows it.
// If the passage has no other word of the query, nothing is marked.
func trimTitle(hit index.Hit) (passage string, marks [][2]int) {
	if len(hit.Marks) == 0 {
		return hit.Snippet, nil
	}
	start := strings.TrimLeft(hit.Snippet, "#= ")
	for _, words := range []string{hit.Title, hit.Title[strings.LastIndex(hit.Title, ": ")+1:], hit.Title[strings.LastIndex(hit.Title, ", ")+1:]} {
		rest, ok := strings.CutPrefix(start, note.OneLine(words))
		if !ok || start == hit.Snippet && !strings.HasPrefix(rest, ":") {
			continue
		}
		rest = strings.TrimLeft(rest, ": ")
		cut := len(hit.Snippet) - len(rest)
		for _, m := range hit.Marks {
			if m[0] >= cut {
				marks = append(marks, [2]int{m[0] - cut, m[1] - cut})
			}
		}
		return rest, marks
	}
	return hit.Snippet, hit.Marks
}
