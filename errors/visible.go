package errors

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// One table says which characters nobody sees or a screen obeys, for all who refuse them
// or spell them out. What may hold more of them is another question for the text of a
// note, for a terminal and for a name.

// HiddenInText reports a character that no note may hold. The joiners and marks that
// scripts need (U+200C to U+200F, U+061C, U+FE0E, U+FE0F) are none.
func HiddenInText(r rune) bool {
	switch {
	case unicode.IsControl(r): // C0, DEL, C1
		return r != '\n' && r != '\t'
	case r == 0x200b, 0x2060 <= r && r <= 0x2064, r == 0xfeff: // zero width
		return true
	case 0x202a <= r && r <= 0x202e, 0x2066 <= r && r <= 0x2069: // bidi embeddings, isolates
		return true
	case 0xfdd0 <= r && r <= 0xfdef, r&0xfffe == 0xfffe, r == utf8.RuneError: // noncharacters, lost characters
		return true
	}
	return 0xe0000 <= r && r <= 0xe007f || 0xe0100 <= r && r <= 0xe01ef // tags, variation selectors
}

// HiddenOnTerminal reports a character of [HiddenInText], or one that moves the cursor
// or changes the order of a line: separators, deprecated format characters, annotations.
func HiddenOnTerminal(r rune) bool {
	return HiddenInText(r) || r == 0x2028 || r == 0x2029 || 0x206a <= r && r <= 0x206f || 0xfff9 <= r && r <= 0xfffb
}

// HiddenInName reports a character of the former two, or any other that a listing would
// not show as it is: every control, format and separator character.
func HiddenInName(r rune) bool {
	return HiddenInText(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Visible shows each character of text that is hidden in a name, and each byte that is
// not UTF-8, as \u{…}: the rest stays. Doing so twice changes nothing more.
func Visible(text string) string {
	text, _ = Escape(text, HiddenInName)
	return text
}

// Escape shows each hidden character of text, and each byte that is not UTF-8, as
// \u{E0041}, and returns their number; what it returns is valid UTF-8. Doing so twice changes nothing more.
func Escape(text string, hidden func(rune) bool) (shown string, count int) {
	var b strings.Builder
	done := 0
	for i, r := range EachHidden(text, hidden) {
		_, size := utf8.DecodeRuneInString(text[i:])
		b.WriteString(text[done:i])
		fmt.Fprintf(&b, `\u{%X}`, r)
		done = i + size
		count++
	}
	if count == 0 {
		return text, 0
	}
	b.WriteString(text[done:])
	return b.String(), count
}

// EachHidden yields the hidden characters of text and where their bytes begin. A
// carriage return before a newline belongs to the line end, unless that is hidden too.
func EachHidden(text string, hidden func(rune) bool) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		for i, r := range text {
			if ' ' <= r && r <= '~' || !hidden(r) || r == '\r' && strings.HasPrefix(text[i+1:], "\n") && !hidden('\n') {
				continue
			}
			if !yield(i, r) {
				return
			}
		}
	}
}
