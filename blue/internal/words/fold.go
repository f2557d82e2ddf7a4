package words

import (
	"cmp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold returns the form in which words are compared: NFKC, case folded, without diacritics and
// apostrophes, and without the s of a possessive.
func Fold(word string) string {
	if isPlainASCII(word) {
		return strings.ToLower(word)
	}
	if before, ok := cutPossessive(word); ok {
		word = before
	}
	word = strings.Map(func(r rune) rune {
		r = unicode.ToLower(unicode.ToUpper(r)) // upper case first, to include the long s and the final sigma
		if isDiacritic(r) || !isWordCharacter(r) {
			return -1
		}
		return baseLetter(r)
	}, sharpS.Replace(norm.NFKD.String(word)))
	return norm.NFC.String(word)
}

// sharpS folds the one letter that NFKD leaves whole and case folding makes two. The tables of
// x/text/cases would do that too, but take 0.2 MB; a test compares Fold with them.
var sharpS = strings.NewReplacer("ß", "ss", "ẞ", "ss")

// isPlainASCII reports whether a word is ASCII without apostrophes.
func isPlainASCII(word string) bool {
	for i := range len(word) {
		if c := word[i]; c >= 0x80 || c == '\'' {
			return false
		}
	}
	return true
}

func cutPossessive(word string) (string, bool) {
	for _, end := range []string{"'s", "’s", "'S", "’S"} {
		if before, ok := strings.CutSuffix(word, end); ok {
			return before, true
		}
	}
	return word, false
}

// isDiacritic reports whether a mark may be omitted in writing. The vowel signs of Indic scripts
// and the voicing marks of kana may not.
func isDiacritic(r rune) bool {
	switch {
	case 0x300 <= r && r <= 0x36f, 0x1ab0 <= r && r <= 0x1aff, 0x1dc0 <= r && r <= 0x1dff, 0x20d0 <= r && r <= 0x20ff:
		return true
	case 0x591 <= r && r <= 0x5c7, 0x64b <= r && r <= 0x65f, r == 0x670: // points of Hebrew and Arabic
		return true
	case 0xfe00 <= r && r <= 0xfe0f: // variation selectors
		return true
	}
	return false
}

// strokes maps letters with a stroke, which Unicode does not decompose, to their base letters.
var strokes = map[rune]rune{'ø': 'o', 'ł': 'l', 'đ': 'd', 'ħ': 'h', 'ı': 'i'}

// baseLetter returns a letter without its stroke, and the capital of a Cherokee letter, to which
// CaseFolding.txt folds both.
func baseLetter(r rune) rune {
	switch {
	case 0xab70 <= r && r <= 0xabbf:
		return r - 0xab70 + 0x13a0
	case 0x13f8 <= r && r <= 0x13fd:
		return r - 8
	}
	return cmp.Or(strokes[r], r)
}
