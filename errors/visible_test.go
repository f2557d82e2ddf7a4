package errors_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"blue/errors"
)

func TestCarriageReturnBelongsToALineEnd(t *testing.T) {
	for text, want := range map[string]string{
		"a\r\nb\r\n": "a\r\nb\r\n", "a\rb": `a\u{D}b`, "a\r": `a\u{D}`, "\r\r\n": "\\u{D}\r\n", "a\r\x00\n": `a\u{D}\u{0}` + "\n",
	} {
		if shown, hidden := errors.Escape(text, errors.HiddenInText); shown != want || hidden != strings.Count(want, `\u{`) {
			t.Errorf("%q is shown as %q with %d hidden", text, shown, hidden)
		}
	}
	if got := errors.Visible("a\r\nb"); got != `a\u{D}\u{A}b` {
		t.Errorf("a name shows a line end as %q", got)
	}
}

// Promise 27: what a text may not hold is spelled out everywhere, and a name shows no
// more than a terminal does.
func TestPromise27OneTable(t *testing.T) {
	for r := rune(0); r <= utf8.MaxRune; r++ {
		text, terminal, name := errors.HiddenInText(r), errors.HiddenOnTerminal(r), errors.HiddenInName(r)
		if text && !terminal || terminal && !name {
			t.Errorf("%U is hidden in text %t, on a terminal %t, in a name %t", r, text, terminal, name)
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
		if got := onTerminal(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func onTerminal(text string) string {
	text, _ = errors.Escape(text, errors.HiddenOnTerminal)
	return text
}

func FuzzEscape(f *testing.F) {
	for _, seed := range []string{"", "a\u200bb", "\xff\xfe", "\r\r\n", `\u{E0041}`, "\U000e0041", "\x1b[0m", "\u2028"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, hidden := range []func(rune) bool{errors.HiddenInText, errors.HiddenOnTerminal, errors.HiddenInName} {
			shown, _ := errors.Escape(text, hidden)
			if !utf8.ValidString(shown) {
				t.Errorf("%q is no UTF-8", shown)
			}
			if again, more := errors.Escape(shown, hidden); again != shown || more != 0 {
				t.Errorf("escaping %q twice differs: %q", text, again)
			}
		}
		if plain := onTerminal(text); strings.ContainsAny(plain, "\x1b\u009b\u2028\b") {
			t.Errorf("a terminal obeys %q", plain)
		}
	})
}
