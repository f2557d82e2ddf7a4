package blue

import (
	"cmp"
	"context"
	"path/filepath"
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
		Home: p.b.o.Home, Git: filepath.Join(cmp.Or(p.b.Env("XDG_CONFIG_HOME"), filepath.Join(p.b.o.Home, ".config")), "git"), Server: p.isServed(), Now: p.b.o.Now, Log: p.b.o.Log, Opened: &p.shelves,
	}
}

// startBeside begins to search what lies beside the notes. Notes that are filtered by what
// only notes have, or were asked for further, stand alone.
func (p *Project) startBeside(ctx context.Context, q Query, names []string) (wait func() shelves.Found) {
	if len(names) == 0 || q.Type != "" || len(q.Tags) > 0 || q.Cursor != "" {
		return func() shelves.Found { return shelves.Found{} }
	}
	since, _ := reply.ParseSince(q.Since, p.b.o.Now())
	return p.beside().Start(ctx, names, index.Query{Text: q.Text, Filter: index.Filter{Since: since}, Prefix: q.Prefix})
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
	h.More, h.Cursor = window.CountRest(len(h.Also), h.Total)
	return h, nil
}

// addBeside adds what lies beside the notes to an answer, as much as has room.
func addBeside(h *Hits, found shelves.Found, w *reply.Window) {
	h.Reading = append(h.Reading, found.Reading...)
	if len(h.Reading) > 0 {
		h.Unmatched = nil // as long as not all words have been seen
	}
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
