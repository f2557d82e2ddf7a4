package errors

import (
	"cmp"
	"fmt"
	"iter"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// These functions define which characters are invisible or control a terminal, for all code
// that rejects or escapes them. The text of a note, a terminal and a name allow different sets.

// HiddenInText reports whether no note may hold the character. It allows the joiners and marks
// that scripts need (U+200C to U+200F, U+061C, U+FE0E, U+FE0F).
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

// HiddenOnTerminal reports whether a character is hidden according to [HiddenInText], moves the
// cursor, or changes the order of a line: separators, deprecated format characters,
// annotations.
func HiddenOnTerminal(r rune) bool {
	return HiddenInText(r) || r == 0x2028 || r == 0x2029 || 0x206a <= r && r <= 0x206f || 0xfff9 <= r && r <= 0xfffb
}

// HiddenInName reports whether a character is hidden according to [HiddenInText] or would not
// be shown as it is in a listing: every control, format and separator character.
func HiddenInName(r rune) bool {
	return HiddenInText(r) || unicode.In(r, unicode.Cc, unicode.Cf, unicode.Zl, unicode.Zp)
}

// Visible escapes each character of text that is hidden in a name, and each byte that is not
// UTF-8, as \u{…}. It is idempotent.
func Visible(text string) string {
	text, _ = Escape(text, HiddenInName)
	return text
}

// Printable escapes each character of text that is hidden on a terminal or acts on it, and each
// byte that is not UTF-8, as \u{…}. It is idempotent.
func Printable(text string) string {
	text, _ = Escape(text, HiddenOnTerminal)
	return text
}

// Escape escapes each hidden character of text, and each byte that is not UTF-8, as \u{E0041},
// and returns their number. The result is valid UTF-8. Escape is idempotent.
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

// EachHidden yields the hidden characters of text with their byte offsets. A carriage return
// before a newline belongs to the line end, unless newlines are hidden, too.
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

// Clip truncates a text to at most n characters; a truncated text ends with …, so that no
// truncation goes unnoticed. Replies use it for whatever they show of a repository, whose
// authors chose the length.
func Clip(text string, n int) string {
	if first(text, n) == text {
		return text
	}
	return strings.TrimRight(first(text, n-1), " ") + "…"
}

// Cut truncates a text to at most n bytes, at a character boundary; a truncated text ends with
// ….
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n -= len("…"); n > 0 && !utf8.RuneStart(text[n]); n-- {
	}
	return text[:n] + "…"
}

// Short is [Cut] of a text made visible. Messages, traces and logs use it for texts of others.
func Short(text string, n int) string { return Cut(Visible(text[:min(n+1, len(text))]), n) }

// CutMiddle truncates a text to at most n bytes, at character boundaries; … stands in the place of
// its middle. Of a long path the end tells more than the middle.
func CutMiddle(text string, n int) string {
	if len(text) <= n {
		return text
	}
	head, tail := n/3, len(text)-(n-n/3-len("…"))
	for head > 0 && !utf8.RuneStart(text[head]) {
		head--
	}
	for tail < len(text) && !utf8.RuneStart(text[tail]) {
		tail++
	}
	return text[:head] + "…" + text[tail:]
}

// first returns the first n characters of a text.
func first(text string, n int) string {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return text[:at]
}

// Reason returns the message of another program as an error may show it.
func Reason(text string) string { return Clip(Visible(text), 300) }

// Quote returns a caller's value for display: visible, quoted, and truncated to 80 characters,
// or to longest for a path.
func Quote(value string) string {
	most := 80
	if filepath.IsAbs(value) {
		most = longest
	}
	if start := first(value, most); start != value {
		value = start + "…"
	}
	quoted := fmt.Sprintf("%q", value)
	if runtime.GOOS == "windows" && most == longest {
		quoted = strings.ReplaceAll(quoted, `\\`, `\`) // as everywhere else
	}
	return Visible(quoted) // %q leaves variation selectors as they are
}

// Lines returns the first n words for display in an error: each visible, on one line, and of at
// most size characters.
func Lines(words []string, n, size int) []string {
	shown := []string{}
	for _, word := range words[:min(n, len(words))] {
		shown = append(shown, Clip(Visible(Clip(word, size)), size))
	}
	return shown
}

// List joins the first n words and says how many more there are.
func List(words []string, n int) string {
	if len(words) > n {
		words = append(words[:n:n], fmt.Sprintf("and %d more", len(words)-n))
	}
	return strings.Join(words, ", ")
}

// longest is how many bytes of a path a message shows, which keeps the text of an error below 2
// KiB.
const longest = 256

// Path returns a path for display.
func Path(path string) string {
	if strings.TrimSpace(path) != path { // a space at an end would not be seen
		return Quote(path)
	}
	return Short(path, longest)
}

// listed joins paths for display in a message.
func listed(paths []string) string { return Paths(paths, 2*longest) }

// Paths joins as many paths as fit into n bytes, at least one, and counts the rest. It does not
// truncate paths after the first, because the reader may pass one of them on.
func Paths(paths []string, n int) string {
	text := Short(paths[0], n)
	for i, path := range paths[1:] {
		path = Visible(path)
		if len(text)+len(path) > n {
			return fmt.Sprintf("%s, and %d more", text, len(paths)-i-1)
		}
		text += ", " + path
	}
	return text
}

// bare matches words that need no shell quoting.
var bare = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]+$`)

// Argument quotes a path as one word of a command line. A path that a command line cannot hold
// in full becomes the word DIR.
func Argument(path string) string {
	if path == "" || len(path) > longest || Visible(path) != path {
		return "DIR"
	}
	if bare.MatchString(path) {
		return path
	}
	if runtime.GOOS == "windows" {
		return `"` + path + `"`
	}
	return "'" + strings.ReplaceAll(path, "'", `'\''`) + "'"
}

// Near returns the known names that a word may be a misspelling of, the nearest first: one
// contains the other, or their edit distance is at most two, and less than half of a short word.
func Near(word string, known ...string) (near []string) {
	word = strings.ToLower(word)
	if word == "" || len(word) > 100 {
		return nil
	}
	for _, name := range known {
		if strings.Contains(name, word) || strings.Contains(word, name) || distance(word, name) <= min(2, len(word)/2) {
			near = append(near, name)
		}
	}
	slices.SortStableFunc(near, func(a, b string) int { return cmp.Compare(distance(word, a), distance(word, b)) })
	return near
}

// Misspelled reports whether one letter more or less, another letter, or two that change places
// make a name of a word.
func Misspelled(word, name string) bool {
	return len(word) <= 100 && distance(strings.ToLower(word), strings.ToLower(name)) == 1
}

// distance returns the edit distance of a and b in bytes. Two neighbours that change places count
// as one edit.
func distance(a, b string) int {
	var before []int
	last := make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			step := last[j]
			if a[i] != b[j] {
				step++
			}
			row[j+1] = min(step, last[j+1]+1, row[j]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
