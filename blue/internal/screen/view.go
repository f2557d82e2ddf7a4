package screen

import (
	"encoding/base64"
	hexadecimal "encoding/hex"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// view is a form of a text that the rules search: the text itself, the text without obfuscation, or
// the few words around line ends.
type view struct {
	text   string
	joins  []int                           // offsets at which line ends were removed
	toText func(start, end int) (int, int) // converts offsets in the view to offsets in the text
}

// matchEnds returns the offsets at which a match may end whose literal ends at an offset. In a view
// of joined lines a secret may end at the end of each of the next lines, because the following text
// is joined without a separator.
func (v view) matchEnds(at, reach int) []int {
	limit := min(len(v.text), at+reach)
	if v.joins == nil {
		return []int{limit}
	}
	next, _ := slices.BinarySearch(v.joins, at+1)
	if next == len(v.joins) {
		return nil
	}
	ends := append(slices.Clone(v.joins[next+1:min(len(v.joins), next+maxJoins)]), limit)
	for i := range ends {
		ends[i] = min(ends[i], limit)
	}
	return ends
}

// viewBuilder builds a view from pieces of a text, and records the origin of each.
type viewBuilder struct {
	text strings.Builder
	at   [][2]int // start of each piece, in the view and in the text
}

func (p *viewBuilder) addPiece(piece string, from int) {
	if piece != "" {
		p.at = append(p.at, [2]int{p.text.Len(), from})
		p.text.WriteString(piece)
	}
}

// build returns the view; parent maps offsets of the text that the pieces were taken from.
func (p *viewBuilder) build(joins []int, parent func(int, int) (int, int)) view {
	from := func(place int) int {
		i, ok := slices.BinarySearchFunc(p.at, place, func(at [2]int, place int) int { return at[0] - place })
		if !ok {
			i--
		}
		return p.at[i][1] + place - p.at[i][0]
	}
	return view{p.text.String(), joins, func(start, end int) (int, int) { return parent(from(start), from(end-1)+1) }}
}

// decodeEscapes returns a text as a reader or a program interprets it: without invisible
// characters, and with full-width letters, percent escapes and backslash escapes decoded.
func decodeEscapes(text string) (v view, changed bool) {
	var p viewBuilder
	done := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c != '%' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		plain, size := unescapeFirst(text[i:])
		if size > 0 {
			p.addPiece(text[done:i], done)
			p.addPiece(plain, i)
			done, changed = i+size, true
		}
		i += max(size, 1)
	}
	if !changed {
		return view{}, false
	}
	p.addPiece(text[done:], done)
	if p.text.Len() == 0 {
		return view{}, false
	}
	return p.build(nil, func(start, end int) (int, int) { return start, end }), true
}

// unescapeFirst returns the first character of a text as a reader interprets it and the size of its
// encoding, or size 0 if it is not encoded.
func unescapeFirst(text string) (plain string, size int) {
	switch text[0] {
	case '%':
		return decodeHexEscape(text, 1, 3)
	case '\\':
		return unescapeBackslash(text)
	}
	r, size := utf8.DecodeRuneInString(text)
	if plain, ok := seen(r); ok {
		return plain, size
	}
	return "", 0
}

// decodeHexEscape decodes the hexadecimal digits of an escape if they encode a character that
// tokens may have or an invisible one.
func decodeHexEscape(text string, from, to int) (plain string, size int) {
	if len(text) < to {
		return "", 0
	}
	code, err := strconv.ParseUint(text[from:to], 16, 32)
	if err != nil || code < ' ' {
		return "", 0
	}
	if code < 0x7f {
		return string(rune(code)), to
	}
	if plain, ok := seen(rune(code)); ok && to > 3 {
		return plain, to
	}
	return "", 0
}

func unescapeBackslash(text string) (plain string, size int) {
	if len(text) < 2 {
		return "", 0
	}
	switch c := text[1]; {
	case c == 'u':
		return decodeHexEscape(text, 2, 6)
	case c == 'x':
		return decodeHexEscape(text, 2, 4)
	case c == 'n' || c == 'r':
		return "\n", 2
	case c == 't':
		return "\t", 2
	case c > ' ' && c < 0x7f && !isAlnum(c):
		return text[1:2], 2
	}
	return "", 0
}

// seen returns how a reader sees a character, if that differs from the character.
func seen(r rune) (plain string, ok bool) {
	switch {
	case 0xff01 <= r && r <= 0xff5e: // full width
		return string(r - 0xff01 + '!'), true
	case 0x2010 <= r && r <= 0x2015 || r == 0x2212: // hyphens and dashes
		return "-", true
	case r == 0xa0 || r == 0x3000: // spaces
		return " ", true
	case r == 0x2028 || r == 0x2029 || r == 0x85: // line ends
		return "\n", true
	case r == utf8.RuneError:
		return "", false
	}
	return "", unicode.In(r, unicode.Cf, unicode.Variation_Selector, unicode.Other_Default_Ignorable_Code_Point)
}

// scanDecoded scans the texts that are encoded in a view as base64 or hexadecimal digits.
func (s *scanner) scanDecoded(v view) {
	for i := 0; i < len(v.text); i++ {
		start := i
		for i < len(v.text) && isBase64Char(v.text[i]) {
			i++
		}
		if text, ok := decodeRun(v.text[start:i]); ok {
			end := i
			s.scanView(view{text: text, toText: func(int, int) (int, int) { return v.toText(start, end) }})
		}
	}
}

// decodeRun decodes a run of hexadecimal digits or base64 if it is long enough to contain a secret.
func decodeRun(run string) (text string, ok bool) {
	const least = 24
	if len(run) < least {
		return "", false
	}
	if text, err := hexadecimal.DecodeString(run); err == nil && isPrintable(text) {
		return string(text), true
	}
	if len(run)%4 == 1 { // no base64 has this length, so the last character is not part of it
		run = run[:len(run)-1]
	}
	run = standardAlphabet.Replace(run)
	if start, err := base64.RawStdEncoding.DecodeString(run[:least]); err != nil || !isPrintable(start) {
		return "", false
	}
	data, err := base64.RawStdEncoding.DecodeString(run)
	return string(data), err == nil && isPrintable(data)
}

// scanJoined scans the words around line ends, joined: one of these views contains the whole of a
// token that was split over lines. A line that is one word is joined with both of its neighbours.
// Quotation marks and indentation are left out.
func (s *scanner) scanJoined(v view) {
	var words [][2]int // offsets of the words
	text, line := v.text, 0
	for {
		size := strings.IndexByte(text[line:], '\n')
		if size < 0 {
			break
		}
		end, rest := lineEnd(text, line, line+size), strings.TrimPrefix(text[line+size+1:], "+") // of a diff
		rest = strings.TrimLeft(rest, " \t>#*|\"'`")                                             // indentation and quotation
		if n := len(words); n == 0 || words[n-1][1] != end {
			s.scanChain(v, words)
			words = append(words[:0], [2]int{line + len(strings.TrimRightFunc(text[line:end], isJoinable)), end})
		}
		line += size + 1
		words = append(words, [2]int{len(text) - len(rest), len(text) - len(strings.TrimLeftFunc(rest, isJoinable))})
	}
	s.scanChain(v, words)
}

// scanChain scans the joined words if they are long enough to contain a secret.
func (s *scanner) scanChain(v view, words [][2]int) {
	size, digits := 0, false
	for _, at := range words {
		size += at[1] - at[0]
		digits = digits || hasDigit(v.text[at[0]:at[1]])
	}
	if size < minJoined || !digits {
		return
	}
	var p viewBuilder
	var joins []int
	for _, at := range words {
		if p.text.Len() > 0 && at[0] < at[1] {
			joins = append(joins, p.text.Len())
		}
		p.addPiece(v.text[at[0]:at[1]], at[0])
	}
	if len(joins) > 0 {
		chain := p.build(joins, v.toText)
		s.joined = true
		s.scanView(chain)
		s.scanDecoded(chain)
		s.joined = false
	}
}

// lineEnd returns the end of the text of a line, without continuation marks and comments that allow
// a secret on it.
func lineEnd(text string, start, end int) int {
	for {
		line := strings.TrimRight(text[start:end], " \t\r\\\"'`")
		if strings.HasSuffix(line, "-->") {
			line = line[:max(0, strings.LastIndex(line, "<!--"))]
		}
		if n := len(line); n > 1 && line[n-1] == '+' && strings.IndexByte(" \"'`", line[n-2]) >= 0 {
			line = line[:n-1]
		}
		if start+len(line) == end {
			return end
		}
		end = start + len(line)
	}
}

func isJoinable(r rune) bool {
	return r < utf8.RuneSelf && (isWord(byte(r)) || strings.ContainsRune("-+/=.%:@$~!", r))
}
