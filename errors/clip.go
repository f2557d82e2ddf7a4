package errors

import (
	"strings"
	"unicode/utf8"
)

// Clip keeps at most n characters of a text; when some are left out, the last of the
// n is …, so that nothing is cut without a word. What a reply shows of a repository
// goes through here: whoever made that repository chose how long it is.
func Clip(text string, n int) string {
	if first(text, n) == text {
		return text
	}
	return strings.TrimRight(first(text, n-1), " ") + "…"
}

// Cut keeps at most n bytes of a text, in whole characters; when some are left out, the
// last is ….
func Cut(text string, n int) string {
	if len(text) <= n {
		return text
	}
	for n -= len("…"); n > 0 && !utf8.RuneStart(text[n]); n-- {
	}
	return text[:n] + "…"
}

// Short is [Cut] of a text that is made visible, as a message, trace or log repeats what
// somebody else has written.
func Short(text string, n int) string { return Cut(Visible(text[:min(n+1, len(text))]), n) }

// first is the first n characters of a text.
func first(text string, n int) string {
	at := 0
	for ; n > 0 && at < len(text); n-- {
		_, size := utf8.DecodeRuneInString(text[at:])
		at += size
	}
	return text[:at]
}
