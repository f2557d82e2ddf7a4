package index

import (
	"unicode"
	"unicode/utf8"
)

// pieces appends the ends of the pieces of an identifier to an empty slice, none when it
// is one piece: get|User|Name, HTTP|Server, sha|256, but APIs, k8s and x7f2.
func pieces(ends []int, word string) []int {
	if isSimple(word) {
		return ends
	}
	borders := 0 // between letters and digits
	border := 0  // the last of these
	var before, previous rune
	at := 0
	for i, r := range word {
		switch {
		case i == 0:
		case unicode.IsDigit(r) != unicode.IsDigit(previous):
			borders, border = borders+1, i
			if unicode.IsUpper(r) && startsLower(word[i+utf8.RuneLen(r):]) {
				ends = append(ends, i)
			}
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			ends = append(ends, i)
		case unicode.IsLower(r) && unicode.IsUpper(previous) && unicode.IsUpper(before) && word[i:] != "s":
			ends = append(ends, at)
		}
		before, previous, at = previous, r, i
	}
	if borders == 1 && len(ends) == 0 {
		ends = append(ends, border)
	}
	if len(ends) == 0 || len(ends) >= chainLimit {
		return ends[:0]
	}
	return append(ends, len(word))
}

// isSimple reports a word that is ASCII letters, none but the first a capital.
func isSimple(word string) bool {
	for i := range len(word) {
		if c := word[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

func startsLower(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(r)
}
