package screen

import "strings"

// progress is how far a rule has come in a text.
type progress struct {
	done  int // no match may begin before it
	run   int // where the present run of token characters ends
	tries int // of the pattern within that run
}

// maxTries bounds how often a pattern runs within one run of token characters, so
// that no byte is looked at more than a fixed number of times.
const maxTries = 4

// scanner looks for all rules in one view after another.
type scanner struct {
	found []span
	at    []progress // of each rule
	used  []int      // the rules of which there is progress
}

// scan adds what the rules match in a view of a text.
func (s *scanner) scan(v view) {
	all := literals()
	for i := 0; i+1 < len(v.text); i++ {
		slot := all.slots[uint16(v.text[i])<<8|uint16(v.text[i+1])]
		if slot == 0 {
			continue
		}
		for _, one := range all.lists[slot] {
			if rules[one.rule].begins(v.text[i:], one.literal) {
				s.try(v, i, one)
			}
		}
	}
	for _, n := range s.used {
		s.at[n] = progress{}
	}
	s.used = s.used[:0]
}

// try runs a rule where one of its literals stands.
func (s *scanner) try(v view, at int, one start) {
	if s.at == nil {
		s.at = make([]progress, len(rules))
	}
	r, p := &rules[one.rule], &s.at[one.rule]
	if at < p.done {
		return
	}
	if p.done == 0 {
		s.used = append(s.used, one.rule)
	}
	start, end := r.match(v, p.done, at, one.literal)
	if end == 0 {
		p.failed(r, v.text, at, at+len(one.literal))
		return
	}
	p.done = end
	start, end = v.back(start, end)
	s.found = append(s.found, span{rule: r.name, start: start, end: end})
}

func (r *rule) begins(text, literal string) bool {
	if r.fold {
		return len(text) >= len(literal) && strings.EqualFold(text[:len(literal)], literal)
	}
	return strings.HasPrefix(text, literal)
}

// failed goes on behind a literal around which nothing was found.
func (p *progress) failed(r *rule, text string, at, next int) {
	p.done = next
	if r.lead.class != nil || r.named {
		return
	}
	if at >= p.run {
		p.tries = 0
		for p.run = at; p.run < len(text) && urlSafe(text[p.run]); {
			p.run++
		}
	}
	if p.tries++; p.tries > maxTries {
		p.done = max(next, p.run)
	}
}

// match tries r at the literal that begins at the byte at; the match may not
// begin before from. The end is 0 when there is none.
func (r *rule) match(v view, from, at int, literal string) (start, end int) {
	start = at
	for r.lead.class != nil && start > from && at-start < r.lead.most && r.lead.class(v.text[start-1]) {
		start--
	}
	if start < at && escaped(v.text, start) {
		start++
	}
	if at-start < r.lead.least {
		return 0, 0
	}
	for stop := range v.stops(at+len(literal), r.reach) {
		if r.named {
			if start, end = valueAfter(v.text[:stop], at, literal); end > 0 {
				return start, end
			}
			continue
		}
		if size := r.size(v, start, at, stop, literal); size > 0 {
			return start, start + size
		}
	}
	return 0, 0
}

// size is the length of a match that begins at start and ends at stop or before,
// 0 when there is none.
func (r *rule) size(v view, start, at, stop int, literal string) int {
	window := v.text[start:stop]
	m := r.pattern().FindStringSubmatchIndex(window)
	if m == nil {
		return 0
	}
	secret := window[m[len(m)-2]:m[len(m)-1]]
	if len(secret) == 0 || r.judge != nil && !r.judge(secret) || placeholder(window[:m[1]], secret) {
		return 0
	}
	if r.lead.class == nil && !r.free(v, start, start+m[1], stop, literal, secret) {
		return 0
	}
	return m[1]
}

const (
	maxGlue = 16 // characters of a word around a secret
	maxData = 40 // of base64
)

// free reports whether a match stands by itself and is no piece of something else,
// such as an image in base64. A short piece of a word may be glued to it where its
// form is rare enough to be known in the middle of one.
func (r *rule) free(v view, start, end, stop int, literal, secret string) bool {
	before, after := packedBefore(v.text[:start]), packedAfter(v.text[end:stop])
	head, tail := glued(v, start), end < stop && word(v.text[end])
	dotted := mixed(secret) && strings.IndexByte(secret, '.') >= 0
	if plain := packedAfter(literal) == len(literal) && !strings.ContainsAny(literal, "-_"); plain {
		if before > maxData || after > maxData || len(literal) < 4 && !dotted && (head || tail) {
			return false
		}
	}
	if head && (before > maxGlue || len(literal) < 4 && !mixed(secret) || !strings.ContainsAny(secret, "0123456789")) {
		return false
	}
	return !tail || after <= maxGlue && (len(literal) >= 4 || dotted)
}

// packedBefore and packedAfter are the lengths of the base64 that a text ends and
// begins with, as far as it matters.
func packedBefore(text string) (n int) {
	for n < len(text) && n <= maxData && packing(text[len(text)-1-n]) {
		n++
	}
	return n
}

func packedAfter(text string) (n int) {
	for n < len(text) && n <= maxData && packing(text[n]) {
		n++
	}
	return n
}

// glued reports whether a match begins in the middle of a word.
func glued(v view, start int) bool {
	return start > 0 && word(v.text[start-1]) && !escaped(v.text, start-1) && !v.joined(start)
}

// escaped reports whether the byte at i is the letter of an escape such as \n, and
// so no part of the word that follows.
func escaped(text string, i int) bool {
	return i > 0 && text[i-1] == '\\' && strings.IndexByte("nrt", text[i]) >= 0
}

func digit(c byte) bool    { return '0' <= c && c <= '9' }
func hex(c byte) bool      { return digit(c) || 'a' <= c && c <= 'f' }
func alnum(c byte) bool    { return digit(c) || 'a' <= c|0x20 && c|0x20 <= 'z' }
func word(c byte) bool     { return alnum(c) || c == '_' }
func urlSafe(c byte) bool  { return word(c) || c == '-' }
func scheme(c byte) bool   { return alnum(c) || c == '+' || c == '.' || c == '-' }
func hostname(c byte) bool { return alnum(c) || c == '.' || c == '-' || c == '*' }
func azure(c byte) bool    { return urlSafe(c) || c == '.' || c == '~' }
