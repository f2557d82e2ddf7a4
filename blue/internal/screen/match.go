package screen

import (
	"slices"
	"strings"
	"sync"
)

// progress is the state of the search for one rule in a text.
type progress struct {
	done  int // no match may begin before this offset
	run   int // end of the current run of token characters
	tries int // number of times the pattern ran within that run
}

// scanner searches views of a text for all rules.
type scanner struct {
	found    []span
	progress []progress // by rule
	used     []int      // rules with progress
	joined   bool       // the view is words of several lines, joined
}

// scanView adds the matches of all rules in a view of a text.
func (s *scanner) scanView(v view) {
	all, table := allLiterals(), rules()
	for i := 0; i+1 < len(v.text); i++ {
		slot := all.slots[uint16(v.text[i])<<8|uint16(v.text[i+1])]
		if slot == 0 {
			continue
		}
		for _, one := range all.lists[slot] {
			rest := v.text[i:min(len(v.text), i+len(one.literal))]
			if rest == one.literal || table[one.rule].fold && strings.EqualFold(rest, one.literal) {
				s.tryRule(v, i, one)
			}
		}
	}
	if v.joins == nil {
		s.scanRuns(v)
	}
	for _, n := range s.used {
		s.progress[n] = progress{}
	}
	s.used = s.used[:0]
}

func (s *scanner) tryRule(v view, at int, one ruleLiteral) {
	if s.progress == nil {
		s.progress = make([]progress, len(rules()))
	}
	r, p := &rules()[one.rule], &s.progress[one.rule]
	if at < p.done {
		return
	}
	if p.done == 0 {
		s.used = append(s.used, one.rule)
	}
	start, end := r.matchAt(v, p.done, at, one.literal)
	if end == 0 {
		p.skipLiteral(r, v.text, at, at+len(one.literal))
		return
	}
	p.done = end
	start, end = v.toText(start, end)
	s.found = append(s.found, span{rule: r.name, start: start, end: end, joined: s.joined})
}

// skipLiteral continues the search after a literal around which nothing was found.
func (p *progress) skipLiteral(r *rule, text string, at, next int) {
	p.done = next
	if r.lead.class != nil || r.named {
		return
	}
	if at >= p.run {
		p.tries = 0
		for p.run = at; p.run < len(text) && isURLSafe(text[p.run]); {
			p.run++
		}
	}
	if p.tries++; p.tries > maxTries {
		p.done = max(next, p.run)
	}
}

// matchAt matches r around the literal that begins at the offset at. The match may not begin before
// from. The end is 0 if there is no match.
func (r *rule) matchAt(v view, from, at int, literal string) (start, end int) {
	start = at
	for r.lead.class != nil && start > from && at-start < r.lead.most && r.lead.class(v.text[start-1]) {
		start--
	}
	if start < at && isEscapeLetter(v.text, start) {
		start++
	}
	if at-start < r.lead.least {
		return 0, 0
	}
	for _, stop := range v.matchEnds(at+len(literal), r.reach) {
		if r.named {
			if start, end = findNamedValue(v.text[:stop], at, literal); end > 0 {
				return start, end
			}
			continue
		}
		if size := r.matchLength(v, start, stop, literal); size > 0 {
			return start, start + size
		}
	}
	return 0, 0
}

// matchLength returns the length of a match that begins at start and ends at or before stop, or 0
// if there is none.
func (r *rule) matchLength(v view, start, stop int, literal string) int {
	window := v.text[start:stop]
	m := r.pattern().FindStringSubmatchIndex(window)
	if m == nil {
		return 0
	}
	secret := window[m[len(m)-2]:m[len(m)-1]]
	if len(secret) == 0 || r.isSecret != nil && !r.isSecret(secret) {
		return 0
	}
	from := start
	if r.commands != nil {
		if from = commandBefore(v.text[:start], r.commands); from < 0 {
			return 0
		}
	}
	before := v.text[max(0, start-tokenReach):start]
	if r.beside != nil && !slices.ContainsFunc(r.beside, func(word string) bool { return strings.Contains(before, word) }) {
		return 0
	}
	if !r.words && isPlaceholder(v.text[from:start+m[1]], secret) {
		return 0
	}
	if r.lead.class == nil && !r.standsAlone(v, start, start+m[1], stop, literal, secret) {
		return 0
	}
	return m[1]
}

// commandBefore returns the offset of the first of the commands on the last line of a text. It
// returns -1 if there is none or the text does not end with a space. A backslash at the end of a
// line continues it.
func commandBefore(text string, commands []string) int {
	if text == "" || !isSpace(text[len(text)-1]) {
		return -1
	}
	before := text[max(0, len(text)-tokenReach):]
	end := strings.LastIndexByte(before, '\n')
	for end >= 0 && strings.HasSuffix(strings.TrimSuffix(before[:end], "\r"), `\`) {
		end = strings.LastIndexByte(before[:end], '\n')
	}
	line := before[end+1:]
	for word := range strings.FieldsSeq(line) {
		if slices.ContainsFunc(commands, func(command string) bool { return strings.HasSuffix(word, command) }) {
			return len(text) - len(line) + strings.Index(line, word)
		}
	}
	return -1
}

// standsAlone reports whether a match is separate and not part of something else, such as an image
// in base64. A short part of a word may be attached to it if the form of the token is rare enough
// to be recognized within a word.
func (r *rule) standsAlone(v view, start, end, stop int, literal, secret string) bool {
	before, after := base64Before(v.text[:start]), base64After(v.text[end:stop])
	_, joined := slices.BinarySearch(v.joins, start)
	head := start > 0 && isWord(v.text[start-1]) && !isEscapeLetter(v.text, start-1) && !joined // it begins within a word
	tail := end < stop && isWord(v.text[end])
	dotted := isMixed(secret) && strings.IndexByte(secret, '.') >= 0
	if plain := base64After(literal) == len(literal) && !strings.ContainsAny(literal, "-_"); plain {
		if before > maxData || after > maxData || len(literal) < 4 && !dotted && (head || tail) {
			return false
		}
	}
	if head && (before > maxGlue || len(literal) < 4 && !isMixed(secret) || !strings.ContainsAny(secret, "0123456789")) {
		return false
	}
	return !tail || after <= maxGlue && (len(literal) >= 4 || dotted)
}

// base64Before and base64After return the length of the base64 that a text ends or begins with, up
// to maxData + 1.
func base64Before(text string) (n int) {
	for n < len(text) && n <= maxData && isBase64Char(text[len(text)-1-n]) {
		n++
	}
	return n
}

func base64After(text string) (n int) {
	for n < len(text) && n <= maxData && isBase64Char(text[n]) {
		n++
	}
	return n
}

// isEscapeLetter reports whether the byte at i is the letter of an escape such as \n, and therefore
// not part of the next word.
func isEscapeLetter(text string, i int) bool {
	return i > 0 && text[i-1] == '\\' && strings.IndexByte("nrt", text[i]) >= 0
}

// span is a finding as byte offsets.
type span struct {
	rule       string
	start, end int
	joined     bool // found in words of several lines, joined
}

// ruleLiteral is a literal of a rule.
type ruleLiteral struct {
	rule    int
	literal string
}

// literalTable has the literals of all rules by their first two bytes, so that one pass over a text
// finds the few places where a pattern must run.
type literalTable struct {
	slots [1 << 16]uint16 // index in lists of a pair of bytes, 0 for none
	lists [][]ruleLiteral
}

// allLiterals builds the table on first use.
var allLiterals = sync.OnceValue(func() *literalTable {
	t := &literalTable{lists: [][]ruleLiteral{nil}}
	for i, r := range rules() {
		for _, literal := range r.literals {
			for _, first := range r.forms(literal[:1]) {
				for _, second := range r.forms(literal[1:]) {
					slot := &t.slots[uint16(first)<<8|uint16(second)]
					if *slot == 0 {
						*slot = uint16(len(t.lists))
						t.lists = append(t.lists, nil)
					}
					t.lists[*slot] = append(t.lists[*slot], ruleLiteral{i, literal})
				}
			}
		}
	}
	return t
})

// forms returns the bytes that may begin a text matching the rest of a literal: every byte if the
// rest is empty.
func (r rule) forms(rest string) (all []byte) {
	switch {
	case rest == "":
		for c := range 256 {
			all = append(all, byte(c))
		}
		return all
	case r.fold && 'a' <= rest[0] && rest[0] <= 'z':
		return []byte{rest[0], rest[0] - 'a' + 'A'}
	}
	return []byte{rest[0]}
}
