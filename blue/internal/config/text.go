package config

import (
	"bytes"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// lineAt counts from 1.
func lineAt(src []byte, offset int) int {
	return 1 + bytes.Count(src[:min(offset, len(src))], []byte("\n"))
}

// oddLine is the line of the first byte that is no UTF-8, or of the first
// character that no text holds, 0 without one.
func oddLine(src []byte) int {
	for i := 0; i < len(src); {
		r, size := utf8.DecodeRune(src[i:])
		if r == utf8.RuneError && size == 1 || !strings.ContainsRune("\t\r\n", r) && unicode.IsControl(r) || r&^1 == 0xfffe {
			return lineAt(src, i)
		}
		i += size
	}
	return 0
}

// newline is the line end of a text: that of its first line.
func newline(src []byte) string {
	if i := bytes.IndexByte(src, '\n'); i > 0 && src[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

func replace(src []byte, start, end int, text string) []byte {
	return slices.Concat(src[:start], []byte(text), src[end:])
}

// insertText puts whole lines at the beginning of a line. Behind a last line without a
// line end they come without one too.
func insertText(src []byte, at int, text string) []byte {
	if len(bytes.TrimPrefix(src[:at], byteOrderMark)) > 0 && src[at-1] != '\n' {
		nl := newline(src)
		text = nl + strings.TrimSuffix(text, nl)
	}
	return replace(src, at, at, text)
}

// appendApart is insertText at the end, with a blank line before the text.
func appendApart(src []byte, text string) []byte {
	if len(bytes.TrimPrefix(src, byteOrderMark)) > 0 {
		text = newline(src) + text
	}
	return insertText(src, len(src), text)
}

// CheckText refuses what is not UTF-8 text.
func CheckText(src []byte) error {
	if !utf8.Valid(src) {
		return Fault{oddLine(src), "not UTF-8 text"}
	}
	return nil
}

// IsEmpty reports whether a text of JSON, TOML or YAML holds nothing any more.
func IsEmpty(src []byte) bool {
	text := bytes.TrimSpace(bytes.TrimPrefix(src, byteOrderMark))
	return len(text) == 0 || string(text) == "{}"
}
