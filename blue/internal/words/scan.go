package words

import (
	"strings"
	"unicode/utf8"
)

// Word is one term that occurs in a text.
type Word struct {
	Text       string // folded
	Position   int    // ordinal of the word; pieces and compounds have that of their first word
	Start, End int    // byte offsets in the text
	Form       Form
}

// Form is the way in which a term occurs in the text.
type Form uint8

// The forms. Those up to Piece are yielded in ascending order of positions.
const (
	Whole    Form = iota // a word as written: letters and digits, or a bigram of a script without spaces
	Piece                // a piece of an identifier: "user" of getUserName
	Compound             // the words of an identifier joined: "gosdk" of go-sdk
	Shingle              // two neighbours of three or more, joined: "username" of get_user_name
	Last                 // the last letter of a run without spaces, which begins no bigram
)

// TermLimit is the maximum size of a term in bytes. Longer terms are truncated, both in notes and
// in queries.
const TermLimit = 64

// Scanner scans a text and yields its terms.
//
// Its words are those of Unicode segmentation (UAX #29) that contain a letter, a digit or a
// picture, split further at every separator: where the standard does not split ("retry.go", "a_b",
// "1.8"), the scanner adds a compound. Format characters are ignored.
type Scanner struct {
	Yield      func(Word)
	NoShingles bool
	Position   int // of the next word

	chain      []link
	chainStart int   // position of the first word of the chain
	gap        byte  // separator between the chain and the next word
	cuts       []int // buffer for scanPieces
}

// link is one word of a chain: a sequence of words without space between them.
type link struct {
	text       string
	gap        byte // the separator before it
	start, end int
}

// Scan yields the terms of text with positions starting at position, and returns the next free
// position.
func Scan(text string, position int, yield func(Word)) int {
	s := Scanner{Yield: yield, Position: position}
	s.Scan(text)
	return s.Position
}

// Scan yields the terms of a text. Positions continue from the previous call.
func (s *Scanner) Scan(text string) {
	before := 0 // end of the last word
	for at := 0; at < len(text); {
		r, size := utf8.DecodeRuneInString(text[at:])
		class := classOf(r)
		if class == other || class == mark {
			at += size
			continue
		}
		end := runEnd(text, at+size, class)
		s.bindOrEndChain(text[before:at], class)
		s.scanRun(text, at, end, class)
		at, before = end, end
	}
	s.endChain()
}

// runEnd returns the end of a run of characters of one class.
func runEnd(text string, at int, class class) int {
	for class != picture && at < len(text) {
		if class == letter && codes[text[at]] > 0 {
			at++
			continue
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		switch next := classOf(r); {
		case next == class || next == mark:
		case isApostrophe(r) && class == letter && startsWithLetter(text[at+size:]):
		default:
			return at
		}
		at += size
	}
	return at
}

// bindOrEndChain ends the chain unless the gap joins the words on its two sides.
func (s *Scanner) bindOrEndChain(gap string, next class) {
	const binding = `-_./\:@#+`
	binds := func(c byte) bool { return strings.IndexByte(binding, c) >= 0 }
	tight := len(gap) == 1 && binds(gap[0]) || len(gap) == 2 && binds(gap[0]) && binds(gap[1])
	if !tight || next != letter {
		s.endChain()
		return
	}
	s.gap = gap[0]
}

// scanRun yields the terms of a run of characters of one class.
func (s *Scanner) scanRun(text string, start, end int, class class) {
	if class == unspaced {
		s.scanBigrams(text[start:end], start, end)
		return
	}
	word := text[start:end]
	folded := truncate(Fold(word))
	if folded == "" {
		return
	}
	s.Yield(Word{folded, s.Position, start, end, Whole})
	if class == letter {
		name := s.scanPieces(word, folded, start, end)
		if len(s.chain) == 0 {
			s.chainStart = s.Position
		}
		s.chain = append(s.chain, link{name, s.gap, start, end})
	}
	s.Position++
}

// scanPieces yields the pieces of a mixed word and its joined neighbours. It returns the form of
// the word in a compound: for a version "v1" that is the number, so that v1.8.0 and 1.8.0 are the
// same.
func (s *Scanner) scanPieces(word, folded string, start, end int) string {
	cuts := cutIdentifier(s.cuts[:0], word)
	if s.cuts = cuts; len(cuts) == 0 {
		return folded
	}
	previous, name := "", ""
	for i, to := range cuts {
		from := 0
		if i > 0 {
			from = cuts[i-1]
		}
		name = truncate(Fold(word[from:to]))
		if name == "" {
			continue
		}
		s.Yield(Word{name, s.Position, start, end, Piece})
		if len(cuts) > 2 && previous != "" && !s.NoShingles {
			s.Yield(Word{truncate(previous + name), s.Position, start, end, Shingle})
		}
		previous = name
	}
	if len(cuts) == 2 && cuts[0] == 1 && folded[0] == 'v' && isDigit(name[0]) {
		return name
	}
	return folded
}

// endChain ends a chain and yields its compounds: the whole chain, and each two neighbours that are
// not separated by a path separator.
func (s *Scanner) endChain() {
	chain := s.chain
	s.chain = s.chain[:0]
	if len(chain) < 2 {
		return
	}
	end := chain[len(chain)-1].end
	if len(chain) <= chainLimit {
		if all := joinChain(chain); len(all) <= TermLimit {
			s.Yield(Word{all, s.chainStart, chain[0].start, end, Compound})
		}
	}
	for i := 1; i < len(chain) && len(chain) > 2 && !s.NoShingles; i++ {
		if strings.IndexByte(`/\:@`, chain[i].gap) < 0 {
			s.Yield(Word{truncate(joinChain(chain[i-1 : i+1])), s.chainStart + i - 1, chain[i-1].start, chain[i].end, Shingle})
		}
	}
}

// joinChain joins the words of a chain; only a dot between digits is kept.
func joinChain(chain []link) string {
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

// scanBigrams yields the bigrams of an unspaced run, and its last letter.
func (s *Scanner) scanBigrams(run string, start, end int) {
	letters := []rune(Fold(run))
	for i := range letters {
		if i+1 < len(letters) {
			s.Yield(Word{string(letters[i : i+2]), s.Position, start, end, Whole})
		} else {
			s.Yield(Word{string(letters[i:]), s.Position, start, end, Last})
		}
		s.Position++
	}
}

// truncate shortens a term to at most TermLimit bytes at a rune boundary.
func truncate(term string) string {
	if len(term) <= TermLimit {
		return term
	}
	to := TermLimit
	for !utf8.RuneStart(term[to]) {
		to--
	}
	return term[:to]
}
