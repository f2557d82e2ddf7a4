package index

import (
	"time"

	"blue/blue/internal/segment"
)

// Query is a question to the index. Its text is words, "phrases" and
// -exclusions; any text is a query.
type Query struct {
	Text    string
	Filter  Filter
	Prefix  bool   // the last word also stands for words that begin with it
	Explain bool   // fill in the shares
	Judge   bool   // fill in the verdict, for which Body is needed
	Favored string // type of documents that pass with a lower score
	Offset  int    // hits to pass over
	Limit   int    // the most hits

	// Successor names the document that replaces one that is set aside, "" for none. With
	// it, a document stands directly below the one that replaces it.
	Successor func(Row) string

	// Group names what a document is a part of. With it, at most Each parts of one group are
	// among the first ten hits; the others follow these.
	Group func(Row) string
	Each  int

	// Lowered reports by its name a document that has been replaced by something outside of the
	// index: its score counts for less. Nil for none.
	Lowered func(name string) bool

	Passages
}

// Passages says which passages of its text a hit shows. Its zero value shows none.
type Passages struct {
	// Body returns the text of a document and its revision, "" for none.
	Body func(Row) (body, revision string)

	// Around returns the text that the body is a part of. It is used if the body has no word
	// of the query. It may be nil.
	Around func(Row) string

	// Room returns how many bytes the passages of a hit may have. It is called for one hit after
	// another, best first, when all are judged. Nil stands for about three lines each.
	Room func(hits []Hit, at int) int
}

// Filter passes documents; its zero value passes all.
type Filter struct {
	Type  string
	Tags  []string // all of them
	Since time.Time
	Pass  func(Row) bool // reports whether a document is wanted; nil wants all
}

// Hit is one document that answers a query.
type Hit struct {
	Row
	Score   float64
	Bytes   int      // of the body, where it was judged
	Snippet string   // passages of the body
	Marks   [][2]int // from and to, in bytes of the snippet, of the words that were asked for
	Shares  *Shares  // of the score, when asked to explain
	Verdict Verdict  // how well it answers, when asked for
}

// Shares add up to a score.
type Shares struct {
	Word, Stem, Pair, Near, Title, Repair float64
}

// Result is what a query found.
type Result struct {
	Hits      []Hit
	Total     int      // hits in all
	Unmatched []string // words as typed that nothing holds
	Repaired  []Repair // words that others stood in for
	Ignored   int      // words beyond the limit
	Searched  int      // documents that pass the filter
}

// Lacking are the words of the query that no document holds, as typed, with those that stood
// in for them, if any.
func (r Result) Lacking() map[string][]string {
	lacking := map[string][]string{}
	for _, word := range r.Unmatched {
		lacking[word] = nil
	}
	for _, repair := range r.Repaired {
		lacking[repair.Word] = repair.StandIns
	}
	return lacking
}

// Repair is an unknown word of a query and the known ones that stood in.
type Repair struct {
	Word     string
	StandIns []string
}

func (f *Filter) matches(l *segment.Live, doc uint32) bool {
	if !f.Since.IsZero() && l.Time(doc).Before(f.Since) {
		return false
	}
	return l.HasLabels(doc, f.Type, f.Tags) && (f.Pass == nil || f.Pass(l.Row(doc)))
}

func (f *Filter) isZero() bool {
	return f.Type == "" && len(f.Tags) == 0 && f.Since.IsZero() && f.Pass == nil
}
