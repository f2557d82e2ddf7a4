package screen

import (
	"encoding/base64"
	"strconv"
	"strings"
)

// unescape returns a text without the escapes of Markdown, JSON and URLs, and the offset in the text
// of each of its bytes and of its end. The offsets are nil if the text has no escapes.
func unescape(text string) (plain string, offsets []int) {
	if !strings.ContainsAny(text, `\%`) {
		return text, nil
	}
	var b strings.Builder
	for i := 0; i < len(text); {
		c, size := unescapeFirst(text[i:])
		b.WriteByte(c)
		offsets = append(offsets, i)
		i += size
	}
	if b.Len() == len(text) {
		return text, nil
	}
	return b.String(), append(offsets, len(text))
}

// unescapeFirst returns the first byte of a text and its size, which exceeds 1 if it is escaped.
func unescapeFirst(text string) (c byte, size int) {
	switch {
	case text[0] == '%':
		return unhex(text, 1, 3)
	case text[0] != '\\' || len(text) < 2:
	case text[1] == 'u':
		return unhex(text, 2, 6)
	case text[1] == 'x':
		return unhex(text, 2, 4)
	case text[1] == 'n' || text[1] == 'r':
		return '\n', 2
	case text[1] == 't':
		return '\t', 2
	case text[1] > ' ' && text[1] < 0x7f && !isAlnum(text[1]):
		return text[1], 2
	}
	return text[0], 1
}

// unhex decodes an escape whose digits are text[from:to], if it stands for a printable character of
// ASCII, or for the one that begins an escape sequence of a terminal.
func unhex(text string, from, to int) (c byte, size int) {
	if len(text) >= to {
		if code, err := strconv.ParseUint(text[from:to], 16, 16); err == nil && (' ' <= code && code < 0x7f || code == 0x1b) {
			return byte(code), to
		}
	}
	return text[0], 1
}

// scanBase64 returns the runs of base64 in a text that hold a secret.
func scanBase64(text string) (found []span) {
	for i := 0; i < len(text); i++ {
		start := i
		for i < len(text) && isBase64Char(text[i]) {
			i++
		}
		if inner, ok := decodeRun(text[start:i]); ok {
			for _, s := range scan(inner) {
				found = append(found, span{s.rule, start, i})
			}
		}
	}
	return found
}

// decodeRun decodes a run of base64 if it is long enough to contain a secret.
func decodeRun(run string) (text string, ok bool) {
	const least = 24
	if len(run) < least {
		return "", false
	}
	if _, ok := decodeBase64(run[:least]); !ok { // without decoding the rest
		return "", false
	}
	return decodeBase64(run)
}

var standardAlphabet = strings.NewReplacer("-", "+", "_", "/")

// decodeBase64 decodes printable text in base64 with or without padding.
func decodeBase64(value string) (text string, ok bool) {
	data, err := base64.RawStdEncoding.DecodeString(standardAlphabet.Replace(strings.TrimRight(value, "=")))
	return string(data), err == nil && len(data) > 0 && isPrintable(data)
}
