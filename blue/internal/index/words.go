package index

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// token is one way in which a place of a text can be found.
type token struct {
	text       string // folded
	pos        int    // ordinal of the word in the text; pieces and compounds have that of their first word
	start, end int    // bytes of the text
	form       form
}

type form uint8

const (
	whole    form = iota // a word as it stands: letters and digits, or two neighbours of an unspaced script
	piece                // of an identifier: "user" of getUserName
	compound             // the words of a chain written as one: "gosdk" of go-sdk
	couple               // two neighbours of three or more: "username" of get_user_name
	last                 // the last letter of an unspaced run, which begins no pair
)

const (
	termLimit  = 64 // bytes of a term; what is longer is cut, in notes and queries alike
	chainLimit = 8  // words, or pieces of a word, that are still taken for one identifier
)

// scanner walks over a text and yields its tokens.
//
// Its words are those of Unicode segmentation (UAX #29) that hold a letter, a
// digit or a picture, cut further at every separator: the places where the
// standard joins ("retry.go", "a_b", "1.8") are kept as compounds. Format
// characters are passed over.
type scanner struct {
	yield  func(token)
	single bool // no couples are wanted
	pos    int
	chain  []link
	from   int   // position of the first word of the chain
	gap    byte  // what stands between the chain and the next word
	cuts   []int // room for those of a word
}

// link is one word of a chain: words that stand together without space.
type link struct {
	text       string
	gap        byte // the separator before it
	start, end int
}

// scan yields the tokens of text, positions counted from pos, and returns the
// next free position.
func scan(text string, pos int, yield func(token)) int {
	s := scanner{yield: yield, pos: pos}
	s.scan(text)
	return s.pos
}

func (s *scanner) scan(text string) {
	before := 0 // end of the last word
	for at := 0; at < len(text); {
		r, size := decode(text[at:])
		kind := kindOf(r)
		if kind == other || kind == mark {
			at += size
			continue
		}
		end := runEnd(text, at+size, kind)
		s.separate(text[before:at], kind)
		s.run(text, at, end, kind)
		at, before = end, end
	}
	s.close()
}

// decode is utf8.DecodeRuneInString, quick for ASCII.
func decode(text string) (rune, int) {
	if text[0] < utf8.RuneSelf {
		return rune(text[0]), 1
	}
	return utf8.DecodeRuneInString(text)
}

func runEnd(text string, at int, kind kind) int {
	for kind != picture && at < len(text) {
		if kind == letter && codes[text[at]] > 0 {
			at++
			continue
		}
		r, size := decode(text[at:])
		switch next := kindOf(r); {
		case next == kind || next == mark:
		case isApostrophe(r) && kind == letter && startsLetter(text[at+size:]):
		default:
			return at
		}
		at += size
	}
	return at
}

func isApostrophe(r rune) bool { return r == '\'' || r == '’' }

func startsLetter(text string) bool {
	if text == "" {
		return false
	}
	r, _ := decode(text)
	return kindOf(r) == letter && !unicode.IsDigit(r)
}

// separate ends the chain unless the gap binds what stands on its two sides.
func (s *scanner) separate(gap string, next kind) {
	const binding = `-_./\:@#+`
	binds := func(c byte) bool { return strings.IndexByte(binding, c) >= 0 }
	tight := len(gap) == 1 && binds(gap[0]) || len(gap) == 2 && binds(gap[0]) && binds(gap[1])
	if !tight || next != letter {
		s.close()
		return
	}
	s.gap = gap[0]
}

func (s *scanner) run(text string, start, end int, kind kind) {
	if kind == unspaced {
		s.bigrams(text[start:end], start, end)
		return
	}
	word := text[start:end]
	folded := cut(fold(word))
	if folded == "" {
		return
	}
	s.yield(token{folded, s.pos, start, end, whole})
	if kind == letter {
		name := s.parts(word, folded, start, end)
		if len(s.chain) == 0 {
			s.from = s.pos
		}
		s.chain = append(s.chain, link{name, s.gap, start, end})
	}
	s.pos++
}

// parts yields the pieces of a mixed word and what two neighbours make
// together. It returns the name of the word within a compound: of a version
// "v1" the number, so that v1.8.0 and 1.8.0 are the same.
func (s *scanner) parts(word, folded string, start, end int) string {
	cuts := pieces(s.cuts[:0], word)
	if s.cuts = cuts; len(cuts) == 0 {
		return folded
	}
	previous, name := "", ""
	for i, to := range cuts {
		from := 0
		if i > 0 {
			from = cuts[i-1]
		}
		name = cut(fold(word[from:to]))
		if name == "" {
			continue
		}
		s.yield(token{name, s.pos, start, end, piece})
		if len(cuts) > 2 && previous != "" && !s.single {
			s.yield(token{cut(previous + name), s.pos, start, end, couple})
		}
		previous = name
	}
	if len(cuts) == 2 && cuts[0] == 1 && folded[0] == 'v' && isDigit(name[0]) {
		return name
	}
	return folded
}

// close ends a chain and yields its compounds: all of it, and each two
// neighbours that a path separator does not part.
func (s *scanner) close() {
	chain := s.chain
	s.chain = s.chain[:0]
	if len(chain) < 2 {
		return
	}
	end := chain[len(chain)-1].end
	if len(chain) <= chainLimit {
		if all := join(chain); len(all) <= termLimit {
			s.yield(token{all, s.from, chain[0].start, end, compound})
		}
	}
	for i := 1; i < len(chain) && len(chain) > 2 && !s.single; i++ {
		if strings.IndexByte(`/\:@`, chain[i].gap) < 0 {
			s.yield(token{cut(join(chain[i-1 : i+1])), s.from + i - 1, chain[i-1].start, chain[i].end, couple})
		}
	}
}

// join writes the words of a chain as one; only a point between digits stays.
func join(chain []link) string {
	size := len(chain)
	for _, l := range chain {
		size += len(l.text)
	}
	var b strings.Builder
	b.Grow(size)
	for i, l := range chain {
		if i > 0 && l.gap == '.' && isDigit(l.text[0]) && isDigit(chain[i-1].text[len(chain[i-1].text)-1]) {
			b.WriteByte('.')
		}
		b.WriteString(l.text)
	}
	return b.String()
}

func isDigit(c byte) bool { return '0' <= c && c <= '9' }

// bigrams yields each two neighbours of an unspaced run, and its last letter.
func (s *scanner) bigrams(run string, start, end int) {
	letters := []rune(fold(run))
	for i := range letters {
		if i+1 < len(letters) {
			s.yield(token{string(letters[i : i+2]), s.pos, start, end, whole})
		} else {
			s.yield(token{string(letters[i:]), s.pos, start, end, last})
		}
		s.pos++
	}
}

// cut shortens a term to termLimit at the border of a rune.
func cut(term string) string {
	if len(term) <= termLimit {
		return term
	}
	to := termLimit
	for !utf8.RuneStart(term[to]) {
		to--
	}
	return term[:to]
}
