package words

import (
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

// TestFoldIsUnicodes holds the folding of every character, alone and between others,
// against the tables of x/text, which are too large for the binary.
func TestFoldIsUnicodes(t *testing.T) {
	t.Parallel()
	caser := cases.Fold()
	for r := rune(0x80); r <= unicode.MaxRune; r++ {
		if !isWordCharacter(r) || unicode.In(r, unicode.Han, unicode.Hangul) {
			continue // no part of a word; scripts without case
		}
		for _, word := range []string{string(r), "a" + string(r) + "\u0301\u0345ſς"} {
			want := strings.Map(func(r rune) rune {
				if isDiacritic(r) || !isWordCharacter(r) {
					return -1
				}
				return baseLetter(r)
			}, norm.NFKD.String(caser.String(norm.NFKD.String(word))))
			if got := Fold(word); got != norm.NFC.String(want) {
				t.Errorf("Fold(%q) = %q, want %q", word, got, norm.NFC.String(want))
			}
		}
	}
}
