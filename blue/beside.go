package blue

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
	"blue/blue/internal/trust"
	"blue/errors"
	"blue/marker"
)

const (
	besideMost    = 3   // documents and commits that are shown below the notes
	besideSure    = 4   // of each shelf that are looked at for them
	besideTitle   = 120 // characters of a title
	besidePassage = 200 // characters of a passage
)

// askedShelves checks which shelves a query asks; others tells those beside the notes.
func (p *Project) askedShelves(q Query) (notes bool, others []string, err error) {
	for _, name := range q.In {
		switch name {
		case shelfNotes:
			notes = true
		case shelfDocuments, shelfCommits:
			if !slices.Contains(others, name) {
				others = append(others, name)
			}
		default:
			return false, nil, errors.BadValue("in", name, "notes, documents or commits")
		}
	}
	if len(q.In) == 0 {
		notes, others = true, []string{shelfDocuments, shelfCommits}
	}
	left := p.found.Shelves
	others = slices.DeleteFunc(others, func(name string) bool {
		return name == shelfDocuments && left.NoDocuments || name == shelfCommits && left.NoCommits
	})
	return notes, others, nil
}

// besideFound is what a search of some shelves found.
type besideFound struct {
	hits            []reply.Beside
	total, searched int
	warning         string // what is not there yet
}

// startBeside searches shelves beside the notes, at the same time; the function that it
// returns waits for the answer. Notes that are filtered by what only notes have, or were
// asked for further, stand alone.
func (p *Project) startBeside(ctx context.Context, q Query, shelves []string) (wait func() besideFound) {
	if len(shelves) == 0 || q.Type != "" || len(q.Tags) > 0 || q.Cursor != "" {
		return func() besideFound { return besideFound{} }
	}
	since, _ := reply.ParseSince(q.Since, p.b.o.Now())
	answer := make(chan besideFound, 1)
	go func() {
		answer <- p.searchShelves(ctx, shelves, index.Query{Text: q.Text, Filter: index.Filter{Since: since}, Prefix: q.Prefix, Limit: besideSure, Sure: true})
	}()
	return func() besideFound {
		found := <-answer
		if !strings.HasPrefix(found.warning, reading) {
			found.warning = "" // blue where has it
		}
		seen := map[string]bool{}
		found.hits = slices.DeleteFunc(found.hits, func(b reply.Beside) bool {
			document, _, _ := strings.Cut(b.Ref, "#") // of which one section is enough
			again := seen[document]
			seen[document] = true
			return again
		})
		found.hits = found.hits[:min(len(found.hits), besideMost)]
		return found
	}
}

// searchShelves searches shelves, both at the same time, and puts what they found in one
// order. What a shelf fails at is left out: the notes are answered whatever becomes of it.
func (p *Project) searchShelves(ctx context.Context, names []string, q index.Query) (all besideFound) {
	s, err := p.shelves()
	if err != nil {
		p.b.o.Log.Debug("shelves not opened", "project", p.found.Root, "err", err)
		return all
	}
	found, c := make([]besideFound, len(names)), p.checkout()
	var group sync.WaitGroup
	for i, name := range names {
		group.Go(func() {
			var err error
			if name == shelfCommits {
				found[i], err = p.searchCommits(ctx, &s.commits, c, q)
			} else {
				found[i], err = p.searchDocuments(ctx, &s.documents, c, q)
			}
			if err != nil {
				p.b.o.Log.Debug("shelf not searched", "project", p.found.Root, "shelf", name, "err", err)
			}
		})
	}
	group.Wait()
	for _, f := range found {
		all.hits = append(all.hits, f.hits...)
		all.total += f.total
		all.searched += f.searched
		all.warning = cmp.Or(all.warning, f.warning)
	}
	slices.SortStableFunc(all.hits, func(a, b reply.Beside) int { return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Ref, b.Ref)) })
	return all
}

// searchDocuments searches the documents.
func (p *Project) searchDocuments(ctx context.Context, s *documentShelf, c marker.Checkout, q index.Query) (besideFound, error) {
	x, err := s.refresh(ctx, c, p.found.Shelves.Globs)
	if err != nil {
		return besideFound{}, err
	}
	q.Body = s.body
	return p.searchShelf(ctx, x, q)
}

// searchCommits searches the commits that have been read.
func (p *Project) searchCommits(ctx context.Context, s *commitShelf, c marker.Checkout, q index.Query) (besideFound, error) {
	s.refresh(ctx, c, p.patience())
	lacks := s.describe()
	if lacks != "" && !strings.HasPrefix(lacks, reading) {
		return besideFound{warning: "no commits: " + lacks}, nil // what the index holds is of another history
	}
	q.Body = s.body
	found, err := p.searchShelf(ctx, s.index, q)
	found.warning = lacks
	return found, err
}

// searchShelf searches an index that is in line, for sure answers alone when the query asks
// how sure they are. Entries of another type have no words: to filter by type would cost
// more than the search.
func (p *Project) searchShelf(ctx context.Context, x *index.Index, q index.Query) (found besideFound, err error) {
	r, err := x.Search(ctx, q)
	if err != nil {
		return found, err
	}
	found.total, found.searched = r.Total, r.Searched
	for _, hit := range r.Hits {
		if known := hit.Type == kindDocument || hit.Type == kindCommit; known && (!q.Sure || hit.Sure >= 1) {
			found.hits = append(found.hits, p.showBeside(hit))
		}
	}
	return found, nil
}

// searchBeside answers a query that asks shelves and not the notes.
func (p *Project) searchBeside(ctx context.Context, q Query, shelves []string) (h Hits, err error) {
	if q.Type != "" || len(q.Tags) > 0 {
		return h, errors.Exclusive("in", "type", "tags")
	}
	f := Filter{Since: q.Since, Limit: cmp.Or(q.Limit, searchLimit), MaxTokens: q.MaxTokens, Cursor: q.Cursor}
	window, filter, err := p.openWindow(ctx, f, "beside\x00"+q.Text+"\x00"+strings.Join(shelves, " "))
	if err != nil {
		return h, err
	}
	found := p.searchShelves(ctx, shelves, index.Query{Text: q.Text, Filter: filter, Prefix: q.Prefix, Limit: window.From + window.Limit})
	h = Hits{About: p.About(), Hits: []Hit{}, In: q.In, Also: []reply.Beside{}, Total: found.total, Searched: found.searched}
	warnBeside(&h, found)
	rest := found.hits[min(window.From, len(found.hits)):]
	for _, hit := range rest[:min(window.Limit, len(rest))] {
		if !window.MakeRoom(len(hit.Lines())) {
			break
		}
		h.Also = append(h.Also, hit)
	}
	h.More, h.Cursor = window.CountRest(len(h.Also), h.Total)
	return h, nil
}

// addBeside puts what lies on the shelves below the notes.
func addBeside(h *Hits, found besideFound, w *reply.Window) {
	warnBeside(h, found)
	for _, hit := range found.hits {
		if len(h.Also) > 0 && !w.MakeRoom(len(hit.Lines())) {
			return
		}
		h.Also = append(h.Also, hit)
	}
}

func warnBeside(h *Hits, found besideFound) {
	if found.warning != "" {
		h.Warnings = append(h.Warnings, found.warning)
	}
}

// showBeside shows a hit of a shelf: its texts on one line each, and visible.
func (p *Project) showBeside(hit index.Hit) reply.Beside {
	b := reply.Beside{
		Ref: note.ShowLabel(hit.ID, reply.PathShown), Kind: hit.Type, Title: note.ShowLabel(hit.Title, besideTitle), Age: reply.FormatAge(hit.Time, p.b.o.Now()),
		Date: hit.Time.Format(time.DateOnly), Score: hit.Score, Origin: trust.Repository,
	}
	b.Snippet = Label(trimTitle(note.OneLine(hit.Snippet), hit.Title), besidePassage)
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
