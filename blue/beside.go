package blue

import (
	"cmp"
	"context"
	"path/filepath"
	"slices"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/reply"
	"blue/blue/internal/shelves"
	"blue/errors"
)

// beside are the documents and commits of the project.
func (p *Project) beside() shelves.Shelves {
	tree := p.workTree()
	return shelves.Shelves{
		Root: p.found.Root, Tree: tree, Sources: p.found.Shelves, Cache: p.b.indexDir(p.found.ID, tree),
		Superseded: p.superseded, Home: p.b.o.Home, Git: filepath.Join(cmp.Or(p.b.Env("XDG_CONFIG_HOME"), filepath.Join(p.b.o.Home, ".config")), "git"), Server: p.isServed(), Now: p.b.o.Now, Log: p.b.o.Log, Opened: &p.shelves,
	}
}

// superseded are the documents that notes supersede, by path, each with the newest such note.
func (p *Project) superseded() map[string]index.Row { return p.index.SupersededDocuments() }

// startBeside starts a search of the documents and commits. The caller closes inLine once
// the index of the notes is up to date, which says what documents they supersede. Queries with
// a type, a tag or a cursor ask for notes alone.
func (p *Project) startBeside(ctx context.Context, q Query, names []string, inLine <-chan struct{}) (wait func() shelves.Found) {
	if len(names) == 0 || q.Type != "" || len(q.Tags) > 0 || q.Cursor != "" {
		return func() shelves.Found { return shelves.Found{} }
	}
	since, _ := reply.ParseSince(q.Since, p.b.o.Now())
	most := max(cmp.Or(q.Limit, searchLimit)*3/10, 1) // 3 for a limit of 10
	beside := p.beside()
	beside.Superseded = func() map[string]index.Row {
		<-inLine
		return p.superseded()
	}
	return beside.Start(ctx, names, most, index.Query{Text: q.Text, Filter: index.Filter{Since: since}, Prefix: q.Prefix})
}

// searchBeside answers a query that asks what lies beside the notes and not them.
func (p *Project) searchBeside(ctx context.Context, q Query, names []string) (h Hits, err error) {
	if q.Type != "" || len(q.Tags) > 0 {
		return h, errors.Exclusive("in", "type", "tags")
	}
	f := Filter{Since: q.Since, Limit: cmp.Or(q.Limit, searchLimit), MaxTokens: q.MaxTokens, Cursor: q.Cursor, Whole: q.Whole}
	window, filter, err := p.openWindow(ctx, f, "beside\x00"+q.Text+"\x00"+strings.Join(names, " "))
	if err != nil {
		return h, err
	}
	found := p.beside().Search(ctx, names, index.Query{Text: q.Text, Filter: filter, Prefix: q.Prefix, Limit: window.From + window.Limit})
	h = Hits{About: p.About(), Hits: []Hit{}, In: q.In, Also: []reply.Beside{}, Total: found.Total, Searched: found.Searched}
	found.Hits = found.Hits[min(window.From, len(found.Hits)):]
	found.Hits = found.Hits[:min(window.Limit, len(found.Hits))]
	addBeside(&h, found, &window)
	h.TellLacking(q.Text, found.Lacking)
	h.More, h.Cursor = window.CountRest(len(h.Also), h.Total)
	return h, nil
}

// notesJudged is how many notes are judged before a document is put above them.
const notesJudged = 3

// raiseDocuments puts documents that surely answer above the notes when no note does, and
// returns how many.
func (p *Project) raiseDocuments(ctx context.Context, found []reply.Beside, query index.Query) (above int) {
	isSure := func(b reply.Beside) bool { return b.Sure && b.Kind == reply.KindDocument && b.By == "" }
	if !slices.ContainsFunc(found, isSure) {
		return 0
	}
	query.Judge, query.Offset, query.Limit, query.Room = true, 0, notesJudged, func([]index.Hit, int) int { return 0 }
	notes, err := p.index.Search(ctx, query)
	if err != nil || slices.ContainsFunc(notes.Hits, func(h index.Hit) bool { return h.Verdict.Passes() }) {
		return 0
	}
	rest := slices.DeleteFunc(slices.Clone(found), isSure)
	sure := slices.DeleteFunc(found, func(b reply.Beside) bool { return !isSure(b) })
	above = len(sure)
	copy(found, slices.Concat(sure, rest))
	return above
}

// addBeside adds what lies beside the notes to an answer, as much as has room.
func addBeside(h *Hits, found shelves.Found, w *reply.Window) {
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
