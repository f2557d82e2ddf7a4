package screen

import (
	"encoding/base64"
	hexadecimal "encoding/hex"
	"iter"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// view is a text as the rules look at it: as it is, without what hides a secret, or
// the few words that stand around a line end.
type view struct {
	text  string
	joins []int                           // where a line end was taken out
	back  func(start, end int) (int, int) // from a place in the view to that in the text
}

// views yields the ways to look at a text, the plain one first.
func views(text string) iter.Seq[view] {
	return func(yield func(view) bool) {
		v := view{text: text, back: func(start, end int) (int, int) { return start, end }}
		if !yield(v) {
			return
		}
		if plain, changed := unhidden(text); changed {
			v = plain
			if !yield(v) {
				return
			}
		}
		if !unpacked(v, yield) {
			return
		}
		for chain := range chains(v) {
			if !yield(chain) || !unpacked(chain, yield) {
				return
			}
		}
	}
}

// stops yields where a match that begins at a byte must end. In a view of joined
// lines a secret may end with each of the next lines: what follows it begins at
// once, with nothing between.
func (v view) stops(at, reach int) iter.Seq[int] {
	return func(yield func(int) bool) {
		limit := min(len(v.text), at+reach)
		next, _ := slices.BinarySearch(v.joins, at+1)
		if v.joins == nil || next == len(v.joins) {
			if v.joins == nil {
				yield(limit)
			}
			return
		}
		for _, stop := range append(slices.Clone(v.joins[next:min(len(v.joins), next+maxJoins)]), limit)[1:] {
			if !yield(min(stop, limit)) {
				return
			}
		}
	}
}

// maxJoins is on how many lines a token may stand.
const maxJoins = 8

func (v view) joined(at int) bool {
	_, ok := slices.BinarySearch(v.joins, at)
	return ok
}

// pieces builds a view out of parts of a text, and knows where each came from.
type pieces struct {
	text strings.Builder
	at   [][2]int // where a piece begins, in the view and in the text
}

func (p *pieces) add(piece string, from int) {
	if piece != "" {
		p.at = append(p.at, [2]int{p.text.Len(), from})
		p.text.WriteString(piece)
	}
}

// view finishes; parent leads back from where the pieces were taken.
func (p *pieces) view(joins []int, parent func(int, int) (int, int)) view {
	from := func(place int) int {
		i, ok := slices.BinarySearchFunc(p.at, place, func(at [2]int, place int) int { return at[0] - place })
		if !ok {
			i--
		}
		return p.at[i][1] + place - p.at[i][0]
	}
	return view{p.text.String(), joins, func(start, end int) (int, int) { return parent(from(start), from(end-1)+1) }}
}

// unhidden is a text without what a reader does not see or a program takes away:
// invisible characters, full-width letters, percent and backslash escapes.
func unhidden(text string) (v view, changed bool) {
	var p pieces
	done := 0
	for i := 0; i < len(text); {
		c := text[i]
		if c != '%' && c != '\\' && c < utf8.RuneSelf {
			i++
			continue
		}
		plain, size := unescape(text[i:])
		if size > 0 {
			p.add(text[done:i], done)
			p.add(plain, i)
			done, changed = i+size, true
		}
		i += max(size, 1)
	}
	if !changed {
		return view{}, false
	}
	p.add(text[done:], done)
	if p.text.Len() == 0 {
		return view{}, false
	}
	return p.view(nil, func(start, end int) (int, int) { return start, end }), true
}

// unescape is what stands for the character or escape that a text begins with, and
// its size in the text; 0 when it stands for itself.
func unescape(text string) (plain string, size int) {
	switch text[0] {
	case '%':
		return ascii(text, 1, 3)
	case '\\':
		return unslash(text)
	}
	r, size := utf8.DecodeRuneInString(text)
	if plain, ok := seen(r); ok {
		return plain, size
	}
	return "", 0
}

// ascii decodes the hexadecimal digits of an escape, when they are a character that
// a token can hold or one that nobody sees.
func ascii(text string, from, to int) (plain string, size int) {
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

func unslash(text string) (plain string, size int) {
	if len(text) < 2 {
		return "", 0
	}
	switch c := text[1]; {
	case c == 'u':
		return ascii(text, 2, 6)
	case c == 'x':
		return ascii(text, 2, 4)
	case c == 'n' || c == 'r':
		return "\n", 2
	case c == 't':
		return "\t", 2
	case c > ' ' && c < 0x7f && !alnum(c):
		return text[1:2], 2
	}
	return "", 0
}

// seen is what a reader takes a character for, when it is another one.
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

// unpacked yields what is packed in base64 or hexadecimal digits, when it is text.
func unpacked(v view, yield func(view) bool) bool {
	for i := 0; i < len(v.text); {
		start := i
		for i < len(v.text) && packing(v.text[i]) {
			i++
		}
		if text, ok := unpack(v.text[start:i]); ok {
			end := i
			if !yield(view{text: text, back: func(int, int) (int, int) { return v.back(start, end) }}) {
				return false
			}
		}
		i++
	}
	return true
}

func packing(c byte) bool { return urlSafe(c) || c == '+' || c == '/' }

// unpack decodes a run of characters, when it is long enough to hold a secret.
func unpack(run string) (text string, ok bool) {
	const least = 24
	if len(run) < least {
		return "", false
	}
	if text, err := hexadecimal.DecodeString(run); err == nil && printable(text) {
		return string(text), true
	}
	if len(run)%4 == 1 { // no base64 has this length: the last character is not of it
		run = run[:len(run)-1]
	}
	run = toStandard.Replace(run)
	if start, err := base64.RawStdEncoding.DecodeString(run[:least]); err != nil || !printable(start) {
		return "", false
	}
	data, err := base64.RawStdEncoding.DecodeString(run)
	return string(data), err == nil && printable(data)
}

var toStandard = strings.NewReplacer("-", "+", "_", "/")

func printable(data []byte) bool {
	return !slices.ContainsFunc(data, func(c byte) bool { return (c < ' ' || c > '~') && c != '\n' && c != '\r' && c != '\t' })
}
