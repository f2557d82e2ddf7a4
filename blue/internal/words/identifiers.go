package words

import (
	"unicode"
	"unicode/utf8"
)

// chainLimit is the maximum number of words, or of pieces of a word, that are treated as one
// identifier.
const chainLimit = 8

// cutIdentifier appends the end offsets of the pieces of an identifier to an empty slice. It
// appends none if there is only one piece: get|User|Name, HTTP|Server, sha|256, but APIs, k8s and
// x7f2.
func cutIdentifier(ends []int, word string) []int {
	if isOneWord(word) {
		return ends
	}
	changes := 0    // between letters and digits
	lastChange := 0 // offset of the last of these
	var beforePrevious, previous rune
	previousAt := 0
	for i, r := range word {
		switch {
		case i == 0:
		case unicode.IsDigit(r) != unicode.IsDigit(previous):
			changes, lastChange = changes+1, i
			if unicode.IsUpper(r) && startsWithLower(word[i+utf8.RuneLen(r):]) {
				ends = append(ends, i)
			}
		case unicode.IsUpper(r) && unicode.IsLower(previous):
			ends = append(ends, i)
		case unicode.IsLower(r) && unicode.IsUpper(previous) && unicode.IsUpper(beforePrevious) && word[i:] != "s":
			ends = append(ends, previousAt)
		}
		beforePrevious, previous, previousAt = previous, r, i
	}
	if changes == 1 && len(ends) == 0 {
		ends = append(ends, lastChange)
	}
	if len(ends) == 0 || len(ends) >= chainLimit {
		return ends[:0]
	}
	return append(ends, len(word))
}

// isOneWord reports whether a word is ASCII letters of which only the first may be a capital.
func isOneWord(word string) bool {
	for i := range len(word) {
		if c := word[i]; (c < 'a' || c > 'z') && (i > 0 || c < 'A' || c > 'Z') {
			return false
		}
	}
	return true
}

func startsWithLower(text string) bool {
	r, _ := utf8.DecodeRuneInString(text)
	return unicode.IsLower(r)
}
