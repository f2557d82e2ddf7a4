package words

import (
	"unicode"
	"unicode/utf8"
)

// class is the role of a character in words.
type class uint8

const (
	other    class = iota // separates words
	letter                // letters and digits of spaced scripts
	mark                  // belongs to the preceding character
	unspaced              // letters of scripts without spaces
	picture               // a word by itself: emoji and the like
)

func classOf(r rune) class {
	switch {
	case r < 0x80:
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9' {
			return letter
		}
		return other
	case r >= 0x0e00 && isUnspaced(r):
		return unspaced
	case r == '\u200b': // zero-width space
		return other
	case unicode.IsMark(r) || unicode.Is(unicode.Cf, r) || r == 'ﾞ' || r == 'ﾟ':
		return mark
	case unicode.IsLetter(r) || unicode.IsNumber(r):
		return letter
	case r >= 0x2600 && (r < 0x2800 || r > 0x28ff) && r != utf8.RuneError && unicode.Is(unicode.So, r): // except lines, arrows and braille
		return picture
	}
	return other
}

// isUnspaced reports whether a letter belongs to a script without spaces. That includes Hangul,
// whose words carry their particles.
func isUnspaced(r rune) bool {
	return r == 'ー' || r == 'ｰ' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar)
}

// isWordCharacter reports whether folding a word keeps the character.
func isWordCharacter(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r) || unicode.Is(unicode.So, r)
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

func startsWithLetter(text string) bool {
	r, _ := utf8.DecodeRuneInString(text) // not a letter if text is empty
	return classOf(r) == letter && !unicode.IsDigit(r)
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

const letters = 26

// codes maps the characters of ASCII words to numbers from 1, without regard to case and with y as
// i. All other bytes are 0.
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
