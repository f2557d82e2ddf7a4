package screen_test

import (
	"fmt"
	"strings"
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
		shown, hidden := screen.Escape(text)
		if !refused(r) {
			if len(found) != 0 || hidden != 0 || shown != text {
				t.Errorf("%U is refused", r)
			}
			continue
		}
		if len(found) != 1 || found[0] != (screen.Finding{Line: 1, Column: 2, Last: 1, Code: r}) {
			t.Errorf("%U is not refused as it should: %v", r, found)
		}
		if want := fmt.Sprintf(`a\u{%X}b`, r); shown != want || hidden != 1 || screen.Terminal(text) != want {
			t.Errorf("%U is shown as %s", r, shown)
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
		{Line: 1, Column: 4, Last: 1, Code: 0x202e}, {Line: 3, Column: 1, Last: 3, Code: 0x200b}, {Line: 3, Column: 2, Last: 3, Code: 0x200b},
		{Line: 3, Column: 4, Last: 3, Code: 0x1b}, {Line: 4, Column: 1, Last: 4, Code: 0xfffd}, {Line: 4, Column: 2, Last: 4, Code: 0xfffd},
	}
	if fmt.Sprint(found) != fmt.Sprint(want) {
		t.Errorf("found %v, want %v", found, want)
	}
}

func TestCarriageReturnBelongsToALineEnd(t *testing.T) {
	for text, want := range map[string]string{
		"a\r\nb\r\n": "a\r\nb\r\n", "a\rb": `a\u{D}b`, "a\r": `a\u{D}`, "\r\r\n": "\\u{D}\r\n", "a\r\x00\n": `a\u{D}\u{0}` + "\n",
	} {
		if shown, hidden := screen.Escape(text); shown != want || hidden != len(screen.Hidden(text)) {
			t.Errorf("%q is shown as %q with %d hidden", text, shown, hidden)
		}
	}
}

func TestTerminalObeysNothing(t *testing.T) {
	for text, want := range map[string]string{
		"\x1b[31mred\x1b[0m":       `\u{1B}[31mred\u{1B}[0m`,
		"\u009b31m \x9b31m":        `\u{9B}31m \u{FFFD}31m`,
		"\x1b]0;title\x07\b\x7f":   `\u{1B}]0;title\u{7}\u{8}\u{7F}`,
		"a\rover\v\f\x0e":          `a\u{D}over\u{B}\u{C}\u{E}`,
		"one\u2028two\u2029":       `one\u{2028}two\u{2029}`,
		"\u206a\u206f\ufff9\ufffb": `\u{206A}\u{206F}\u{FFF9}\u{FFFB}`,
		"tab\tand\nline, 👩‍💻 שלום": "tab\tand\nline, 👩‍💻 שלום",
	} {
		if got := screen.Terminal(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, seed := range []string{"", "a\u200bb", "\xff\xfe", "\r\r\n", `\u{E0041}`, "\U000e0041", "\x1b[0m", "\u2028"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		shown, hidden := screen.Escape(text)
		if !utf8.ValidString(shown) || len(screen.Hidden(shown)) != 0 {
			t.Errorf("%q still hides something", shown)
		}
		if again, more := screen.Escape(shown); again != shown || more != 0 {
			t.Errorf("escaping %q twice differs: %q", text, again)
		}
		if n := len(screen.Hidden(text)); n != hidden {
			t.Errorf("%d findings, %d shown", n, hidden)
		}
		plain := screen.Terminal(text)
		if screen.Terminal(plain) != plain || strings.ContainsAny(plain, "\x1b\u009b\u2028\b") || !utf8.ValidString(plain) {
			t.Errorf("a terminal obeys %q", plain)
		}
	})
}

func BenchmarkHidden(b *testing.B) {
	text := clean2kB()
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		screen.Hidden(text)
	}
}
