package index

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strings"

	"blue/blue/internal/segment"
	"blue/blue/internal/words"
)

// Parameters of the comparison. On kep and beads, copies of notes with half or two thirds of their
// words left out are all recognized, with 0.1 to 0.2 wrong ones each on kep and 1.1 to 1.4 on
// beads, whose notes repeat one another. With three tenths of the words replaced, 81 and 97 of 100
// are recognized; with a share of 0.4 it would be 94 and 100, with twice as many wrong ones.
// docs/benchmarks.md has the figures for related notes.
const (
	similarTerms  = 32   // number of the heaviest terms of a draft that are compared
	similarShare  = 0.5  // of the weight that a copy of the draft would have
	relatedShare  = 0.15 // the same for a short document that a draft may amend
	relatedLong   = 0.4  // the same for a long one, which shares much with any other
	relatedTitle  = 0.75 // of the weight of a draft's title, found in the title of the document
	relatedMargin = 0.6  // above the threshold of the gate, for a document that the draft answers
	relatedBytes  = 600  // of the draft's body that the gate reads
	alikeLooked   = 5    // number of the most similar documents that are looked at
	alikeMost     = 3    // number of documents that are named

	draftPostings  = 1 << 13 // read for a text or a title, those of its rarest terms
	draftFinalists = 32      // documents in which the other terms are looked up
)

// Draft is a text that is compared with the documents.
type Draft struct {
	Title, Body string
	MayAmend    func(Row) bool                    // reports whether a document may be in Related or SetAside; nil: none may
	SetAside    bool                              // look for superseded documents too
	Read        func(Row) (body, revision string) // like [Passages.Body]
}

// Alike holds the documents that are similar to a draft, the most similar first.
type Alike struct {
	Similar  []string // ids of documents on the same subject: they have the draft's title, or much of what is specific to it
	Related  []string // names of documents that it may amend: they have less of that, or most of its title, and the beginning of the draft passes the gate for them as a prompt does
	SetAside []Row    // superseded documents for which either is true
}

// FindAlike compares a draft with the documents. It prefers to miss a document rather than to name
// an unrelated one. It finds more if the draft itself is not in the index yet.
func (x *Index) FindAlike(d Draft) (a Alike) {
	var asked *prompt
	var likely []Row
	x.readSnapshot(func(v *snapshot) {
		a, likely = Alike{Similar: []string{}}, nil
		q := v.compareText(d, relatedShare, &x.stems)
		for _, c := range x.findSimilar(v, q, d, alikeLooked) {
			row := v.segments[c.segment].Row(c.doc)
			isSimilar := c.class == classExact || c.score >= q.least*similarShare/relatedShare
			if isSimilar && !row.Superseded {
				a.Similar = append(a.Similar, row.ID)
			}
			least := q.least
			if v.segments[c.segment].Length(c.doc) > words.LongText {
				least *= relatedLong / relatedShare
			}
			switch mayName := d.MayAmend != nil && d.MayAmend(row); {
			case mayName && isSimilar && row.Superseded:
				a.SetAside = append(a.SetAside, row)
			case mayName && c.score >= least:
				likely = append(likely, row)
			}
		}
		for _, row := range x.findTitled(v, d) {
			if !slices.Contains(a.Similar, row.ID) && !slices.ContainsFunc(likely, func(r Row) bool { return r.Name == row.Name }) {
				likely = append(likely, row)
			}
		}
		if len(likely) > 0 {
			asked = v.parsePrompt(d.Title+"\n"+d.Body[:min(len(d.Body), relatedBytes)], &x.stems)
		}
	})
	a.Similar = a.Similar[:min(len(a.Similar), alikeMost)]
	for _, row := range likely {
		verdict := asked.judge(row.Title, x.bodies.bodyOf(row, d.Read))
		switch {
		case verdict.Score-verdict.Native < verdict.Threshold+relatedMargin: // do not count the words of the project: every draft has them
		case row.Superseded:
			a.SetAside = append(a.SetAside, row)
		case len(a.Related) < alikeMost:
			a.Related = append(a.Related, row.Name)
		}
	}
	a.SetAside = a.SetAside[:min(len(a.SetAside), alikeMost)]
	return a
}

// findSimilar returns the documents that hold at least the given share of what is specific to a
// draft, or have its title: the best of the active ones, then the best of the superseded ones if
// the draft asks for them.
func (x *Index) findSimilar(v *snapshot, q *comparison, d Draft, limit int) []candidate {
	named := map[location]int{}
	if key := words.TitleKey(d.Title); key != "" {
		v.markHolders(named, segment.TitleTerm+key, classExact)
	}
	active, aside := x.compare(v, q, named, d.SetAside)
	return slices.Concat(active[:min(limit, len(active))], aside[:min(limit, len(aside))])
}

// findTitled returns the documents that the draft may amend and whose titles have most of the
// weight of its title.
func (x *Index) findTitled(v *snapshot, d Draft) (rows []Row) {
	if d.MayAmend == nil {
		return nil
	}
	titled, _ := x.compare(v, v.compareTitle(d.Title, &x.stems), nil, false)
	for _, c := range titled {
		if row := v.segments[c.segment].Row(c.doc); d.MayAmend(row) && len(rows) < alikeMost {
			rows = append(rows, row)
		}
	}
	return rows
}

// comparison holds the terms of a draft that documents are compared by.
type comparison struct {
	terms  []draftTerm // the rarest first
	titles bool        // compare only the titles of documents
	least  float64     // least score of a similar document
}

// draftTerm is a term of a draft. It adds no more to the score of a document than it would to that
// of a copy of the draft, however often the document repeats it.
type draftTerm struct {
	key            string
	rarity, atMost float64
	holding        int // number of documents that hold it
}

// compareText returns the comparison by the heaviest terms of a draft. The least score is a
// share of what a copy of the draft would have.
func (v *snapshot) compareText(d Draft, share float64, stems *words.Stemmer) *comparison {
	times, length := countTerms(d.Title+"\n"+strings.TrimSpace(d.Body), stems)
	terms := v.draftTerms(times)
	for i, t := range terms {
		terms[i].atMost = t.rarity * termFrequency(float64(times[t.key]), float64(length), v.meanLength)
	}
	slices.SortFunc(terms, func(a, b draftTerm) int { return cmp.Or(cmp.Compare(b.atMost, a.atMost), cmp.Compare(a.key, b.key)) })
	return newComparison(terms[:min(len(terms), similarTerms)], share)
}

// compareTitle returns the comparison by the terms of a title.
func (v *snapshot) compareTitle(title string, stems *words.Stemmer) *comparison {
	times, _ := countTerms(title, stems)
	q := newComparison(v.draftTerms(times), relatedTitle)
	q.titles = true
	return q
}

// draftTerms returns the terms of a draft sorted by key. New terms, which no document holds, count
// too.
func (v *snapshot) draftTerms(times map[string]uint32) []draftTerm {
	keys := slices.Sorted(maps.Keys(times))
	terms := make([]draftTerm, len(keys))
	for i, key := range keys {
		holding, _ := v.holding(key)
		rarity := v.rarity(max(holding, 1))
		terms[i] = draftTerm{key: key, rarity: rarity, atMost: rarity, holding: holding}
	}
	return terms
}

func newComparison(terms []draftTerm, share float64) *comparison {
	copied := 0.0
	slices.SortFunc(terms, func(a, b draftTerm) int { return cmp.Or(cmp.Compare(b.rarity, a.rarity), cmp.Compare(a.key, b.key)) })
	for _, t := range terms {
		copied += t.atMost
	}
	least := max(share*copied*(1-1e-9), math.SmallestNonzeroFloat64) // so that rounding does not lose an exact share
	return &comparison{terms: terms, least: least}
}

// termScore returns what a term adds to the score of the document at the cursor.
func (q *comparison) termScore(v *snapshot, l *segment.Live, t draftTerm, c *segment.Cursor) float64 {
	switch {
	case !q.titles:
		return min(t.atMost, t.rarity*termFrequency(float64(c.Frequency()), float64(l.Length(c.Doc())), v.meanLength))
	case c.TitleFrequency() > 0:
		return t.atMost
	}
	return 0
}

// compare returns the active documents, and the superseded ones if withAside is set, that reach the
// least score or are named, the best first. It reads at most draftPostings postings, those of the
// rarest terms, and looks up the other terms only in the documents that score best by these, so
// that the work does not grow with the number of documents.
func (x *Index) compare(v *snapshot, q *comparison, named map[location]int, withAside bool) (active, aside []candidate) {
	read, postings, least := 0, 0, q.least
	for read < len(q.terms) && postings+q.terms[read].holding <= draftPostings {
		postings += q.terms[read].holding
		read++
	}
	rest := q.terms[read:]
	for _, t := range rest {
		least -= t.atMost
	}
	inForce := topCandidates{v: v, limit: draftFinalists, leastScore: least}
	superseded := inForce
	for i, l := range v.segments {
		s := x.takeScores(l)
		q.addScores(v, l, q.terms[:read], s)
		s.addNamed(i, named)
		for _, doc := range s.docs {
			c := candidate{segment: i, doc: doc, class: max(named[location{i, doc}], classActive), score: s.sums[doc]}
			switch {
			case c.class != classExact && c.score < inForce.leastScore || !l.Lives(doc):
			case !l.Superseded(doc):
				inForce.addCandidate(c)
			case withAside:
				superseded.addCandidate(c)
			}
		}
		x.reuseScores(s)
	}
	finish := func(found []candidate) []candidate {
		v.lookUp(q, rest, found)
		found = slices.DeleteFunc(found, func(c candidate) bool { return c.class != classExact && c.score < q.least })
		slices.SortFunc(found, v.compareCandidates)
		return found
	}
	return finish(inForce.kept), finish(superseded.kept)
}

// addScores adds the scores of some terms for the documents of a segment.
func (q *comparison) addScores(v *snapshot, l *segment.Live, terms []draftTerm, s *scores) {
	c := &segment.Cursor{}
	for _, t := range terms {
		if term := l.FindTerm(t.key); term != nil {
			for c.OpenTerm(term); c.Next(); {
				s.addScore(c.Doc(), q.termScore(v, l, t, c))
			}
		}
	}
}

// lookUp adds the scores of some terms for a few documents.
func (v *snapshot) lookUp(q *comparison, terms []draftTerm, found []candidate) {
	slices.SortFunc(found, func(a, b candidate) int { return cmp.Or(cmp.Compare(a.segment, b.segment), cmp.Compare(a.doc, b.doc)) })
	c := &segment.Cursor{}
	for _, t := range terms {
		var term []byte
		for i := range found {
			f := &found[i]
			l := v.segments[f.segment]
			if i == 0 || f.segment != found[i-1].segment {
				if term = l.FindTerm(t.key); term != nil {
					c.OpenTerm(term)
				}
			}
			if term != nil && c.Seek(f.doc) {
				f.score += q.termScore(v, l, t, c)
			}
		}
	}
}

// countTerms counts the terms of a text and its words.
func countTerms(text string, stems *words.Stemmer) (times map[string]uint32, length int) {
	times = map[string]uint32{}
	words.Scan(text, 0, func(t words.Word) {
		if t.Form != words.Whole {
			return
		}
		length = t.Position + 1
		if words.IsStopWord(t.Text) {
			return
		}
		key := segment.WordTerm + t.Text
		if stem := stems.Stem(t.Text); stem != "" {
			key = segment.StemTerm + stem
		}
		times[key]++
	})
	return times, length
}
