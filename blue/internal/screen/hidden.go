package screen

import (
	"fmt"
	"iter"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Hidden returns the places of the characters that docs/notes.md
// refuses. A byte that is no UTF-8 counts as U+FFFD. A carriage return before a
// newline belongs to the line end and is none.
func Hidden(text string) []Finding {
	var spans []span
	for i, r := range each(text, refused) {
		spans = append(spans, span{code: r, start: i, end: i})
	}
	return locate(text, spans)
}

// Escape returns text with each character that [Hidden] finds shown as
// \u{E0041}, and their number. Escaping twice equals escaping once; what it
// returns is valid UTF-8.
func Escape(text string) (shown string, hidden int) {
	return escape(text, refused)
}

// Terminal is [Escape] for text that goes to a terminal: it also shows what only
// a terminal would obey, such as line and paragraph separators.
func Terminal(text string) string {
	shown, _ := escape(text, obeyed)
	return shown
}

func escape(text string, bad func(rune) bool) (shown string, hidden int) {
	var b strings.Builder
	done := 0
	for i, r := range each(text, bad) {
		_, size := utf8.DecodeRuneInString(text[i:])
		b.WriteString(text[done:i])
		fmt.Fprintf(&b, `\u{%X}`, r)
		done = i + size
		hidden++
	}
	if hidden == 0 {
		return text, 0
	}
	b.WriteString(text[done:])
	return b.String(), hidden
}

// each yields the bad characters of text and where their bytes begin.
func each(text string, bad func(rune) bool) iter.Seq2[int, rune] {
	return func(yield func(int, rune) bool) {
		for i, r := range text {
			if r >= ' ' && r < 0x7f || r == '\n' || r == '\t' || !bad(r) {
				continue
			}
			if r == '\r' && strings.HasPrefix(text[i+1:], "\n") {
				continue
			}
			if !yield(i, r) {
				return
			}
		}
	}
}

// refused reports whether a write refuses the character. The joiners and marks
// that scripts need (U+200C to U+200F, U+061C, U+FE0E, U+FE0F) are not refused.
func refused(r rune) bool {
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

// obeyed adds to refused what moves the cursor or changes the order of a line:
// separators, deprecated format characters, annotations.
func obeyed(r rune) bool {
	return refused(r) || r == 0x2028 || r == 0x2029 || 0x206a <= r && r <= 0x206f || 0xfff9 <= r && r <= 0xfffb
}
