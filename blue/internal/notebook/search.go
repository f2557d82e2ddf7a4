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
	"blue/blue/internal/result"
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
	notes, others, err := nb.beside().Asked(q.In, q.Text)
	if err != nil {
		return h, err
	}
	query := index.Query{Text: q.Text, Prefix: q.Prefix}
	q.Limit = cmp.Or(q.Limit, SearchLimit)
	if !notes {
		h.In = q.In
		err = nb.searchBeside(ctx, &h, query, q, others)
		return h, err
	}
	inLine := make(chan struct{})
	letGo := sync.OnceFunc(func() { close(inLine) })
	defer letGo()
	beside := nb.startBeside(ctx, query, q, others, inLine)
	window, filter, err := nb.openWindow(ctx, "search\x00"+q.Text, q.Selection, q.Paging)
	if err != nil {
		return h, err
	}
	letGo()
	texts := nb.store.Texts()
	defer texts.Close()
	query.Filter, query.Explain, query.Offset, query.Limit = filter, q.Explain, window.From, window.Limit
	query.Body, query.Follow = BodyReader(texts.Read), true
	if !q.Brief {
		share := result.SharePassages(window.Room())
		query.Room = func(hits []index.Hit, at int) int { return share(hits[at].Score) }
	}
	found, err := nb.index.Search(ctx, query)
	if err != nil {
		return h, err
	}
	h = result.Hits{About: nb.About(), Ranked: result.Ranked{Hits: make([]result.Hit, 0, len(found.Hits))}, Total: found.Total, Searched: found.Searched}
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
	also := beside()
	if len(h.Hits) > 0 {
		h.Above = nb.raiseDocuments(ctx, also.Hits, query)
	}
	nb.addBeside(&h, also, &window)
	h.Above = min(h.Above, len(h.Also))
	h.Empty, h.Ignored = nb.index.Len() == 0, found.Ignored
	h.TellLacking(q.Text, append(also.Lacking, found.Lacking()))
	nb.tellOfCode(ctx, &h, q)
	return h, nil
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
	h.InCode, h.Word = nb.beside().CountHolding(ctx, word), note.ShowWord(word)
}

// startBeside starts a search of documents and commits. The caller closes inLine once the index
// of the notes, which knows the superseded documents, is up to date. A query with a type, a tag
// or a cursor searches notes alone.
func (nb *Notebook) startBeside(ctx context.Context, query index.Query, q Query, names []string, inLine <-chan struct{}) (wait func() corpus.Results) {
	if len(names) == 0 || q.Type != "" || len(q.Tags) > 0 || q.Cursor != "" {
		return func() corpus.Results { return corpus.Results{} }
	}
	query.Filter.Since, _ = result.ParseSince(q.Since, nb.o.Now())
	beside := nb.beside()
	beside.Superseded = func() map[string]index.Row {
		<-inLine
		return nb.index.SupersededDocuments()
	}
	return beside.Start(ctx, names, max(q.Limit*3/10, 1), query) // 3 for a limit of 10
}

// searchBeside answers a query that asks for documents or commits and not for notes.
func (nb *Notebook) searchBeside(ctx context.Context, h *result.Hits, query index.Query, q Query, names []string) error {
	if q.Type != "" || len(q.Tags) > 0 {
		return errors.Exclusive("in", "type", "tags")
	}
	q.About = Facts{}
	window, filter, err := nb.openWindow(ctx, "beside\x00"+query.Text+"\x00"+strings.Join(names, " "), q.Selection, q.Paging)
	if err != nil {
		return err
	}
	query.Filter, query.Limit = filter, window.From+window.Limit
	found := nb.beside().Search(ctx, names, query)
	h.About, h.Hits, h.Also, h.Total, h.Searched = nb.About(), []result.Hit{}, []result.Beside{}, found.Total, found.Searched
	found.Hits = found.Hits[min(window.From, len(found.Hits)):]
	found.Hits = found.Hits[:min(window.Limit, len(found.Hits))]
	nb.addBeside(h, found, &window)
	h.TellLacking(query.Text, found.Lacking)
	h.More, h.Cursor = window.CountRest(len(h.Also), h.Total)
	return nil
}

// notesJudged is the number of notes that are judged before a document is put above them.
const notesJudged = 3

// raiseDocuments moves documents that surely answer to the front if no note does, and returns
// their number.
func (nb *Notebook) raiseDocuments(ctx context.Context, found []result.Beside, query index.Query) (above int) {
	isSure := func(b result.Beside) bool { return b.Sure && b.Kind == result.KindDocument && b.By == "" }
	if !slices.ContainsFunc(found, isSure) {
		return 0
	}
	query.Judge, query.Offset, query.Limit, query.Room = true, 0, notesJudged, func([]index.Hit, int) int { return 0 }
	notes, err := nb.index.Search(ctx, query)
	if err != nil || slices.ContainsFunc(notes.Hits, func(h index.Hit) bool { return h.Verdict.Passes() }) {
		return 0
	}
	rest := slices.DeleteFunc(slices.Clone(found), isSure)
	sure := slices.DeleteFunc(found, func(b result.Beside) bool { return !isSure(b) })
	above = len(sure)
	copy(found, slices.Concat(sure, rest))
	return above
}

// AnswerLevel returns how well a note answers a query, as [index.Verdict.Level] does.
func (nb *Notebook) AnswerLevel(ctx context.Context, query string) (level int) {
	texts := nb.store.Texts()
	defer texts.Close()
	found, err := nb.index.Search(ctx, index.Query{Text: query, Judge: true, Limit: notesJudged, Passages: index.Passages{
		Body: BodyReader(texts.Read), Room: func([]index.Hit, int) int { return 0 },
	}})
	if err != nil {
		nb.o.Log.Debug("notes not judged", "project", nb.Found.Root, "err", err)
	}
	for _, hit := range found.Hits {
		level = max(level, hit.Verdict.Level())
	}
	return level
}

// addBeside adds documents, commits and places in code to an answer, as far as there is room.
func (nb *Notebook) addBeside(h *result.Hits, found corpus.Results, w *result.Window) {
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
