package index

import "unicode/utf8"

// starts are the first two characters of terms, by which most words of a text are
// passed over without a closer look. What stands between two spaces is looked at by
// itself, since no term crosses a space.
type starts [64][64]bool

// code is small for the characters that most terms begin with, else 0.
func code(c byte) byte {
	switch {
	case 'a' <= c && c <= 'z':
		return c - 'a' + 1
	case 'A' <= c && c <= 'Z':
		return c - 'A' + 1
	case '0' <= c && c <= '9':
		return c - '0' + 27
	}
	return 0
}

func beginnings(terms []weighed) *starts {
	s := &starts{}
	for _, t := range terms {
		first, second := code(t.key[1]), byte(0)
		if len(t.key) > 2 {
			second = code(t.key[2])
		}
		if s[first][0] = true; second > 0 { // 0: the "-" of e-mail, which is email too
			s[first][second] = true
			continue
		}
		for any := range s[first] {
			s[first][any] = true
		}
	}
	return s
}

// in reports whether a term may begin in a text without spaces: at its start, behind
// what is no letter, at a capital or a digit. Text that is not ASCII may hold any.
func (s *starts) in(text string) bool {
	before, second := byte(0), byte(0)
	for i := range len(text) {
		c := text[i]
		if c >= utf8.RuneSelf {
			return true
		}
		if second = 0; i+1 < len(text) {
			second = code(text[i+1])
		}
		small := 'a' <= c && c <= 'z'
		if first := code(c); first > 0 && s[first][second] && !(small && 0 < before && before <= 26) {
			return true
		}
		before = code(c)
	}
	return false
}
