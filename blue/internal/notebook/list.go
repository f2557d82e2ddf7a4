package notebook

import (
	"cmp"
	"context"
	"fmt"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/result"
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

// listLimit is how many notes a list names unless it is asked for others.
const listLimit = 50

// List returns notes without a query.
func (nb *Notebook) List(ctx context.Context, f Filter) (r result.Rows, err error) {
	defer nb.NameProject(&err)
	if f.Sort != "" && f.Sort != "newest" && f.Sort != "title" {
		return r, errors.BadValue("sort", f.Sort, "newest or title")
	}
	f.Limit = cmp.Or(f.Limit, listLimit)
	window, filter, err := nb.openWindow(ctx, f, "list\x00"+f.Sort)
	if err != nil {
		return r, err
	}
	rows, total := nb.index.List(filter, f.Sort == "title", window.From, window.Limit)
	r = result.Rows{About: nb.About(), Notes: []result.Row{}, Total: total}
	show := nb.shown()
	for _, found := range rows {
		row := show.Row(found)
		if !window.MakeRoom(len(row.Line())) {
			break
		}
		r.Notes = append(r.Notes, row)
	}
	r.More, r.Cursor = window.CountRest(len(r.Notes), total)
	if r.Cursor == "" {
		r.OfBranch = nb.replica().UnknownLeftovers(ctx)
	}
	return r, nil
}

// openWindow checks what a caller asked for and brings the index in line.
func (nb *Notebook) openWindow(ctx context.Context, f Filter, call string) (w result.Window, filter index.Filter, err error) {
	filter = index.Filter{Type: f.Type, Tags: f.Tags}
	if f.About != (Facts{}) {
		isNew := nb.isUnreviewed()
		filter.Pass = func(row index.Row) bool { return f.About.pass(row) && (!f.About.Unreviewed || isNew(row)) }
	}
	if filter.Since, err = result.ParseSince(f.Since, nb.o.Now()); err != nil {
		return w, filter, err
	}
	call = strings.Join(append([]string{call, f.Type, f.Since, fmt.Sprint(f.About)}, f.Tags...), "\x00")
	if w, err = f.open(call); err != nil {
		return w, filter, err
	}
	return w, filter, nb.refresh(ctx)
}

func (f Filter) open(call string) (result.Window, error) {
	if f.Whole && f.MaxTokens == 0 {
		return result.OpenWhole(call, f.Cursor, f.Limit)
	}
	return result.OpenWindow(call, f.Cursor, f.Limit, cmp.Or(f.MaxTokens, result.ListTokens))
}
