package index

import (
	"time"

	"blue/blue/internal/segment"
	"blue/blue/internal/snippet"
)

// Query is a query of the index. Its text holds words, "phrases" and -exclusions; any text is
// valid.
type Query struct {
	Text    string
	Filter  Filter
	Prefix  bool   // the last word also matches words that begin with it
	Explain bool   // fill in Hit.Shares
	Judge   bool   // fill in Hit.Verdict; needs Body
	Flat    bool   // superseded documents rank as others
	Favored string // type of documents whose threshold is lower
	Titled  string // type of documents of which the best has a lower threshold the more of its title the query holds
	Offset  int    // hits to skip
	Limit   int    // the maximum number of hits
	Follow  bool   // let a document that is replaced follow directly after its replacement

	// Group returns the name of the group that a document belongs to. If it is set, at most Each
	// members of a group are among the first ten hits; the others come later.
	Group func(Row) string
	Each  int

	// Factor returns a factor for the score of a document, given its name and the size of its file.
	// The best candidates are sorted by the product. Factor may be nil.
	Factor func(name string, size int64) float64

	Passages
}

// Passages controls which passages of its text a hit shows. The zero value shows none.
type Passages struct {
	// Body returns the text of a document and its revision. Both are "" on failure.
	Body func(Row) (body, revision string)

	// Around returns the text that contains the body. It is used if the body has no word of the
	// query. It may be nil.
	Around func(Row) string

	// Room returns the maximum size in bytes of the passages of a hit. It is called for the hits in
	// order, after all of them have been judged. If it is nil, each hit gets about three lines.
	Room func(hits []Hit, at int) int

	// Parts returns the parts of a body. If it is set, hits have the weights of their parts in
	// place of passages, and [Result.Choose] chooses passages of a part.
	Parts func(row Row, body string) []Part
}

// Part is a part of the text of a document.
type Part = snippet.Part

// Weight is how much of a query a part of a text holds.
type Weight = snippet.Weight

// Filter selects documents; its zero value selects all.
type Filter struct {
	Type  string
	Tags  []string // the document must have all of them
	Since time.Time
	Pass  func(Row) bool // reports whether a document is wanted; nil accepts all
}

// Hit is one document that answers a query.
type Hit struct {
	Row
	Score   float64
	Bytes   int      // size of the body, if it was judged
	Snippet string   // passages of the body
	Marks   [][2]int // start and end of the matched words, as byte offsets in Snippet
	Shares  *Shares  // of the score, if Query.Explain is set
	Verdict Verdict  // how well it answers the query, if Query.Judge is set
	Weights []Weight // of its parts, if Passages.Parts is set
}

// Shares add up to a score.
type Shares struct {
	Word, Stem, Pair, Near, Title, Repair float64
}

// Result is the result of a query.
type Result struct {
	Hits      []Hit
	Total     int      // number of all hits
	Unmatched []string // words, as typed, that no document holds
	Repaired  []Repair // unknown words that were replaced by similar ones
	Ignored   int      // number of words beyond the limit
	Searched  int      // number of documents that pass the filter

	finder *snippet.Finder
}

// Choose returns passages of a text as [snippet.Finder.Choose] does.
func (r Result) Choose(text string, room int) (passage string, marks [][2]int) {
	return r.finder.Choose(text, room)
}

// Lacking returns the words of the query that no document holds, as typed, each with the known
// words that were used instead, if any.
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

// Repair is an unknown word of a query and the known words that were used instead.
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
