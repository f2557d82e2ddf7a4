package reply

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Hits is the answer to a search.
type Hits struct {
	About
	Hits      []Hit               `json:"hits"`
	Also      []Beside            `json:"also,omitempty"` // documents and commits of the project
	In        []string            `json:"in,omitempty"`   // the shelves that were asked, when notes were not
	Total     int                 `json:"total"`
	Unmatched []string            `json:"unmatched,omitempty"` // words that no note holds
	Repaired  map[string][]string `json:"repaired,omitempty"`  // such words, and what was looked for instead
	Ignored   int                 `json:"ignored,omitempty"`   // words beyond the limit of a query
	Searched  int                 `json:"searched"`            // notes looked through
	More      int                 `json:"more,omitempty"`
	Cursor    string              `json:"cursor,omitempty"`

	Elsewhere       []Elsewhere   `json:"elsewhere,omitempty"` // the user's personal notes, then other projects
	MoreElsewhere   int           `json:"more_elsewhere,omitempty"`
	NotSearched     []NotSearched `json:"not_searched,omitempty"`
	MoreNotSearched int           `json:"more_not_searched,omitempty"`
}

// Text lists the hits.
func (h Hits) Text() string {
	var b strings.Builder
	size := 0
	for _, hit := range h.Hits {
		size += rowBytes + len(hit.Snippet)
	}
	b.Grow(size)
	b.WriteString(h.Head())
	b.WriteString(h.tellReading())
	for _, hit := range h.Hits {
		b.WriteString(hit.Line())
		for _, more := range [...]string{hit.Snippet, hit.Sum()} {
			if more != "" {
				b.WriteString("\n  ")
				b.WriteString(more)
			}
		}
		b.WriteByte('\n')
	}
	b.WriteString(h.Tail())
	return b.String()
}

// Tail is what Text says after the hits.
func (h Hits) Tail() string {
	var b strings.Builder
	asked := len(h.In) > 0
	switch {
	case asked && len(h.Also) == 0:
		fmt.Fprintf(&b, "No hits%s in %s, %d searched\n", h.yet(), strings.Join(h.In, " and "), h.Searched)
	case asked:
		b.WriteString(besideText(h.Also))
	case len(h.Hits) == 0:
		fmt.Fprintf(&b, "No hits%s among %s\n", h.yet(), Plural(h.Searched, "note"))
	}
	if len(h.Unmatched) > 0 {
		fmt.Fprintf(&b, "Without a match: %s\n", strings.Join(h.Unmatched, ", "))
	}
	for _, from := range slices.Sorted(maps.Keys(h.Repaired)) {
		fmt.Fprintf(&b, "Looked for %s instead of %s\n", strings.Join(h.Repaired[from], ", "), from)
	}
	if h.Ignored > 0 {
		fmt.Fprintf(&b, "Left out: %s of the query\n", Plural(h.Ignored, "word"))
	}
	b.WriteString(h.moreLine(h.More, h.Total, h.Cursor))
	if len(h.Also) > 0 && !asked {
		b.WriteString("Also in this project:\n" + besideText(h.Also))
	}
	return b.String() + h.elsewhereText() + h.Lines()
}

// Hit is a note that a search found.
type Hit struct {
	Row
	Snippet string   `json:"snippet"`
	Score   float64  `json:"score"`
	Shares  *Shares  `json:"shares,omitempty"` // with Explain: what the score is made of
	Marks   [][2]int `json:"-"`                // the words asked for, in bytes of the snippet
}

// Sum says what the score is made of, nothing without Explain.
func (h Hit) Sum() string {
	s := h.Shares
	if s == nil {
		return ""
	}
	return fmt.Sprintf("score %.4f = word %.4f + stem %.4f + pair %.4f + near %.4f + title %.4f + repair %.4f", h.Score, s.Word, s.Stem, s.Pair, s.Near, s.Title, s.Repair)
}

// Shares are the parts of a score; they add up to it.
type Shares struct {
	Word   float64 `json:"word"`
	Stem   float64 `json:"stem"`
	Pair   float64 `json:"pair"`
	Near   float64 `json:"near"`
	Title  float64 `json:"title"`
	Repair float64 `json:"repair"`
}
