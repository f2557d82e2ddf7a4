package transfer

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"blue/blue/internal/note"
	"blue/errors"
)

// A bundle shows the hidden characters of a note: U+200B becomes "U+200B;", which is text in
// Markdown and in every scalar and comment of YAML. The key "hidden" with the value "escaped"
// says so. An import restores them.
const (
	hiddenKey     = "hidden"
	hiddenEscaped = "escaped"
)

// escapedRune matches an escaped character, or text that looks like one.
var escapedRune = regexp.MustCompile(`U\+[0-9A-F]{2,6};`)

// escapeHidden returns the note of a file for a bundle, its hidden characters escaped.
func escapeHidden(name string, data []byte) (note.Text, error) {
	n, whole := note.ParseText(name, data), string(data)
	if _, count := errors.Escape(whole, errors.HiddenInText); count == 0 || n.Problem != "" {
		return n, nil
	}
	whole = escapedRune.ReplaceAllStringFunc(whole, func(s string) string { return "U+55;" + s[1:] })
	var b strings.Builder
	done := 0
	for at, r := range errors.EachHidden(whole, errors.HiddenInText) {
		fmt.Fprintf(&b, "%sU+%02X;", whole[done:at], r)
		done = at + len(string(r))
	}
	n = note.ParseText(name, []byte(b.String()+whole[done:]))
	return n, n.SetKey(hiddenKey, hiddenEscaped)
}

// restoreHidden returns the text of a file of a bundle as it was before [escapeHidden], and how many
// hidden characters it holds.
func restoreHidden(text string) (restored string, count int, err error) {
	n := note.ParseText("", []byte(text))
	if err := n.SetKey(hiddenKey, nil); err != nil {
		return text, 0, err
	}
	restored = escapedRune.ReplaceAllStringFunc(string(n.Bytes()), func(s string) string {
		code, err := strconv.ParseUint(strings.Trim(s, "U+;"), 16, 21)
		if err != nil {
			return s
		}
		if errors.HiddenInText(rune(code)) {
			count++
		}
		return string(rune(code))
	})
	return restored, count, nil
}

// withoutHidden returns a text without its hidden characters.
func withoutHidden(text string) string {
	return strings.Map(func(r rune) rune {
		if errors.HiddenInText(r) {
			return -1
		}
		return r
	}, text)
}
