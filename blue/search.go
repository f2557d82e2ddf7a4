package blue

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"blue/blue/internal/index"
	"blue/blue/internal/note"
	"blue/blue/internal/store"
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
	Prefix    bool     `json:"-"` // the last word also as the start of words
	Explain   bool     `json:"-"`
}

// tagRoom is how many bytes the tags of a note take in a list.
const tagRoom = 500

// queryLimit is the length of a query in bytes: several times that of the longest
// stack trace that somebody pastes.
const queryLimit = 64 << 10

// Row is a note in a list.
type Row struct {
	ID         string   `json:"id"`
	Title      string   `json:"title"`
	Type       string   `json:"type"`
	Tags       []string `json:"tags,omitempty"`
	MoreTags   int      `json:"more_tags,omitempty"` // that have no room in a list
	Age        string   `json:"age"`
	Stale      bool     `json:"stale,omitempty"` // a cited file has changed
	Origin     string   `json:"origin"`
	Superseded bool     `json:"superseded,omitempty"`
	Private    bool     `json:"private,omitempty"`
}

// Hit is a note that a search found.
type Hit struct {
	Row
	Snippet string   `json:"snippet"`
	Score   float64  `json:"score"`
	Shares  *Shares  `json:"shares,omitempty"` // with Explain: what the score is made of
	Marks   [][2]int `json:"-"`                // the words asked for, in bytes of the snippet
}

// Shares are the parts of a score; they add up to it.
type Shares struct {
	Word   float64 `json:"word"`
	Stem   float64 `json:"stem"`
	Pair   float64 `json:"pair"`
	Title  float64 `json:"title"`
	Repair float64 `json:"repair"`
}

// Hits is the answer to a search.
type Hits struct {
	About
	Hits      []Hit               `json:"hits"`
	Total     int                 `json:"total"`
	Unmatched []string            `json:"unmatched,omitempty"` // words that no note holds
	Repaired  map[string][]string `json:"repaired,omitempty"`  // such words, and what was looked for instead
	Ignored   int                 `json:"ignored,omitempty"`   // words beyond the limit of a query
	Searched  int                 `json:"searched"`            // notes looked through
	More      int                 `json:"more,omitempty"`
	Cursor    string              `json:"cursor,omitempty"`
}

// Text lists the hits.
func (h Hits) Text() string {
	var b strings.Builder
	rows := make([]Row, len(h.Hits))
	for i, hit := range h.Hits {
		rows[i] = hit.Row
	}
	heading, trim := sharedOrigin(rows)
	b.WriteString(heading)
	for _, hit := range h.Hits {
		b.WriteString(trim(hit.oneLine()))
		for _, more := range [...]string{hit.Snippet, hit.Sum()} {
			if more != "" {
				b.WriteString("\n  ")
				b.WriteString(more)
			}
		}
		b.WriteByte('\n')
	}
	return b.String() + h.Tail()
}

// Sum says what the score is made of, nothing without Explain.
func (h Hit) Sum() string {
	s := h.Shares
	if s == nil {
		return ""
	}
	return fmt.Sprintf("score %.4f = word %.4f + stem %.4f + pair %.4f + title %.4f + repair %.4f", h.Score, s.Word, s.Stem, s.Pair, s.Title, s.Repair)
}

// Tail is what Text says after the hits.
func (h Hits) Tail() string {
	var b strings.Builder
	if len(h.Hits) == 0 {
		fmt.Fprintf(&b, "No hits among %s\n", Plural(h.Searched, "note"))
	}
	if len(h.Unmatched) > 0 {
		fmt.Fprintf(&b, "Without a match: %s\n", strings.Join(h.Unmatched, ", "))
	}
	for _, from := range slices.Sorted(maps.Keys(h.Repaired)) {
		fmt.Fprintf(&b, "Looked for %s instead of %s\n", strings.Join(h.Repaired[from], ", "), from)
	}
	if h.Ignored > 0 {
		fmt.Fprintf(&b, "%d words of the query were left out\n", h.Ignored)
	}
	if h.More > 0 {
		fmt.Fprintf(&b, "%d more of %d: cursor %s\n", h.More, h.Total, h.Cursor)
	}
	return b.String() + h.Lines()
}

// oneLine is a row on one line. A type that is not named is that of a plain note.
func (r Row) oneLine() string {
	words := []string{r.Type, r.Age}
	if r.Type == TypeNote {
		words = words[1:]
	}
	if len(r.Tags) > 0 {
		words = append(words, "#"+strings.Join(r.Tags, " #"))
	}
	if r.MoreTags > 0 {
		words = append(words, Plural(r.MoreTags, "more tag"))
	}
	return fmt.Sprintf("%s  %s  (%s)", r.ID, r.Title, strings.Join(append(words, r.Remarks()...), ", "))
}

// sharedOrigin is a heading that says the origin of several rows once, when none of them
// is of this user and all have the same; trim then takes it out of the line of each.
func sharedOrigin(rows []Row) (heading string, trim func(line string) string) {
	whole := func(line string) string { return line }
	if len(rows) < 2 || rows[0].Origin == "local" || slices.ContainsFunc(rows, func(r Row) bool { return r.Origin != rows[0].Origin }) {
		return "", whole
	}
	end := ", " + rows[0].Origin + ")"
	return "All of origin " + rows[0].Origin + ", not reviewed here:\n", func(line string) string { return strings.TrimSuffix(line, end) + ")" }
}

// Remarks are what is to be said of a note that is not like most.
func (r Row) Remarks() (words []string) {
	remark := func(on bool, word string) {
		if on {
			words = append(words, word)
		}
	}
	remark(r.Superseded, "superseded")
	remark(r.Private, "private")
	remark(r.Stale, "stale: a cited file changed")
	remark(r.Origin != "local", r.Origin)
	return words
}

// Search finds notes by their words, best first. No query is an
// error but an empty one.
func (p *Project) Search(ctx context.Context, q Query) (h Hits, err error) {
	defer p.NameProject(&err)
	if strings.TrimSpace(q.Text) == "" {
		return h, errors.Missing("query", "give words to look for; blue_list lists notes without a query")
	}
	if len(q.Text) > queryLimit {
		return h, errors.TooLong("query", len(q.Text), queryLimit, "bytes")
	}
	window, err := p.openWindow(ctx, Filter{Type: q.Type, Tags: q.Tags, Since: q.Since, Limit: q.Limit, MaxTokens: q.MaxTokens, Cursor: q.Cursor}, "search\x00"+q.Text, searchLimit)
	if err != nil {
		return h, err
	}
	texts := p.store.Texts()
	defer texts.Close()
	found, err := p.index.Search(ctx, index.Query{Text: q.Text, Filter: window.Filter, Prefix: q.Prefix, Explain: q.Explain, Offset: window.from, Limit: window.limit, Body: bodyReader(texts)})
	if err != nil {
		return h, err
	}
	h = Hits{About: p.About(), Hits: make([]Hit, 0, len(found.Hits)), Total: found.Total, Searched: found.Searched, Ignored: found.Ignored}
	h.Unmatched, _ = showLabels(found.Unmatched, note.WordLimit, tailRoom)
	for _, r := range found.Repaired {
		if h.Repaired == nil {
			h.Repaired = map[string][]string{}
		}
		h.Repaired[note.ShowWord(r.Word)], _ = showLabels(r.StandIns, note.WordLimit, tagRoom)
	}
	row := p.rowMaker()
	for _, found := range found.Hits {
		hit := Hit{Row: row(found.Row), Score: found.Score, Shares: (*Shares)(found.Shares)}
		hit.Snippet, hit.Marks = showMarked(found.Snippet, found.Marks)
		if !window.makeRoom(len(hit.Snippet) + len(hit.oneLine())) {
			break
		}
		h.Hits = append(h.Hits, hit)
	}
	h.More, h.Cursor = window.countRest(len(h.Hits), h.Total)
	return h, nil
}

// bodyReader returns what reads the texts that snippets are taken from, "" where there is
// none.
func bodyReader(texts *store.Texts) func(index.Row) (body, revision string) {
	return func(row index.Row) (body, revision string) {
		data, err := texts.Read(row.Name, row.Stamp.Inode)
		if err != nil {
			return "", ""
		}
		return note.ParseBody(data), store.Revision(data)
	}
}

// rowMaker returns the function that shows the rows of one answer.
func (p *Project) rowMaker() func(index.Row) Row {
	now, origin := p.b.o.Now(), p.ledger.Origins()
	return func(r index.Row) Row {
		var more extra
		tags, others := showLabels(r.Tags, note.WordLimit, tagRoom)
		if len(r.Extra) > len("{}") {
			_ = json.Unmarshal(r.Extra, &more) // our own bytes; a damaged row shows less
		}
		return Row{
			ID: r.ID, Title: note.ShowTitle(r.Title), Type: note.ShowWord(r.Type), Tags: tags, MoreTags: others, Age: formatAge(r.Time, now),
			Stale: p.isStale(more.Files), Origin: origin(r.Name, r.Revision), Superseded: r.Superseded,
			Private: note.IsPrivate(r.Name),
		}
	}
}
