package index

import "math"

// What decides the order, all of it. Beside each weight: the points of nDCG@10
// that it is worth on the development sets kep and beads, found
// by setting it to zero. A difference below half a point is within the noise.
const (
	saturation  = 1.2 // k1 of BM25
	lengthShare = 0.7 // b of BM25; 0.75 is half a query of 912 worse in recall@5 on kep, else equal

	stemWeight     = 1    // of the stem, beside 1 for the word: 0.75 and 1.5 are within 0.3
	titleWeight    = 0.3  // of the title as a field of its own: +1.2, -0.1
	pairWeight     = 0.6  // of two neighbouring query words that stand side by side; with 0.3 or 0.9 up to 0.3 less
	nearWeight     = 0.5  // of words of the query close to one another: +0.0, +0.3, +0.6 on decisions
	nearMost       = 0.25 // that they add to a score; from 0.2 on nothing changes, and without a bound a search takes five times as long
	compoundWeight = 0.8  // of the words of an identifier written as one; with 0.5 up to 0.1 less on each of three sets
	repairWeight   = 0.8  // of the words that stand in for an unknown one: with one typo a query +0.5, +2.4
	prefixWeight   = 0.5  // of the words that begin with the last one: not measured, below an exact word

	repeatWeight = 0.5 // of each further time that a word stands in the query
	repeatsMost  = 3   // times that count

	repairLetters = 5  // the shortest word that is repaired
	repairWords   = 4  // the most words that stand in for one
	prefixWords   = 64 // the most words that a prefix stands for
	maxQueryWords = 64 // of a longer query the rarest count

	nearWords   = 16 // the most words of which the nearness counts
	formLetters = 4  // that a form of a word is longer than its stem

	prefixLetters = 4 // the shortest beginning of an id that names it
)

// rarity is the inverse document frequency of BM25, never negative, of what so
// many documents hold.
func (v *snapshot) rarity(holding int) float64 {
	n, df := float64(v.docs), float64(min(v.docs, holding))
	return math.Log1p((n - df + 0.5) / (df + 0.5))
}

// termFrequency is the share of BM25 that depends on the document: how often the
// term is in it, and how long it is against the mean.
func termFrequency(n, length, mean float64) float64 {
	return n * (saturation + 1) / (n + saturation*(1-lengthShare+lengthShare*length/mean))
}
