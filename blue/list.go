package blue

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/reply"
	"blue/blue/internal/storage"
	"blue/errors"
)

// Filter says which notes to list.
type Filter struct {
	Type      string   `json:"type,omitempty"`
	Tags      []string `json:"tags,omitempty" jsonschema:"all of them"`
	Since     string   `json:"since,omitempty" jsonschema:"2026-01-31, 7d or 12h"`
	Sort      string   `json:"sort,omitempty" jsonschema:"newest (default) or title"`
	Limit     int      `json:"limit,omitempty"`
	MaxTokens int      `json:"max_tokens,omitempty"`
	Cursor    string   `json:"cursor,omitempty"`
	Review    bool     `json:"review,omitempty" jsonschema:"instead, what deserves a look"`
	About     Facts    `json:"-"`
	Whole     bool     `json:"-"` // bound by the limit alone, and by no limit when that is negative: for the terminal
}

// Rows is the answer to a list.
type Rows = reply.Rows

// listLimit is how many notes a list names unless it is asked for others.
const listLimit = 50

// List returns notes without a query.
func (p *Project) List(ctx context.Context, f Filter) (r Rows, err error) {
	defer p.NameProject(&err)
	if f.Sort != "" && f.Sort != "newest" && f.Sort != "title" {
		return r, errors.BadValue("sort", f.Sort, "newest or title")
	}
	f.Limit = cmp.Or(f.Limit, listLimit)
	window, filter, err := p.openWindow(ctx, f, "list\x00"+f.Sort)
	if err != nil {
		return r, err
	}
	rows, total := p.index.List(filter, f.Sort == "title", window.From, window.Limit)
	r = Rows{About: p.About(), Notes: []Row{}, Total: total}
	show := p.shown()
	for _, found := range rows {
		row := show.Row(found)
		if !window.MakeRoom(len(row.Line())) {
			break
		}
		r.Notes = append(r.Notes, row)
	}
	r.More, r.Cursor = window.CountRest(len(r.Notes), total)
	if r.Cursor == "" && p.hosted == nil {
		r.OfBranch = p.replica().UnknownLeftovers(ctx)
	}
	return r, nil
}

// openWindow checks what a caller asked for and brings the index in line.
func (p *Project) openWindow(ctx context.Context, f Filter, call string) (w reply.Window, filter index.Filter, err error) {
	filter = index.Filter{Type: f.Type, Tags: f.Tags}
	if f.About != (Facts{}) {
		show := p.shown()
		filter.Pass = func(row index.Row) bool { return show.Passes(f.About, row) }
	}
	if filter.Since, err = reply.ParseSince(f.Since, p.b.o.Now()); err != nil {
		return w, filter, err
	}
	call = strings.Join(append([]string{call, f.Type, f.Since, fmt.Sprint(f.About)}, f.Tags...), "\x00")
	if w, err = f.open(call); err != nil {
		return w, filter, err
	}
	return w, filter, p.refresh(ctx)
}

func (f Filter) open(call string) (reply.Window, error) {
	if f.Whole && f.MaxTokens == 0 {
		return reply.OpenWhole(call, f.Cursor, f.Limit)
	}
	return reply.OpenWindow(call, f.Cursor, f.Limit, cmp.Or(f.MaxTokens, reply.ListTokens))
}

// Notes are the notes whose id begins so, with their titles when they are asked for and not
// too many.
func (p *Project) Notes(ctx context.Context, start string, titles bool) []Choice {
	return storage.CompleteNotes(ctx, p.store, start, titles)
}
