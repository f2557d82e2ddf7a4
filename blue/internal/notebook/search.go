package notebook

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"
	"sync"

	"blue/blue/internal/corpus"
	"blue/blue/internal/deliveries"
	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/result"
	"blue/errors"
)

// Query is a search.
type Query struct {
	Text string `json:"query" jsonschema:"\"a phrase\" must occur, -word must not"`
	Selection
	Paging
	In       []string `json:"in,omitempty" jsonschema:"notes, documents, commits, sessions, all, code (lang:go path:x/** symbol:Name kind:func)"`
	Projects []string `json:"projects,omitempty" jsonschema:"also known projects: names or *"`
	Prefix   bool     `json:"-"` // the last word also matches as a prefix
	Explain  bool     `json:"-"`
	Brief    bool     `json:"-"` // three lines of each note, for a narrow place
	Level    bool     `json:"-"` // fill in Hits.Level
}

// SearchLimit is the default number of hits.
const SearchLimit = 10

// queryLimit is the maximum number of bytes in a query: several times the longest stack trace
// that users paste.
const queryLimit = 64 << 10

// Check rejects an empty query and one that is too long. No other query is an error.
func (q Query) Check() error {
	if strings.TrimSpace(q.Text) == "" {
		return errors.Missing("query", "give words to look for").Hint("list", "", "or list notes without a query")
	}
	if len(q.Text) > queryLimit {
		return errors.TooLong("query", len(q.Text), queryLimit, "bytes")
	}
	return nil
}

// RecordFound records which notes a search has found, except for searches that are typed on the
// page.
func (nb *Notebook) RecordFound(hits []result.Hit) {
	if nb.Call.Serving && nb.Call.Door.Terminal {
		return
	}
	var ids []string
	for _, hit := range hits {
		ids = append(ids, hit.ID)
	}
	nb.recordUse(deliveries.Search, ids)
}

// Search finds notes of this project by their words, best first, and documents and commits.
func (nb *Notebook) Search(ctx context.Context, q Query) (h result.Hits, err error) {
	notes, others, err := nb.shelves().Asked(q.In, q.Text)
	if err != nil {
		return h, err
	}
	query := index.Query{Text: q.Text, Prefix: q.Prefix}
	q.Limit = cmp.Or(q.Limit, SearchLimit)
	if !notes {
		h.In = q.In
		err = nb.searchShelves(ctx, &h, query, q, others)
		return h, err
	}
	window, filter, err := nb.openWindow(ctx, "search\x00"+q.Text, q.Selection, q.Paging)
	if err != nil {
		return h, err
	}
	found, also, err := nb.ask(ctx, q, query, filter, others, &window)
	if err != nil {
		return h, err
	}
	also.Hits, h.Above, h.Level = arrange(found.Hits, also.Hits)
	h.About, h.Hits, h.Total, h.Searched = nb.About(), make([]result.Hit, 0, len(found.Hits)), found.Total, found.Searched
	show := nb.shown()
	for _, found := range found.Hits {
		hit := result.Hit{Row: show.row(found.Row), Score: found.Score, Shares: (*result.Shares)(found.Shares)}
		hit.Snippet, hit.Marks = result.ShowMarked(found.Snippet, found.Marks)
		if !window.MakeRoom(len(hit.Snippet) + len(hit.Line())) {
			break
		}
		h.Hits = append(h.Hits, hit)
	}
	if h.Total == 0 {
		h.Warnings = append(h.Warnings, nb.unusedWords(q.Selection)...)
	}
	h.More, h.Cursor = window.CountRest(len(h.Hits), h.Total)
	nb.addShelfHits(&h, also, &window)
	h.Above = min(h.Above, len(h.Also))
	h.Empty, h.Ignored = nb.index.Len() == 0, found.Ignored
	h.TellLacking(q.Text, append(also.Lacking, found.Lacking()))
	nb.tellOfCode(ctx, &h, q)
	return h, nil
}

// ask searches the notes and, at the same time, the other sources. It judges the first notes if
// something may be told instead of them. A query with a type, a tag or a cursor searches notes alone.
func (nb *Notebook) ask(ctx context.Context, q Query, query index.Query, filter index.Filter, others []string, w *result.Window) (notes index.Result, also corpus.Results, err error) {
	var group sync.WaitGroup
	defer group.Wait()
	if len(others) > 0 && q.Type == "" && len(q.Tags) == 0 && q.Cursor == "" {
		ofOthers := query
		ofOthers.Filter.Since = filter.Since
		group.Go(func() { also = nb.shelves().First(ctx, others, max(q.Limit*3/10, 1), ofOthers) }) // 3 for a limit of 10
	}
	texts := nb.store.Texts()
	defer texts.Close()
	query.Filter, query.Explain, query.Offset, query.Limit = filter, q.Explain, w.From, w.Limit
	query.Body, query.Follow = BodyReader(texts.Read), true
	if !q.Brief {
		share := result.SharePassages(w.Room())
		query.Room = func(hits []index.Hit, at int) int { return share(hits[at].Score) }
	}
	notes, err = nb.index.Search(ctx, query)
	group.Wait()
	if q.Level || slices.ContainsFunc(also.Hits, isSure) {
		nb.index.Judge(q.Text, notes.Hits[:min(notesJudged, len(notes.Hits))], query.Body)
	}
	return notes, also, err
}

// notesJudged is the number of notes that are judged before a document or a past session is told.
const notesJudged = 3

// isSure reports whether a document surely answers and is not superseded.
func isSure(b result.ShelfHit) bool { return b.Sure && b.Kind == result.KindDocument && b.By == "" }

// arrange returns the documents and commits of an answer in order, the number of them that stand above
// the notes, and how well the first notes and these answer, as [index.Verdict.Level] tells it. Those
// documents of which [isSure] is true come first, and above the notes if none of the
// first notes passes.
func arrange(notes []index.Hit, also []result.ShelfHit) (ordered []result.ShelfHit, above, level int) {
	passes := len(notes) == 0
	for _, hit := range notes[:min(notesJudged, len(notes))] {
		passes = passes || hit.Verdict.Passes()
		level = max(level, hit.Verdict.Level())
	}
	var sure, rest []result.ShelfHit
	for _, b := range also {
		level = max(level, b.Level)
		if !passes && isSure(b) {
			sure = append(sure, b)
		} else {
			rest = append(rest, b)
		}
	}
	return append(sure, rest...), len(sure), level
}

// identifier matches a query that may be a name in code.
var identifier = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[\pL_][\pL\pN_]{2,}([.:]+[\pL_][\pL\pN_]*)*$`) })

// tellOfCode adds how many files of code hold a query that is one identifier if nothing else answers.
// It reads no code that has not been asked for before.
func (nb *Notebook) tellOfCode(ctx context.Context, h *result.Hits, q Query) {
	word := strings.TrimSpace(q.Text)
	if len(q.In) > 0 || h.Total+len(h.Also)+len(h.Reading) > 0 || !identifier().MatchString(word) {
		return
	}
	h.InCode, h.Word = nb.shelves().CountHolding(ctx, word), note.ShowWord(word)
}

// searchShelves answers a query that asks for documents or commits and not for notes.
func (nb *Notebook) searchShelves(ctx context.Context, h *result.Hits, query index.Query, q Query, names []string) error {
	if q.Type != "" || len(q.Tags) > 0 {
		return errors.Exclusive("in", "type", "tags")
	}
	q.About = Facts{}
	window, filter, err := nb.openWindow(ctx, "shelves\x00"+query.Text+"\x00"+strings.Join(names, " "), q.Selection, q.Paging)
	if err != nil {
		return err
	}
	query.Filter, query.Limit = filter, window.From+window.Limit
	found := nb.shelves().Search(ctx, names, query)
	h.About, h.Hits, h.Also, h.Total, h.Searched = nb.About(), []result.Hit{}, []result.ShelfHit{}, found.Total, found.Searched
	found.Hits = found.Hits[min(window.From, len(found.Hits)):]
	found.Hits = found.Hits[:min(window.Limit, len(found.Hits))]
	nb.addShelfHits(h, found, &window)
	h.TellLacking(query.Text, found.Lacking)
	h.More, h.Cursor = window.CountRest(len(h.Also), h.Total)
	return nil
}

// addShelfHits adds documents, commits and places in code to an answer, as far as there is room.
func (nb *Notebook) addShelfHits(h *result.Hits, found corpus.Results, w *result.Window) {
	h.Reading = append(h.Reading, found.Reading...)
	h.Uses = found.Uses
	if found.Warning != "" {
		h.Warnings = append(h.Warnings, found.Warning)
	}
	files := nb.citedFiles()
	for _, hit := range found.Hits {
		hit.Notes = nb.reasons(files, hit)
		if len(h.Also) > 0 && !w.MakeRoom(len(hit.Lines())) {
			return
		}
		h.Also = append(h.Also, hit)
	}
}
