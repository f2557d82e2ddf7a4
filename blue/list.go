package blue

import (
	"context"
	"fmt"
	"strings"

	"blue/blue/internal/index"
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
}

// Rows is the answer to a list.
type Rows struct {
	About
	Notes  []Row  `json:"notes"`
	Total  int    `json:"total"`
	More   int    `json:"more,omitempty"`
	Cursor string `json:"cursor,omitempty"`
}

// Text lists the notes, one a line.
func (r Rows) Text() string {
	var b strings.Builder
	heading, trim := sharedOrigin(r.Notes)
	b.WriteString(heading)
	for _, row := range r.Notes {
		fmt.Fprintf(&b, "%s\n", trim(row.oneLine()))
	}
	return b.String() + r.Tail()
}

// Tail is what Text says after the notes.
func (r Rows) Tail() string {
	var b strings.Builder
	if len(r.Notes) == 0 {
		b.WriteString("No notes\n")
	}
	if r.More > 0 {
		fmt.Fprintf(&b, "%d more of %d: cursor %s\n", r.More, r.Total, r.Cursor)
	}
	return b.String() + r.Lines()
}

// List returns notes without a query.
func (p *Project) List(ctx context.Context, f Filter) (r Rows, err error) {
	defer p.NameProject(&err)
	if f.Sort != "" && f.Sort != "newest" && f.Sort != "title" {
		return r, errors.BadValue("sort", f.Sort, "newest or title")
	}
	window, err := p.openWindow(ctx, f, "list\x00"+f.Sort, listLimitRows)
	if err != nil {
		return r, err
	}
	rows, total := p.index.List(window.Filter, f.Sort == "title", window.from, window.limit)
	r = Rows{About: p.About(), Notes: []Row{}, Total: total}
	show := p.rowMaker()
	for _, found := range rows {
		row := show(found)
		if !window.makeRoom(len(row.oneLine())) {
			break
		}
		r.Notes = append(r.Notes, row)
	}
	r.More, r.Cursor = window.countRest(len(r.Notes), total)
	return r, nil
}

// window is the part of an answer that one reply shows.
type window struct {
	index.Filter
	call        string
	from, limit int
	room        int // bytes
}

// openWindow checks what a caller asked for and brings the index in line.
func (p *Project) openWindow(ctx context.Context, f Filter, call string, limit int) (w window, err error) {
	w.Type, w.Tags = f.Type, f.Tags
	if w.Since, err = parseSince(f.Since, p.b.o.Now()); err != nil {
		return w, err
	}
	if w.limit, err = rowLimit(f.Limit, limit); err != nil {
		return w, err
	}
	if w.room, err = replyRoom(f.MaxTokens, listTokens); err != nil {
		return w, err
	}
	w.call = strings.Join(append([]string{call, f.Type, f.Since}, f.Tags...), "\x00")
	at, err := readCursor(f.Cursor, w.call, 1)
	if err != nil {
		return w, err
	}
	w.from = at[0]
	return w, p.refresh(ctx)
}

// makeRoom makes room for an entry of that many bytes; the first one always fits.
func (w *window) makeRoom(size int) bool {
	first := w.room > 0
	w.room -= size + 60 // names and braces
	return w.room > 0 || first
}

// countRest is how many entries come after the shown ones, and the cursor to them.
func (w *window) countRest(shown, total int) (more int, next string) {
	if more = total - w.from - shown; more <= 0 {
		return 0, ""
	}
	return more, makeCursor(w.call, w.from+shown)
}
