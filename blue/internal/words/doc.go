// Package words splits text into the terms by which it is found: words are folded (case, accents,
// variants of a character), identifiers are kept as a whole and also split into their pieces,
// English words are stemmed, and runs of scripts without spaces become bigrams. The package is a
// pure function of the text. docs/search.md has a table of examples.
//
// The terms are stored in the files of the index; a change of them requires a new wordsVersion in
// blue/internal/segment.
package words

// LongText is the maximum number of words of a text that is judged as one passage.
const LongText = 85
