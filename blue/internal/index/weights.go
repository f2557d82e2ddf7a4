package index

import "math"

// The parameters of ranking. The comment on a weight says how many points of nDCG@10 it is worth on
// the development sets kep and beads, measured by setting it to zero. A difference below half a
// point is noise.
const (
	saturation  = 1.2 // k1 of BM25
	lengthShare = 0.7 // b of BM25; 0.75 is half a query of 912 worse in recall@5 on kep, else equal

	stemWeight     = 1    // of the stem, where the word itself has 1: 0.75 and 1.5 are within 0.3
	titleWeight    = 0.3  // of the title as a field of its own: +1.2, -0.1
	pairWeight     = 0.6  // of neighbouring query words that are adjacent in a document; with 0.3 or 0.9 up to 0.3 less
	nearWeight     = 0.5  // of query words that are close to one another: +0.0, +0.3, +0.6 on decisions
	nearMost       = 0.25 // maximum share of the score that nearness adds; above 0.2 nothing changes, and without a limit a search takes five times as long
	compoundWeight = 0.8  // of the words of an identifier written as one; with 0.5 up to 0.1 less on each of three sets
	repairWeight   = 0.8  // of the words used for an unknown one: with one typo per query +0.5, +2.4
	prefixWeight   = 0.5  // of words that begin with the last word: not measured, less than an exact word

	repeatWeight = 0.5 // of each repetition of a word in the query
	repeatsMost  = 3   // occurrences that count

	repairLetters = 5  // length of the shortest word that is repaired
	repairWords   = 4  // the most words used instead of an unknown one
	prefixWords   = 64 // the most words that a prefix matches
	maxQueryWords = 64 // the rarest words of a longer query are used

	nearWords   = 16 // the most words whose nearness is measured
	formLetters = 4  // letters that a form of a word may have beyond its stem

	prefixLetters = 4 // length of the shortest prefix of an id that is recognized
)

// rarity returns the inverse document frequency of BM25, which is never negative, of a term that
// this number of documents hold.
func (v *snapshot) rarity(holding int) float64 {
	n, df := float64(v.docs), float64(min(v.docs, holding))
	return math.Log1p((n - df + 0.5) / (df + 0.5))
}

// termFrequency returns the factor of BM25 that depends on the document: on the frequency of the
// term and on the length of the document relative to the mean.
func termFrequency(n, length, mean float64) float64 {
	return n * (saturation + 1) / (n + saturation*(1-lengthShare+lengthShare*length/mean))
}
