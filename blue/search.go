package blue

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"blue/blue/internal/catalog"
	"blue/blue/internal/deliveries"
	"blue/blue/internal/index"
	"blue/blue/internal/reply"
	"blue/errors"
)

// Query is a search.
type Query struct {
	Text      string   `json:"query" jsonschema:"\"a phrase\" must occur, -word must not"`
	Type      string   `json:"type,omitempty"`
	Tags      []string `json:"tags,omitempty" jsonschema:"all of them"`
	Since     string   `json:"since,omitempty" jsonschema:"2026-01-31, 7d or 12h"`
	Limit     int      `json:"limit,omitempty"`
	MaxTokens int      `json:"max_tokens,omitempty"`
	Cursor    string   `json:"cursor,omitempty"`
	In        []string `json:"in,omitempty" jsonschema:"notes, documents, commits"`
	Projects  []string `json:"projects,omitempty" jsonschema:"also known projects: names or *"`
	Prefix    bool     `json:"-"` // the last word also as the start of words
	Explain   bool     `json:"-"`
	About     Facts    `json:"-"`
	Whole     bool     `json:"-"` // as in [Filter]
	Brief     bool     `json:"-"` // three lines of each note, for a place that is narrow
}

// searchLimit is how many hits a search names unless it is asked for others.
const searchLimit = 10

// queryLimit is the length of a query in bytes: several times that of the longest
// stack trace that somebody pastes.
const queryLimit = 64 << 10

// Row is a note in a list.
type Row = reply.Row

// Hit is a note that a search found.
type Hit = reply.Hit

// Beside is a document or a commit that a search found.
type Beside = reply.Beside

// BesideHeading stands above documents and commits that follow notes.
const BesideHeading = reply.BesideHeading

// Shares are the parts of a score; they add up to it.
type Shares = reply.Shares

// Hits is the answer to a search.
type Hits = reply.Hits

// Search finds notes by their words, best first. No query is an
// error but an empty one.
func (p *Project) Search(ctx context.Context, q Query) (h Hits, err error) {
	defer p.NameProject(&err)
	if strings.TrimSpace(q.Text) == "" {
		return h, errors.Missing("query", "give words to look for").Hint("list", "", "or list notes without a query")
	}
	if len(q.Text) > queryLimit {
		return h, errors.TooLong("query", len(q.Text), queryLimit, "bytes")
	}
	others, err := p.otherProjects(q)
	if err != nil {
		return h, err
	}
	defer func() {
		if typed := p.call.Serving && p.call.Door.Terminal; !typed { // letter by letter, on the page
			var ids []string
			for _, hit := range h.Hits {
				ids = append(ids, hit.ID)
			}
			p.recordUse(deliveries.Search, ids)
		}
	}()
	if len(others) == 0 {
		return p.searchOwn(ctx, q)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	q, wait := p.searchElsewhere(ctx, others, q)
	if h, err = p.searchOwn(ctx, q); err == nil {
		wait(&h)
	}
	return h, err
}

// searchOwn is [Project.Search] in this project alone.
func (p *Project) searchOwn(ctx context.Context, q Query) (h Hits, err error) {
	notes, others, err := p.beside().Asked(q.In)
	if err != nil {
		return h, err
	}
	if !notes {
		return p.searchBeside(ctx, q, others)
	}
	inLine := make(chan struct{})
	letGo := sync.OnceFunc(func() { close(inLine) })
	defer letGo()
	beside := p.startBeside(ctx, q, others, inLine)
	f := Filter{Type: q.Type, Tags: q.Tags, Since: q.Since, About: q.About, Limit: cmp.Or(q.Limit, searchLimit), MaxTokens: q.MaxTokens, Cursor: q.Cursor, Whole: q.Whole}
	window, filter, err := p.openWindow(ctx, f, "search\x00"+q.Text)
	if err != nil {
		return h, err
	}
	letGo()
	texts := p.store.Texts()
	defer texts.Close()
	query := index.Query{Text: q.Text, Filter: filter, Prefix: q.Prefix, Explain: q.Explain, Offset: window.From, Limit: window.Limit, Body: catalog.BodyReader(texts.Read), Successor: p.index.SuccessorName}
	if !q.Brief {
		share := reply.SharePassages(window.Room())
		query.Room = func(hits []index.Hit, at int) int { return share(hits[at].Score) }
	}
	found, err := p.index.Search(ctx, query)
	if err != nil {
		return h, err
	}
	h = Hits{About: p.About(), Hits: make([]Hit, 0, len(found.Hits)), Total: found.Total, Searched: found.Searched, Ignored: found.Ignored}
	show := p.shown()
	for _, found := range found.Hits {
		hit := Hit{Row: show.Row(found.Row), Score: found.Score, Shares: (*Shares)(found.Shares)}
		hit.Snippet, hit.Marks = reply.ShowMarked(found.Snippet, found.Marks)
		if !window.MakeRoom(len(hit.Snippet) + len(hit.Line())) {
			break
		}
		h.Hits = append(h.Hits, hit)
	}
	h.More, h.Cursor = window.CountRest(len(h.Hits), h.Total)
	also := beside()
	if len(h.Hits) > 0 {
		h.Above = p.raiseDocuments(ctx, also.Hits, query)
	}
	addBeside(&h, also, &window)
	h.Above = min(h.Above, len(h.Also))
	h.Empty = p.index.Len() == 0
	h.TellLacking(q.Text, append(also.Lacking, found.Lacking()))
	return h, nil
}
