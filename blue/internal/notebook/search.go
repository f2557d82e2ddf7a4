package notebook

import (
	"cmp"
	"context"
	"strings"
	"sync"

	"blue/blue/internal/deliveries"
	"blue/blue/internal/index"
	"blue/blue/internal/result"
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
	Told      bool     `json:"-"` // say of each hit whether it may be told unasked
}

// searchLimit is how many hits a search names unless it is asked for others.
const searchLimit = 10

// queryLimit is the most bytes of a query: several times the longest stack trace that somebody
// pastes.
const queryLimit = 64 << 10

// Check refuses an empty query, and one that is too long. No other query is an error.
func (q Query) Check() error {
	if strings.TrimSpace(q.Text) == "" {
		return errors.Missing("query", "give words to look for").Hint("list", "", "or list notes without a query")
	}
	if len(q.Text) > queryLimit {
		return errors.TooLong("query", len(q.Text), queryLimit, "bytes")
	}
	return nil
}

// RecordFound records which notes a search has found, except while somebody types on the page.
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
	notes, others, err := nb.beside().Asked(q.In)
	if err != nil {
		return h, err
	}
	if !notes {
		return nb.searchBeside(ctx, q, others)
	}
	inLine := make(chan struct{})
	letGo := sync.OnceFunc(func() { close(inLine) })
	defer letGo()
	beside := nb.startBeside(ctx, q, others, inLine)
	f := Filter{Type: q.Type, Tags: q.Tags, Since: q.Since, About: q.About, Limit: cmp.Or(q.Limit, searchLimit), MaxTokens: q.MaxTokens, Cursor: q.Cursor, Whole: q.Whole}
	window, filter, err := nb.openWindow(ctx, f, "search\x00"+q.Text)
	if err != nil {
		return h, err
	}
	letGo()
	texts := nb.store.Texts()
	defer texts.Close()
	query := index.Query{Text: q.Text, Filter: filter, Prefix: q.Prefix, Explain: q.Explain, Offset: window.From, Limit: window.Limit, Body: BodyReader(texts.Read), Successor: nb.index.SuccessorName}
	if !q.Brief {
		share := result.SharePassages(window.Room())
		query.Room = func(hits []index.Hit, at int) int { return share(hits[at].Score) }
	}
	found, err := nb.index.Search(ctx, query)
	if err != nil {
		return h, err
	}
	h = result.Hits{About: nb.About(), Ranked: result.Ranked{Hits: make([]result.Hit, 0, len(found.Hits))}, Total: found.Total, Searched: found.Searched, Ignored: found.Ignored}
	show := nb.shown()
	for _, found := range found.Hits {
		hit := result.Hit{Row: show.Row(found.Row), Score: found.Score, Shares: (*result.Shares)(found.Shares)}
		hit.Snippet, hit.Marks = result.ShowMarked(found.Snippet, found.Marks)
		hit.Told = q.Told && show.IsTold(found.Row)
		if !window.MakeRoom(len(hit.Snippet) + len(hit.Line())) {
			break
		}
		h.Hits = append(h.Hits, hit)
	}
	h.More, h.Cursor = window.CountRest(len(h.Hits), h.Total)
	also := beside()
	if len(h.Hits) > 0 {
		h.Above = nb.raiseDocuments(ctx, also.Hits, query)
	}
	addBeside(&h, also, &window)
	h.Above = min(h.Above, len(h.Also))
	h.Empty = nb.index.Len() == 0
	h.TellLacking(q.Text, append(also.Lacking, found.Lacking()))
	return h, nil
}
