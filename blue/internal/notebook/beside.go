package notebook

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue/internal/corpus"
	"blue/blue/internal/index"
	"blue/blue/internal/result"
	"blue/errors"
)

// beside are the documents and commits of the project.
func (nb *Notebook) beside() corpus.Corpus {
	tree := nb.workTree()
	return corpus.Corpus{
		Root: nb.Found.Root, Tree: tree, Sources: nb.Found.Shelves, Cache: nb.o.IndexDir(nb.Found.ID, tree),
		Superseded: nb.superseded, Home: nb.o.Home, Git: filepath.Join(cmp.Or(nb.o.Env("XDG_CONFIG_HOME"), filepath.Join(nb.o.Home, ".config")), "git"), Server: nb.isServed(), Now: nb.o.Now, Log: nb.o.Log, Indexes: &nb.corpus,
	}
}

// superseded are the documents that notes supersede, by path, each with the newest such note.
func (nb *Notebook) superseded() map[string]index.Row { return nb.index.SupersededDocuments() }

// startBeside starts a search of documents and commits. The caller closes inLine once the index of
// the notes is up to date, which knows the superseded documents. A query with a type, a tag or a
// cursor searches notes alone.
func (nb *Notebook) startBeside(ctx context.Context, q Query, names []string, inLine <-chan struct{}) (wait func() corpus.Results) {
	if len(names) == 0 || q.Type != "" || len(q.Tags) > 0 || q.Cursor != "" {
		return func() corpus.Results { return corpus.Results{} }
	}
	since, _ := result.ParseSince(q.Since, nb.o.Now())
	most := max(cmp.Or(q.Limit, searchLimit)*3/10, 1) // 3 for a limit of 10
	beside := nb.beside()
	beside.Superseded = func() map[string]index.Row {
		<-inLine
		return nb.superseded()
	}
	return beside.Start(ctx, names, most, index.Query{Text: q.Text, Filter: index.Filter{Since: since}, Prefix: q.Prefix})
}

// searchBeside answers a query that asks what lies beside the notes and not them.
func (nb *Notebook) searchBeside(ctx context.Context, q Query, names []string) (h result.Hits, err error) {
	if q.Type != "" || len(q.Tags) > 0 {
		return h, errors.Exclusive("in", "type", "tags")
	}
	f := Filter{Since: q.Since, Limit: cmp.Or(q.Limit, searchLimit), MaxTokens: q.MaxTokens, Cursor: q.Cursor, Whole: q.Whole}
	window, filter, err := nb.openWindow(ctx, f, "beside\x00"+q.Text+"\x00"+strings.Join(names, " "))
	if err != nil {
		return h, err
	}
	found := nb.beside().Search(ctx, names, index.Query{Text: q.Text, Filter: filter, Prefix: q.Prefix, Limit: window.From + window.Limit})
	h = result.Hits{About: nb.About(), Ranked: result.Ranked{Hits: []result.Hit{}, Also: []result.Beside{}}, In: q.In, Total: found.Total, Searched: found.Searched}
	found.Hits = found.Hits[min(window.From, len(found.Hits)):]
	found.Hits = found.Hits[:min(window.Limit, len(found.Hits))]
	addBeside(&h, found, &window)
	h.TellLacking(q.Text, found.Lacking)
	h.More, h.Cursor = window.CountRest(len(h.Also), h.Total)
	return h, nil
}

// notesJudged is how many notes are judged before a document is put above them.
const notesJudged = 3

// raiseDocuments moves documents that surely answer to the front if no note does, and returns their
// count.
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

// addBeside adds what lies beside the notes to an answer, as much as has room.
func addBeside(h *result.Hits, found corpus.Results, w *result.Window) {
	h.Reading = append(h.Reading, found.Reading...)
	if found.Warning != "" {
		h.Warnings = append(h.Warnings, found.Warning)
	}
	for _, hit := range found.Hits {
		if len(h.Also) > 0 && !w.MakeRoom(len(hit.Lines())) {
			return
		}
		h.Also = append(h.Also, hit)
	}
}
