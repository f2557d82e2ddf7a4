package shelves

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"sync"
	"time"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/reply"
	"blue/marker"
)

const (
	besideMost    = 3   // documents and commits that are shown below the notes
	besideJudged  = 4   // of each shelf that are judged
	besideTitle   = 120 // characters of a title
	besidePassage = 200 // characters of a passage
)

// Found is what a search of some shelves found.
type Found struct {
	Hits            []reply.Beside
	Total, Searched int
	Warning         string   // why there is nothing
	Reading         []string // what is not all there yet
}

// Start begins to search shelves for what surely answers, beside a search of the notes; the
// function that it returns waits for the answer.
func (s Shelves) Start(ctx context.Context, names []string, q index.Query) (wait func() Found) {
	q.Limit, q.Judge = besideJudged, true
	answer := make(chan Found, 1)
	go func() { answer <- s.Search(ctx, names, q) }()
	return func() Found {
		found := <-answer
		seen := map[string]bool{}
		found.Hits = slices.DeleteFunc(found.Hits, func(b reply.Beside) bool {
			document, _, _ := strings.Cut(b.Ref, "#") // of which one section is enough
			again := seen[document]
			seen[document] = true
			return again
		})
		found.Hits = found.Hits[:min(len(found.Hits), besideMost)]
		return found
	}
}

// Search searches shelves, both at the same time, and puts what they found in one order.
// What a shelf fails at is left out: the notes are answered whatever becomes of it.
func (s Shelves) Search(ctx context.Context, names []string, q index.Query) (all Found) {
	p := s.open()
	found, c := make([]Found, len(names)), s.checkout()
	var group sync.WaitGroup
	search := func(i int, of func(context.Context, *pair, marker.Checkout, index.Query) (Found, error)) {
		var err error
		if found[i], err = of(ctx, p, c, q); err != nil {
			s.Log.Debug("shelf not searched", "project", s.Root, "shelf", names[i], "err", err)
		}
	}
	if i := slices.Index(names, Commits); i >= 0 {
		group.Go(func() { search(i, s.searchCommits) })
	}
	if i := slices.Index(names, Documents); i >= 0 {
		search(i, s.searchDocuments) // here, for they take longer, and begin at once
	}
	group.Wait()
	var warnings []string
	for _, f := range found {
		all.Hits = append(all.Hits, f.Hits...)
		all.Total += f.Total
		all.Searched += f.Searched
		all.Reading = append(all.Reading, f.Reading...)
		if f.Warning != "" {
			warnings = append(warnings, f.Warning)
		}
	}
	all.Warning = strings.Join(warnings, "; ")
	slices.SortStableFunc(all.Hits, func(a, b reply.Beside) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Ref, b.Ref)) })
	return all
}

func (s Shelves) searchDocuments(ctx context.Context, p *pair, c marker.Checkout, q index.Query) (found Found, err error) {
	of := &p.documents
	x, ended := of.refresh(ctx, c, s.Sources.Globs, s.patience())
	lacks, progress := of.describe(ended)
	if lacks != "" {
		return of.lacking(q, "no documents: "+lacks), nil
	}
	q.Body = of.body
	found, err = s.searchIndex(ctx, x, q)
	if progress != "" {
		found.Reading = []string{progress}
	}
	return found, err
}

func (s Shelves) searchCommits(ctx context.Context, p *pair, c marker.Checkout, q index.Query) (found Found, err error) {
	of := &p.commits
	ended := of.refresh(ctx, c, s.patience())
	lacks, progress := of.describe(ended)
	if lacks != "" {
		return of.lacking(q, "no commits: "+lacks), nil // what the index holds is of another history
	}
	q.Body = of.body
	found, err = s.searchIndex(ctx, of.index, q)
	if progress != "" {
		found.Reading = []string{progress}
	}
	return found, err
}

// lacking is what is found on a shelf that has nothing. Beside the notes nothing is said of
// it, for blue where does, unless git would wait for a file.
func (r *reading) lacking(q index.Query, why string) (found Found) {
	r.Lock()
	defer r.Unlock()
	if !q.Judge || r.stuck {
		found.Warning = why
	}
	return found
}

// searchIndex searches an index that is in line, for sure answers alone when the query asks
// how sure they are; beside one entry, which says what has been read, there is none. Entries
// of another type have no words: to filter by type would cost more than the search.
func (s Shelves) searchIndex(ctx context.Context, x *index.Index, q index.Query) (found Found, err error) {
	if q.Judge && x.Len() <= 1 {
		return found, nil
	}
	r, err := x.Search(ctx, q)
	if err != nil {
		return found, err
	}
	found.Total, found.Searched = r.Total, r.Searched
	for _, hit := range r.Hits {
		if known := hit.Type == kindDocument || hit.Type == kindCommit; known && (!q.Judge || hit.Verdict.Passes()) {
			found.Hits = append(found.Hits, s.showHit(hit))
		}
	}
	return found, nil
}

// showHit shows a hit of a shelf: its texts on one line each, and visible.
func (s Shelves) showHit(hit index.Hit) reply.Beside {
	b := reply.Beside{
		Ref: note.ShowLabel(hit.ID, reply.PathShown), Kind: hit.Type, Title: note.ShowLabel(hit.Title, besideTitle), Age: reply.FormatAge(hit.Time, s.Now()),
		Date: hit.Time.Format(time.DateOnly), Score: hit.Score,
	}
	b.Snippet = note.ShowLabel(trimTitle(note.OneLine(hit.Snippet), hit.Title), besidePassage)
	if hit.Type == kindDocument {
		return b
	}
	var e commitEntry
	_ = json.Unmarshal(hit.Extra, &e) // our own bytes; a damaged entry shows less
	b.Ref, b.Author, b.More = commitRef(hit.Name), note.ShowWord(e.Author), e.More
	b.Files = reply.ShowWords(e.Files, besideTitle)
	return b
}

// trimTitle takes the title off the beginning of a passage: the line above has it.
func trimTitle(passage, title string) string {
	start := strings.TrimLeft(passage, "#= ")
	for _, words := range []string{title, title[strings.LastIndex(title, ": ")+1:]} {
		if rest, ok := strings.CutPrefix(start, note.OneLine(words)); ok {
			return strings.TrimSpace(rest)
		}
	}
	return passage
}
