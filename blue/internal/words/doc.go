// Package words turns text into the terms by which it is found: words are folded
// (case, accents, forms of one character), identifiers are kept whole and cut into
// their pieces, English words have stems, and runs of scripts without spaces become
// bigrams. It is pure: text in, terms out. docs/search.md has a table of examples.
//
// What it makes of a text is stored in the files of the index; whoever changes that
// raises the version of the words there.
package words

// LongText is how many words a text has at most that is judged as one passage.
const LongText = 85
