package index

import (
	"math"
	"slices"
	"strings"
	"unicode/utf8"
)

// starts are the beginnings of terms. By them most words of a text are passed over
// without a closer look.
type starts struct {
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

// Of a word at most wordStart letters are compared. A stem shares all but its last one
// with its words, and up to stemStart all; only a y may have become an i, so that the
// two count as one. (No stem of 1.5 million words of Go's sources and their documents
// is an exception.)
const (
	wordStart = 8
	stemStart = 4
)

const letters = 26

// codes are small for the characters of which ASCII words are made, and 0 for others.
var codes = codeTable()

func codeTable() (table [256]byte) {
	for c := range byte(letters) {
		table['a'+c], table['A'+c] = c+1, c+1
	}
	table['y'], table['Y'] = table['i'], table['I']
	for c := range byte(10) {
		table['0'+c] = letters + 1 + c
	}
	return table
}

func startsOf(terms []weighed) *starts {
	s := &starts{}
	for c := utf8.RuneSelf; c < len(s.firsts); c++ {
		s.firsts[c] = afterAny // of any term
	}
	for _, t := range terms {
		most := wordStart
		if t.key[:1] == stemTerm {
			size := len(strings.TrimSuffix(t.key[1:], "e")) // using has the stem use
			most = min(wordStart, max(1, min(stemStart, size), size-1))
		}
		var start []byte
		for i := 1; i < len(t.key) && len(start) < most; i++ {
			if c := codes[t.key[i]]; c > 0 {
				start = append(start, c)
			}
		}
		if len(start) > 0 {
			s.add(start[0], string(start[1:]))
		}
	}
	return s
}

func (s *starts) add(first byte, rest string) {
	if slices.Contains(s.rest[first], rest) {
		return
	}
	s.rest[first] = append(s.rest[first], rest)
	if rest == "" {
		s.seconds[first] = math.MaxUint64
	} else {
		s.seconds[first] |= 1<<0 | 1<<rest[0] | 1<<codes['v'] // a sign and a v may be passed over
	}
	for c, code := range codes {
		switch {
		case code != first:
		case 'a' <= c && c <= 'z':
			s.firsts[c] = afterOther
		default:
			s.firsts[c] = afterAny
		}
	}
}

// next returns the next stretch between two spaces in which a term may begin: at its
// start, behind what is no letter, at a capital or a digit. It is empty when there is
// none. Text that is not ASCII may hold any term.
func (s *starts) next(text string) (from, to int) {
	before := byte(' ')
	for i := range len(text) {
		c := text[i]
		if s.firsts[c]&behind[before] != 0 && (c >= utf8.RuneSelf || s.begin(codes[c], text[i+1:])) {
			return fromSpace(text[:i]), i + 1 + toSpace(text[i+1:])
		}
		before = c
	}
	return len(text), len(text)
}

// fromSpace is the number of bytes up to the last space and with it.
func fromSpace(text string) int {
	i := len(text)
	for i > 0 && !isSpace(text[i-1]) {
		i--
	}
	return i
}

// toSpace is the number of bytes up to a space and with it.
func toSpace(text string) int {
	for i := range len(text) {
		if isSpace(text[i]) {
			return i + 1
		}
	}
	return len(text)
}

func isSpace(c byte) bool { return c == ' ' || c == '\n' || c == '\t' || c == '\r' }

// begin reports whether a start whose first letter has been met goes on in the text. What
// is no letter is passed over, and the v of a version, since terms are also e-mail written
// as email and go1.8 for go-v1.8.
func (s *starts) begin(first byte, text string) bool {
	second := byte(0)
	if len(text) > 0 {
		second = codes[text[0]]
	}
	if s.seconds[first]>>second&1 == 0 {
		return false
	}
	for _, start := range s.rest[first] {
		if follows(text, start) {
			return true
		}
	}
	return false
}

func startsDigit(text string) bool { return text != "" && isDigit(text[0]) }

func follows(text, start string) bool {
	for i := 0; len(start) > 0; i++ {
		if i == len(text) {
			return false
		}
		switch c := codes[text[i]]; {
		case c == start[0]:
			start = start[1:]
		case c > 0 && !(c == codes['v'] && startsDigit(text[i+1:])):
			return false
		}
	}
	return true
}
