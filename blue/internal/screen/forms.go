package screen

import (
	_ "embed" // the table of forms
	"regexp"
	"slices"
	"strings"
	"sync"
)

// form is one form of one kind of secret: a literal, and patterns for the text before and after it.
// The literals are searched first, which is cheap in clean text; a pattern runs only around a
// literal.
type form struct {
	rule     string
	literals []string
	fold     bool    // literals match regardless of case
	before   pattern // matches up to the literal; may be nil
	after    pattern // matches from the end of the literal; nil for the value of a name
	test     func(secret string) bool
	long     bool
}

// The parts of a text that patterns may look at, in bytes.
const (
	reachBefore = 256
	reachAfter  = 1 << 10
	reachLong   = 64 << 10
)

//go:embed rules.txt
var table string

// forms returns the rows of rules.txt, each based on the form that the vendor publishes: prefix,
// alphabet, length. To add a kind, add a row, and one to the kinds of the test. The table is parsed
// on first use, because most commands screen nothing.
var forms = sync.OnceValue(func() (all []form) {
	for line := range strings.Lines(table) {
		if column := strings.Split(strings.TrimRight(line, "\r\n"), "\t"); len(column) > 2 { // otherwise a comment
			all = append(all, parseForm(append(column, "", "")))
		}
	}
	// Names have no form of their own; see findValue.
	return append(all, form{rule: namedRule, literals: stems, fold: true})
})

func parseForm(column []string) form {
	f := form{rule: column[0], literals: strings.Fields(column[1])}
	if column[2] != "" {
		f.before = lazyPattern("(?:" + column[2] + ")$")
	}
	f.after = lazyPattern("^(?:" + column[3] + ")")
	for word := range strings.FieldsSeq(column[4]) {
		switch name, negated := strings.CutPrefix(word, "!"); {
		case word == "word":
			f.fold = true
		case word == "long":
			f.long = true
		case negated:
			f.test = func(secret string) bool { return !tests[name](secret) }
		default:
			f.test = tests[name]
		}
	}
	return f
}

// tests are the tests of secret parts, by their names in rules.txt.
var tests = map[string]func(string) bool{
	"basic-auth": isBasicAuth, "digit": hasDigit, "hex": isHexOnly, "known": isWellKnown, "likely": isLikelySecret,
	"mixed": isMixed, "packed": isPackedSecret, "password": isPassword, "random": isRandom, "varied": isVaried, "vendor": isVendorToken,
}

// pattern compiles a regular expression on first use: compiling all of them takes longer than a
// program may take to start.
type pattern func() *regexp.Regexp

func lazyPattern(text string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// span is a finding as byte offsets.
type span struct {
	rule       string
	start, end int
}

// scan returns the matches of all forms in a text, in no order. Matches of one form do not overlap.
func scan(text string) (found []span) {
	places, all := literals(), forms()
	var done []int // by form, the offset before which no match may begin
	for i := 0; i+1 < len(text); i++ {
		slot := places.slots[uint16(text[i])<<8|uint16(text[i+1])]
		for _, one := range places.lists[slot] {
			f, rest := &all[one.form], text[i:min(len(text), i+len(one.literal))]
			if rest != one.literal && !(f.fold && strings.EqualFold(rest, one.literal)) {
				continue
			}
			if done == nil {
				done = make([]int, len(all))
			}
			if i < done[one.form] {
				continue
			}
			start, end := f.match(text, i, one.literal)
			switch {
			case end > 0:
				found = append(found, span{f.rule, start, end})
				done[one.form] = end
			case f.long: // so that the time does not grow with the square of a run
				for done[one.form] = i + 1; done[one.form] < len(text) && isURLSafe(text[done[one.form]]); {
					done[one.form]++
				}
			}
		}
	}
	return found
}

// match returns the start and the end of the match around the literal at an offset. The end is 0 if
// there is none.
func (f *form) match(text string, at int, literal string) (start, end int) {
	if f.after == nil {
		return findValue(text, at, literal)
	}
	if f.before == nil && !startsWord(text, at) {
		return 0, 0
	}
	reach := reachAfter
	if f.long {
		reach = reachLong
	}
	from := at + len(literal)
	window := text[from:min(len(text), from+reach)]
	m := f.after().FindStringSubmatchIndex(window)
	if m == nil {
		return 0, 0
	}
	start, end = at, from+m[1]
	secret := text[at:end]
	if f.before != nil {
		before := text[max(0, at-reachBefore):at]
		b := f.before().FindStringSubmatchIndex(before)
		if b == nil {
			return 0, 0
		}
		word := strings.LastIndexAny(before, " \t\r\n") + 1 // a command before is no part of the match
		start = at - len(before) + max(b[0], word)
		secret = text[start:end]
		if n := len(b); n > 2 {
			secret = before[b[n-2]:b[n-1]]
		}
	}
	if n := len(m); n > 2 {
		secret = window[m[n-2]:m[n-1]]
	}
	if secret == "" || f.test != nil && !f.test(secret) || isPlaceholder(text[start:end], secret) || !standsAlone(text, start, end) {
		return 0, 0
	}
	return start, end
}

// standsAlone reports whether a match is not part of a longer word.
func standsAlone(text string, start, end int) bool {
	return startsWord(text, start) &&
		(end == len(text) || !isAlnum(text[end]) || !isAlnum(text[end-1]) || end-start >= reachAfter)
}

// startsWord reports whether a word may start at an offset: no letter or digit continues there, except
// that of an escape sequence of a terminal.
func startsWord(text string, at int) bool {
	if at == 0 || !isAlnum(text[at]) || !isAlnum(text[at-1]) {
		return true
	}
	return text[at-1] == 'm' && strings.HasSuffix(strings.TrimRight(text[:at-1], "0123456789;"), "\x1b[")
}

// literalTable has the literals of all forms by their first two bytes, so that one pass over a text
// finds the few places where a pattern must run.
type literalTable struct {
	slots [1 << 16]uint16 // index in lists of a pair of bytes, 0 for none
	lists [][]placedLiteral
}

type placedLiteral struct {
	form    int
	literal string // of two bytes or more
}

// literals builds the table on first use.
var literals = sync.OnceValue(func() *literalTable {
	t := &literalTable{lists: [][]placedLiteral{nil}}
	for i, f := range forms() {
		for _, literal := range f.literals {
			firsts, seconds := []string{literal[:1]}, []string{literal[1:2]}
			if f.fold && literal[0] < 0x80 {
				firsts = append(firsts, strings.ToUpper(literal[:1]))
				seconds = append(seconds, strings.ToUpper(literal[1:2]))
			}
			for _, first := range slices.Compact(firsts) {
				for _, second := range slices.Compact(seconds) {
					slot := &t.slots[uint16(first[0])<<8|uint16(second[0])]
					if *slot == 0 {
						*slot = uint16(len(t.lists))
						t.lists = append(t.lists, nil)
					}
					t.lists[*slot] = append(t.lists[*slot], placedLiteral{i, literal})
				}
			}
		}
	}
	return t
})
