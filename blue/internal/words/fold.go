package words

import (
	"cmp"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Fold brings a word to the form in which it is compared: NFKC, case folded,
// without diacritics and apostrophes, a possessive without its s.
func Fold(word string) string {
	if isPlainASCII(word) {
		return strings.ToLower(word)
	}
	if before, ok := cutPossessive(word); ok {
		word = before
	}
	word = strings.Map(func(r rune) rune {
		r = unicode.ToLower(unicode.ToUpper(r)) // the way up takes the long s and the final sigma along
		if isDiacritic(r) || !isWordCharacter(r) {
			return -1
		}
		return baseLetter(r)
	}, sharpS.Replace(norm.NFKD.String(word)))
	return norm.NFC.String(word)
}

// sharpS folds the one letter that becomes two once NFKD has taken words apart. The
// tables of x/text/cases would do so too, at 0.2 MB; a test holds Fold against them.
var sharpS = strings.NewReplacer("ß", "ss", "ẞ", "ss")

// isPlainASCII reports a word of ASCII without apostrophes.
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

// isDiacritic reports marks that a reader may leave out; the vowel signs of
// Indic scripts and the voicing marks of kana are letters in all but name.
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

// strokes has the base of letters whose stroke Unicode does not decompose.
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
