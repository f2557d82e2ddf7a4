package result

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"blue/blue/internal/note"
	"blue/errors"
)

// Hits is the answer to a search.
type Hits struct {
	About
	Ranked
	In        []string            `json:"in,omitempty"` // the sources searched, if notes were not
	Total     int                 `json:"total"`
	Unmatched []string            `json:"unmatched,omitempty"` // words that occur nowhere
	Repaired  map[string][]string `json:"repaired,omitempty"`  // such words, and those searched instead
	Ignored   int                 `json:"ignored,omitempty"`   // words beyond the limit of a query
	Searched  int                 `json:"searched"`            // notes looked through
	More      int                 `json:"more,omitempty"`
	Cursor    string              `json:"cursor,omitempty"`

	Sessions    []SessionHit  `json:"sessions,omitempty"`     // past sessions of this project
	Elsewhere   []Elsewhere   `json:"elsewhere,omitempty"`    // the user's personal notes, then other projects
	NotSearched []NotSearched `json:"not_searched,omitempty"` // of those asked
	// MoreElsewhere counts the other projects that the query names for which there is no room.
	MoreElsewhere int `json:"more_elsewhere,omitempty"`

	Uses   string `json:"uses,omitempty"`    // how many uses of a name in code were found, and how
	InCode int    `json:"in_code,omitempty"` // files of code that hold the query, an identifier that nothing else answers
	Word   string `json:"-"`                 // that identifier
	Empty  bool   `json:"-"`                 // there are no notes yet
	Level  int    `json:"-"`                 // if asked for, how well the best of the notes, documents and commits answers: 2 holds all words, 1 passes
}

// Ranked is what a search found in one project, best first.
type Ranked struct {
	Hits  []Hit      `json:"hits"`
	Also  []ShelfHit `json:"also,omitempty"`  // documents and commits of the project
	Above int        `json:"above,omitempty"` // number of these that come before the hits because no note answers
}

// TellLacking names the words that no collection contains and the words searched instead, in
// the order of the query. It says nothing until everything has been read.
func (h *Hits) TellLacking(query string, collections []map[string][]string) {
	if len(h.Reading) > 0 || len(collections) == 0 {
		return
	}
	var unmatched []string
	words := slices.SortedFunc(maps.Keys(collections[0]), func(a, b string) int {
		return cmp.Or(cmp.Compare(strings.Index(query, a), strings.Index(query, b)), cmp.Compare(a, b))
	})
	for _, word := range words {
		standIns, isLacking := map[string]bool{}, true
		for _, lacking := range collections {
			instead, ok := lacking[word]
			isLacking = isLacking && ok
			for _, s := range instead {
				standIns[s] = true
			}
		}
		switch {
		case !isLacking:
		case len(standIns) == 0:
			unmatched = append(unmatched, word)
		default:
			if h.Repaired == nil {
				h.Repaired = map[string][]string{}
			}
			h.Repaired[note.ShowWord(word)], _ = ShowLabels(slices.Sorted(maps.Keys(standIns)), note.WordLimit, TagRoom)
		}
	}
	h.Unmatched, _ = ShowLabels(unmatched, note.WordLimit, TailRoom)
}

// Text lists the hits.
func (h Hits) Text() string {
	var b strings.Builder
	b.Grow(ListTokens * bytesPerToken)
	b.WriteString(h.tellReading())
	b.WriteString(h.Head())
	above, below := h.Around()
	b.WriteString(shelfText(above))
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
	b.WriteString(h.Notices())
	if len(below) > 0 {
		b.WriteString(ShelfHeading + "\n" + shelfText(below))
	}
	b.WriteString(h.elsewhereText())
	b.WriteString(h.sessionsText())
	b.WriteString(h.Lines())
	return b.String()
}

// ShelfHeading precedes documents and commits that follow notes.
const ShelfHeading = "Also in this project:"

// Around returns the documents and commits that come before the hits and after them.
func (h Hits) Around() (above, below []ShelfHit) {
	if len(h.In) > 0 { // there are no other hits
		return h.Also, nil
	}
	return h.Also[:h.Above], h.Also[h.Above:]
}

// Notices returns what Text says about the query after the hits.
func (h Hits) Notices() string {
	var b writer
	switch {
	case len(h.In) > 0 && len(h.Also)+len(h.Sessions) == 0:
		b.line("No hits%s in %s, %d searched", h.yet(), strings.Join(h.In, " and "), h.Searched)
	case len(h.In) > 0:
	case h.Empty && len(h.Also) == 0 && len(h.Reading) == 0:
		b.WriteString(h.firstSteps())
	case len(h.Hits) == 0 && (!h.Empty || len(h.Reading) > 0):
		b.line("No hits%s among %s", h.yet(), Plural(h.Searched, "note"))
	}
	b.lineIf(h.Uses != "", "%s", h.Uses)
	b.list("Without a match", h.Unmatched)
	for _, from := range slices.Sorted(maps.Keys(h.Repaired)) {
		b.line("Looked for %s instead of %s", strings.Join(h.Repaired[from], ", "), from)
	}
	if h.InCode > 0 {
		b.line("%s: %s", h.heldInCode(), h.howToAskCode())
	}
	b.lineIf(h.Ignored > 0, "Left out: %s of the query", Plural(h.Ignored, "word"))
	return b.String() + h.moreLine(h.More, h.Total, h.Cursor)
}

// Rest returns what Text says at its end.
func (h Hits) Rest() string { return h.elsewhereText() + h.Lines() }

// heldInCode says how many files of code hold the query.
func (h Hits) heldInCode() string {
	if h.InCode == 1 {
		return "1 file of code holds it"
	}
	return Plural(h.InCode, "file") + " of code hold it"
}

// howToAskCode says how to search the code for the query.
func (h Hits) howToAskCode() string {
	if h.Terminal {
		return "blue search --in code " + h.Word
	}
	return `ask with in: ["code"]`
}

// firstSteps says what to do where no notes have been written yet.
func (h Hits) firstSteps() string {
	if h.Terminal {
		return "No notes yet, and nothing else found: blue write keeps a first one, blue import takes over others\n"
	}
	return "No notes yet, and nothing else found: blue_write keeps a first one\n"
}

// Hit is a note that a search found.
type Hit struct {
	Row
	Snippet string   `json:"snippet"`
	Score   float64  `json:"score"`
	Shares  *Shares  `json:"shares,omitempty"` // with Explain: the parts of the score
	Marks   [][2]int `json:"-"`                // the words of the query, in bytes of the snippet
}

// Sum describes the parts of the score. It is empty without Explain.
func (h Hit) Sum() string {
	s := h.Shares
	if s == nil {
		return ""
	}
	return fmt.Sprintf("score %.4f = word %.4f + stem %.4f + pair %.4f + near %.4f + title %.4f + repair %.4f", h.Score, s.Word, s.Stem, s.Pair, s.Near, s.Title, s.Repair)
}

// Shares are the parts of a score, which add up to it.
type Shares struct {
	Word   float64 `json:"word"`
	Stem   float64 `json:"stem"`
	Pair   float64 `json:"pair"`
	Near   float64 `json:"near"`
	Title  float64 `json:"title"`
	Repair float64 `json:"repair"`
}

// passageBytes are the maximum sizes of the passages of a hit, by its rank; the last one
// applies to all further hits. With ten hits and their titles this makes 1,500 to 2,000 tokens.
var passageBytes = [...]int{900, 900, 900, 800, 800, 600, 600, 160}

const (
	steepFall = 0.4 // of the score of the first hit; a hit below that gets no passage
	rowBytes  = 200 // bytes of a hit besides its passages
)

// SharePassages divides the bytes of a reply among the passages of hits, which ask best first.
// No hit gets more than half of what is left, and a hit far behind the first gets none.
func SharePassages(left int) func(score float64) int {
	place, first := 0, 0.0
	return func(score float64) int {
		if place == 0 {
			first = score
		}
		room := min(passageBytes[min(place, len(passageBytes)-1)], max(left-rowBytes, 0)/2)
		if place++; score < steepFall*first {
			room = 0
		}
		left -= room + rowBytes
		return room
	}
}

// Elsewhere is what a search found in a project other than that of the call.
type Elsewhere struct {
	Project  string `json:"project"`
	Root     string `json:"root"` // value to pass as cwd
	Personal bool   `json:"personal,omitempty"`
	Ranked
	Total int `json:"total"`
}

// NotSearched is a project that a search should have included but did not.
type NotSearched struct {
	Project string `json:"project"`
	Root    string `json:"root"`
	Reason  string `json:"reason"`
}

// AddElsewhere adds the hits of other projects that fit into room bytes. Each project gets an equal
// share, and at least one hit while there is room.
func (h *Hits) AddElsewhere(found []Elsewhere, room int) {
	all := Window{room: room}
	for _, e := range found {
		share := Window{room: room / len(found)}
		count := func(i, size int) bool {
			hasRoom, hasShare := all.MakeRoom(size+len(e.Root)), share.MakeRoom(size+len(e.Root))
			return hasRoom && (hasShare || i == 0)
		}
		for i, hit := range e.Hits {
			if !count(i, len(hit.Snippet)+len(hit.Line())) {
				e.Hits = e.Hits[:i]
				break
			}
		}
		for i, hit := range e.Also {
			if !count(i+len(e.Hits), len(hit.Lines())) {
				e.Also = e.Also[:i]
				break
			}
		}
		if e.Above = min(e.Above, len(e.Also)); len(e.Hits)+len(e.Also) > 0 {
			h.Elsewhere = append(h.Elsewhere, e)
		} else if e.Total > 0 {
			h.MoreElsewhere++
		}
	}
}

// elsewhereText returns the part of a reply about other projects. Each hit is labelled with its
// project.
func (h Hits) elsewhereText() string {
	var b writer
	for _, e := range h.Elsewhere {
		label := errors.Visible(e.Project)
		heading := "From " + label
		if e.Personal {
			heading = "From your personal notes"
		}
		b.line("%s (cwd %s):", heading, errors.Visible(e.Root))
		for _, hit := range e.Also[:e.Above] {
			fmt.Fprintf(&b, "%s: %s", label, hit.Lines())
		}
		for _, hit := range e.Hits {
			b.line("%s: %s", label, hit.Line())
			b.lineIf(hit.Snippet != "", "  %s", hit.Snippet)
		}
		for _, hit := range e.Also[e.Above:] {
			fmt.Fprintf(&b, "%s: %s", label, hit.Lines())
		}
		more := e.Total - len(e.Hits) - len(e.Also)
		b.lineIf(more > 0, "%d more in %s", more, label)
	}
	var left []string
	for _, n := range h.NotSearched {
		left = append(left, fmt.Sprintf("%s at %s (%s)", errors.Visible(n.Project), errors.Visible(n.Root), n.Reason))
	}
	b.list("Not searched", left)
	b.lineIf(h.MoreElsewhere > 0, "No room is left for %s: name fewer", Plural(h.MoreElsewhere, "more project"))
	return b.String()
}
