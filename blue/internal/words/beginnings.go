package words

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// Beginnings holds the first letters of the terms of a query. With it most words of a text are
// skipped without being scanned.
type Beginnings struct {
	rest   [letters + 10 + 1][]string // by the code of the first letter or digit
	firsts [256]spots                 // after which bytes a byte may begin a term
}

// spots is a set of kinds of places in a text.
type spots uint8

const (
	afterAny   spots = 1 << iota // after any byte: capitals, digits and non-ASCII begin a word here
	afterOther                   // after a byte that is no letter: small letters begin a word here
)

// behind has the spots after each byte.
var behind = behindTable()

func behindTable() (table [256]spots) {
	for c := range table {
		table[c] = afterAny | afterOther
		if codes[c] > 0 && !isDigit(byte(c)) {
			table[c] = afterAny
		}
	}
	return table
}

// At most wordLetters letters of a word are compared. A stem shares all letters but its last with
// its words, or all if it has at most stemLetters; only a y may have become an i, so the two have
// the same code. (No stem of 1.5 million words of Go's sources and their documentation is an
// exception.)
const (
	wordLetters = 8
	stemLetters = 4
)

const spaces = " \n\t\r"

// NewBeginnings returns the beginnings of the words and stems of a query.
func NewBeginnings(words, stems []string) *Beginnings {
	b := &Beginnings{}
	for c := utf8.RuneSelf; c < len(b.firsts); c++ {
		b.firsts[c] = afterAny // they may begin any term
	}
	for _, word := range words {
		b.addTerm(word, wordLetters)
	}
	for _, stem := range stems {
		size := len(strings.TrimSuffix(stem, "e")) // "using" has the stem "use"
		b.addTerm(stem, min(wordLetters, max(1, min(stemLetters, size), size-1)))
	}
	return b
}

// addTerm adds the first letters and digits of a term, at most most of them.
func (b *Beginnings) addTerm(term string, most int) {
	var letters []byte
	for i := 0; i < len(term) && len(letters) < most; i++ {
		if c := codes[term[i]]; c > 0 {
			letters = append(letters, c)
		}
	}
	if len(letters) > 0 {
		b.addLetters(letters[0], string(letters[1:]))
	}
}

func (b *Beginnings) addLetters(first byte, rest string) {
	if slices.Contains(b.rest[first], rest) {
		return
	}
	b.rest[first] = append(b.rest[first], rest)
	for c, code := range codes {
		switch {
		case code != first:
		case 'a' <= c && c <= 'z':
			b.firsts[c] = afterOther
		default:
			b.firsts[c] = afterAny
		}
	}
}

// Next returns the next stretch between spaces in which a term may begin: at its start, after a
// byte that is no letter, at a capital or at a digit. The stretch is empty if there is none.
// Non-ASCII text may contain any term.
func (b *Beginnings) Next(text string) (from, to int) {
	before := byte(' ')
	for i := range len(text) {
		c := text[i]
		if b.firsts[c]&behind[before] != 0 && (c >= utf8.RuneSelf || b.beginsHere(codes[c], text[i+1:])) {
			from = strings.LastIndexAny(text[:i], spaces) + 1
			if to = strings.IndexAny(text[i+1:], spaces); to < 0 {
				return from, len(text)
			}
			return from, i + 1 + to + 1
		}
		before = c
	}
	return len(text), len(text)
}

// beginsHere reports whether the text continues a beginning whose first letter has been found.
// Punctuation is skipped, and so is the v of a version, since terms also include email for e-mail
// and go1.8 for go-v1.8.
func (b *Beginnings) beginsHere(first byte, text string) bool {
	return slices.ContainsFunc(b.rest[first], func(rest string) bool { return follows(text, rest) })
}

// follows reports whether a text continues with the codes of a beginning.
func follows(text, beginning string) bool {
	for i := 0; len(beginning) > 0; i++ {
		if i == len(text) {
			return false
		}
		switch c := codes[text[i]]; {
		case c == beginning[0]:
			beginning = beginning[1:]
		case c > 0 && !(c == codes['v'] && i+1 < len(text) && isDigit(text[i+1])):
			return false
		}
	}
	return true
}
