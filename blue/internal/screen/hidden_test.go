package screen_test

import (
	"fmt"
	"testing"
	"unicode/utf8"

	"blue/blue/internal/screen"
)

// hiddenRanges restates the characters that a note may not hold; the noncharacters that end each plane
// are added in refused.
var hiddenRanges = [][2]rune{
	{0, 0x08}, {0x0b, 0x1f}, {0x7f, 0x9f}, {0x200b, 0x200b}, {0x202a, 0x202e}, {0x2060, 0x2064}, {0x2066, 0x2069},
	{0xfdd0, 0xfdef}, {0xfeff, 0xfeff}, {0xfffd, 0xfffd}, {0xe0000, 0xe007f}, {0xe0100, 0xe01ef},
}

func refused(r rune) bool {
	for _, span := range hiddenRanges {
		if span[0] <= r && r <= span[1] {
			return true
		}
	}
	return r%0x10000 >= 0xfffe
}

func TestPromise27EveryCharacter(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		if 0xd800 <= r && r <= 0xdfff {
			continue
		}
		text := "a" + string(r) + "b"
		found := screen.Hidden(text)
		if !refused(r) {
			if len(found) != 0 {
				t.Errorf("%U is refused", r)
			}
			continue
		}
		if len(found) != 1 || found[0] != (screen.Finding{Line: 1, Column: 2, Last: 1, Code: fmt.Sprintf("U+%04X", r)}) {
			t.Errorf("%U is not refused as it should: %v", r, found)
		}
	}
	for _, r := range []rune{0x200c, 0x200d, 0x200e, 0x200f, 0x061c, 0xfe0e, 0xfe0f} {
		if refused(r) {
			t.Errorf("%U must be allowed", r)
		}
	}
}

func TestHiddenNamesPlaces(t *testing.T) {
	found := screen.Hidden("ä\tb\u202e\n\n\u200b\u200bé\x1bx\n\xff\xc3")
	want := []screen.Finding{
		{Line: 1, Column: 4, Last: 1, Code: "U+202E"}, {Line: 3, Column: 1, Last: 3, Code: "U+200B"}, {Line: 3, Column: 2, Last: 3, Code: "U+200B"},
		{Line: 3, Column: 4, Last: 3, Code: "U+001B"}, {Line: 4, Column: 1, Last: 4, Code: "U+FFFD"}, {Line: 4, Column: 2, Last: 4, Code: "U+FFFD"},
	}
	if fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

func BenchmarkHidden(b *testing.B) {
	text := clean2kB()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		screen.Hidden(text)
	}
}
