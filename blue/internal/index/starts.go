package index

import (
	"strings"
	"unicode/utf8"
)

// starts are the beginnings of terms, by their first letter or digit. By them most
// words of a text are passed over without a closer look.
type starts [letters + 10 + 1][]string

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
			s[start[0]] = append(s[start[0]], string(start[1:]))
		}
	}
	return s
}

// next returns the end of what stands between two spaces, and whether a term may begin
// in it: at its start, behind what is no letter, at a capital or a digit. No term
// crosses a space. Text that is not ASCII may hold any.
func (s *starts) next(text string) (end int, may bool) {
	for i := 0; i < len(text); i++ {
		c := text[i]
		first := codes[c]
		switch {
		case first == 0 && isSpace(c):
			return i + 1, false
		case c >= utf8.RuneSelf, s[first] != nil && s.begin(first, text[i+1:]):
			return i + toSpace(text[i:]), true
		case 0 < first && first <= letters:
			for i+1 < len(text) && 'a' <= text[i+1] && text[i+1] <= 'z' {
				i++
			}
		}
	}
	return len(text), false
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

// begin reports whether a start goes on in the text. What is no letter is passed over,
// and the v of a version, since terms are also e-mail written as email and go1.8 for
// go-v1.8.
func (s *starts) begin(first byte, text string) bool {
	for _, start := range s[first] {
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
