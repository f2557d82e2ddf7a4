package index

import "math"

// What decides the order, all of it. Each number was chosen on the development
// sets (search.md section 3) and is followed by what it is worth there.
const (
	saturation  = 1.2  // k1 of BM25
	lengthShare = 0.75 // b of BM25

	stemWeight     = 0.5 // of the stem, beside 1 for the word
	titleWeight    = 0.3 // of the title as a field of its own
	pairWeight     = 0.3 // of two neighbouring query words that stand side by side
	pieceWeight    = 0.5 // of the pieces of an identifier of the query
	compoundWeight = 1.0 // of neighbouring query words written as one
	repairWeight   = 0.7 // of the words that stand in for an unknown one
	prefixWeight   = 0.5 // of the words that begin with the last one

	repairLetters = 5  // the shortest word that is repaired
	repairWords   = 4  // the most words that stand in for one
	prefixWords   = 64 // the most words that a prefix stands for
	queryWords    = 64 // of a longer query the rarest count

	prefixLetters = 4 // the shortest beginning of an id that names it
)

// rarity is the inverse document frequency of BM25, never negative.
func rarity(docs, holding int) float64 {
	n, df := float64(docs), float64(min(docs, holding))
	return math.Log1p((n - df + 0.5) / (df + 0.5))
}

// frequency is the share of BM25 that depends on the document: how often the
// term is in it, and how long it is against the mean.
func frequency(times uint32, length, mean float64) float64 {
	n := float64(times)
	return n * (saturation + 1) / (n + saturation*(1-lengthShare+lengthShare*length/mean))
}
