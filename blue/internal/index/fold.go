package index

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// kind is what a character does to words.
type kind uint8

const (
	other    kind = iota // separates
	letter               // letters and digits of spaced scripts
	mark                 // belongs to what stands before it
	unspaced             // letters of scripts that write no spaces
	picture              // a word of its own: emoji and the like
)

func kindOf(r rune) kind {
	switch {
	case r < 0x80:
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return letter
		}
		return other
	case r >= 0x0e00 && isUnspaced(r):
		return unspaced
	case r == '\u200b': // a space that is not seen
		return other
	case unicode.IsMark(r) || unicode.Is(unicode.Cf, r) || r == 'ﾞ' || r == 'ﾟ':
		return mark
	case unicode.IsLetter(r) || unicode.IsNumber(r):
		return letter
	case r >= 0x2600 && (r < 0x2800 || r > 0x28ff) && r != utf8.RuneError && unicode.Is(unicode.So, r): // no lines, arrows or braille
		return picture
	}
	return other
}

// isUnspaced also takes in Hangul, whose words carry their particles.
func isUnspaced(r rune) bool {
	return r == 'ー' || r == 'ｰ' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// fold brings a word to the form in which it is compared: NFKC, case folded,
// without diacritics and apostrophes, a possessive without its s.
func fold(word string) string {
	if isPlain(word) {
		return strings.ToLower(word)
	}
	if before, ok := cutPossessive(word); ok {
		word = before
	}
	word = strings.Map(func(r rune) rune {
		r = unicode.ToLower(unicode.ToUpper(r)) // the way up takes the long s and the final sigma along
		if isDiacritic(r) || !isWord(r) {
			return -1
		}
		return stroked(r)
	}, sharp.Replace(norm.NFKD.String(word)))
	return norm.NFC.String(word)
}

// sharp folds the one letter that becomes two once NFKD has taken words apart. The
// tables of x/text/cases would do so too, at 0.2 MB; a test holds fold against them.
var sharp = strings.NewReplacer("ß", "ss", "ẞ", "ss")

func isPlain(word string) bool {
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

func isWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || unicode.Is(unicode.So, r)
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

// stroked gives the base of letters whose stroke Unicode does not take apart, and the
// capital of a Cherokee letter, to which CaseFolding.txt folds both.
func stroked(r rune) rune {
	switch {
	case 0xab70 <= r && r <= 0xabbf:
		return r - 0xab70 + 0x13a0
	case 0x13f8 <= r && r <= 0x13fd:
		return r - 8
	}
	switch r {
	case 'ø':
		return 'o'
	case 'ł':
		return 'l'
	case 'đ':
		return 'd'
	case 'ħ':
		return 'h'
	case 'ı':
		return 'i'
	}
	return r
}
