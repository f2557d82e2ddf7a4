package screen

import (
	"regexp"
	"strings"
	"sync"
)

// rule finds one form of one kind of secret. A literal of it is searched first,
// which costs little in clean text; only around a literal does the pattern run.
type rule struct {
	name     string
	literals []string   // one of them stands in every match: at its start, unless there is a lead
	fold     bool       // capital letters in a literal do not count
	lead     lead       // what stands between the start of a match and the literal
	reach    int        // bytes from the literal on that the pattern may look at
	pattern  pattern    // anchored at the start; its group is the secret part, without a group all is
	isSecret secretTest // what a pattern cannot say of the secret part; nil when there is nothing
	named    bool       // the literal ends a name, and the secret is the value after it
	words    bool       // the secret part is made of words, which are no placeholder
	beside   []string   // one of them stands in the text before the literal; nil when none has to
	commands []string   // one of them stands before the literal on its line; nil when none has to
}

// secretTest reports whether the secret part of a match is one.
type secretTest func(secret string) bool

// lead describes characters of a class, so many at least and at most; without a
// class there are none.
type lead struct {
	class       func(byte) bool
	least, most int
}

const (
	tokenReach = 1 << 10  // reach of a token
	longReach  = 16 << 10 // reach of what may be long
	maxLead    = 64
)

const uuid = `[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}`

// byPrefix makes a rule whose matches begin with one of the literals.
func byPrefix(name, literals, rest string) rule {
	quoted := strings.ReplaceAll(regexp.QuoteMeta(literals), " ", "|")
	return rule{name: name, literals: strings.Fields(literals), reach: tokenReach, pattern: lazyPattern(`^(?:` + quoted + `)` + rest)}
}

// byWord makes a rule for a secret that only a word before it, on its line, tells
// from an id or a checksum.
func byWord(name, word, rest string) rule {
	return rule{name: name, literals: []string{word}, fold: true, reach: tokenReach, pattern: lazyPattern(`^(?i:` + word + `)` + rest)}
}

// byWords is byWord for one of several words.
func byWords(name, words, rest string) rule {
	return rule{name: name, literals: strings.Fields(words), fold: true, reach: tokenReach, pattern: lazyPattern(`^(?i:` + strings.ReplaceAll(words, " ", "|") + `)` + rest)}
}

// byOption makes a rule for an option of one of the commands. The pattern runs where an
// option stands, not where a command does: from there it would look at the rest of the
// line again for each command on it.
func byOption(name, options, commands, text string) rule {
	return rule{name: name, literals: strings.Fields(options), reach: tokenReach, pattern: lazyPattern(`^` + text), commands: strings.Fields(commands)}
}

// byInfix makes a rule whose literal stands within the match, after the lead.
func byInfix(name, literal string, before lead, text string) rule {
	return rule{name: name, literals: []string{literal}, lead: before, reach: tokenReach, pattern: lazyPattern(`^` + text)}
}

// onlyIf adds to a rule what its secret part must be.
func (r rule) onlyIf(is secretTest) rule {
	r.isSecret = is
	return r
}

// near adds to a rule words of which one stands before its match.
func (r rule) near(words ...string) rule {
	r.beside = words
	return r
}

// ofWords lets the secret part of a rule be words.
func (r rule) ofWords() rule {
	r.words = true
	return r
}

// unless adds to a rule what its secret part must not be.
func (r rule) unless(is secretTest) rule {
	return r.onlyIf(func(secret string) bool { return !is(secret) })
}

// pattern is compiled when it is first asked for: all of them take longer than a
// program may take to start.
type pattern func() *regexp.Regexp

func lazyPattern(text string) pattern {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
