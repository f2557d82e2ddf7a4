package words

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// Beginnings are the first letters of the terms of a query. With them most words of a text are
// skipped without being scanned.
type Beginnings struct {
	rest    [letters + 10 + 1][]string // by the code of the first letter or digit
	seconds [letters + 10 + 1]uint64   // the codes that may come next, as bits, by that of the first
	firsts  [256]spots                 // where a byte may begin a term
}

// spots are places in a text, as bits.
type spots uint8

const (
	afterAny   spots = 1 << iota // where capitals, digits and what is not ASCII begin a word
	afterOther                   // behind what is no letter: small letters do there
)

// behind are the spots behind a byte.
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

// Of a word at most wordLetters letters are compared. A stem shares all but its last one
// with its words, and up to stemLetters all; only a y may have become an i, so that the
// two count as one. (No stem of 1.5 million words of Go's sources and their documents
// is an exception.)
const (
	wordLetters = 8
	stemLetters = 4
)

const spaces = " \n\t\r"

// NewBeginnings returns the beginnings of words and of stems.
func NewBeginnings(words, stems []string) *Beginnings {
	b := &Beginnings{}
	for c := utf8.RuneSelf; c < len(b.firsts); c++ {
		b.firsts[c] = afterAny // of any term
	}
	for _, word := range words {
		b.addTerm(word, wordLetters)
	}
	for _, stem := range stems {
		size := len(strings.TrimSuffix(stem, "e")) // using has the stem use
		b.addTerm(stem, min(wordLetters, max(1, min(stemLetters, size), size-1)))
	}
	return b
}

// addTerm adds the beginning of a term, of at most so many letters and digits.
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
	if rest == "" {
		b.seconds[first] = math.MaxUint64
	} else {
		b.seconds[first] |= 1<<0 | 1<<rest[0] | 1<<codes['v'] // a sign and a v may be passed over
	}
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

// Next returns the next stretch between two spaces in which a term may begin: at its
// start, behind what is no letter, at a capital or a digit. It is empty when there is
// none. Text that is not ASCII may hold any term.
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

// beginsHere reports whether a beginning whose first letter has been met goes on in the text. What
// is no letter is passed over, and the v of a version, since terms are also e-mail written
// as email and go1.8 for go-v1.8.
func (b *Beginnings) beginsHere(first byte, text string) bool {
	second := byte(0)
	if len(text) > 0 {
		second = codes[text[0]]
	}
	if b.seconds[first]>>second&1 == 0 {
		return false
	}
	for _, rest := range b.rest[first] {
		if follows(text, rest) {
			return true
		}
	}
	return false
}

func startsWithDigit(text string) bool { return text != "" && isDigit(text[0]) }

// follows reports whether the codes of a beginning come next in a text.
func follows(text, beginning string) bool {
	for i := 0; len(beginning) > 0; i++ {
		if i == len(text) {
			return false
		}
		switch c := codes[text[i]]; {
		case c == beginning[0]:
			beginning = beginning[1:]
		case c > 0 && !(c == codes['v'] && startsWithDigit(text[i+1:])):
			return false
		}
	}
	return true
}
