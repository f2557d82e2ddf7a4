package index

import (
	"slices"
	"strings"

	"blue/blue/internal/words"
)

// parsedQuery is a parsed query.
type parsedQuery struct {
	words         []queryWord
	phrases       []phrase // must occur
	excluded      []phrase // must not occur
	unheldPhrases []string // phrases that no document holds, treated as words
}

// queryWord is one word of a query. Other spellings of it are separate words.
type queryWord struct {
	words.Word
	typed    string // as written in the query
	times    int    // number of occurrences in the query
	inPhrase bool   // part of a phrase: never treated as a stop word
	isPrefix bool   // also matches the words that begin with it
}

// phrase is a sequence of words at fixed distances.
type phrase []words.Word

// Quotes and dashes are operators only in a query of at most this many words and bytes. A longer
// one is prose or a log, where they are part of the text. On the kep set a limit of 8 words costs
// nothing, a limit of 12 costs 0.1 points, and no limit costs 1.1.
const (
	operatorWords = 8
	operatorBytes = 512
)

// quoteWords is the number of words from which a phrase that no document holds is treated as its
// words: it is a sentence pasted with its quotes, which would find nothing. Shorter phrases must
// occur. On kep this is worth 0.6 points, six queries of 912.
const quoteWords = 5

// parseQuery parses any text; there are no errors. The function held reports whether any document
// holds a phrase.
func parseQuery(text string, held func(phrase) bool) parsedQuery {
	text = strings.ToValidUTF8(text, " ")
	s := parsedQuery{}
	if len(text) > operatorBytes || len(strings.Fields(text)) > operatorWords {
		s.addText(text, 0, false)
		return s
	}
	s.readOperators(text, held)
	if len(s.words) == 0 { // nothing but exclusions: treat the dashes as text
		s = parsedQuery{}
		s.addText(text, 0, false)
	}
	return s
}

// readOperators parses quotes and dashes; everything between them is plain text.
func (s *parsedQuery) readOperators(text string, held func(phrase) bool) {
	pos, plain := 0, 0
	for at := 0; at < len(text); {
		inner, end, excludes := operatorAt(text, at)
		if end == 0 {
			at++
			continue
		}
		p := phraseOf(inner)
		if !excludes && len(p) >= quoteWords && !held(p) {
			s.unheldPhrases = append(s.unheldPhrases, `"`+inner+`"`)
			at = end
			continue
		}
		pos = s.addText(text[plain:at], pos, false)
		if excludes {
			s.excluded = append(s.excluded, p)
			pos++
		} else {
			s.phrases = append(s.phrases, p)
			pos = s.addText(inner, pos, true)
		}
		at, plain = end, end
	}
	s.addText(text[plain:], pos, false)
}

// operatorAt returns the text of the phrase or exclusion that begins at the offset, and its end.
// The end is 0 if none begins there.
func operatorAt(text string, at int) (inner string, end int, excludes bool) {
	if at > 0 && !strings.ContainsRune(" \t(", rune(text[at-1])) {
		return "", 0, false
	}
	rest := text[at:]
	if after, ok := strings.CutPrefix(rest, "-"); ok {
		excludes, rest = true, after
	}
	if after, ok := strings.CutPrefix(rest, `"`); ok {
		size := strings.IndexByte(after, '"')
		if size < 0 || len(phraseOf(after[:size])) == 0 {
			return "", 0, false
		}
		return after[:size], len(text) - len(after) + size + 1, excludes
	}
	if !excludes {
		return "", 0, false
	}
	size := strings.IndexAny(rest+" ", " \t")
	if size == 0 || rest[0] == '-' || len(phraseOf(rest[:size])) == 0 {
		return "", 0, false
	}
	return rest[:size], len(text) - len(rest) + size, true
}

func phraseOf(text string) phrase {
	var p phrase
	words.Scan(text, 0, func(t words.Word) {
		if t.Form == words.Whole || t.Form == words.Last && t.Start == 0 && t.Position == 0 {
			p = append(p, t)
		}
	})
	return p
}

// addText appends the words of text and returns the next free position.
func (s *parsedQuery) addText(text string, pos int, kept bool) int {
	first := pos
	return words.Scan(text, pos, func(t words.Word) {
		if n := len(s.words); t.Form == words.Last && t.Position > first && s.words[n-1].Start == t.Start && s.words[n-1].Form == words.Whole {
			return
		}
		if t.Form == words.Shingle { // its two words are in the query, next to one another
			return
		}
		s.words = append(s.words, queryWord{Word: t, typed: text[t.Start:t.End], inPhrase: kept, isPrefix: t.Form == words.Last})
	})
}

// countingWords returns the distinct words that count, with the number of their occurrences. Stop
// words are left out unless there are no other words.
func (s *parsedQuery) countingWords() []queryWord {
	at := map[string]int{}
	var words []queryWord
	for _, w := range s.words {
		if i, ok := at[w.Text]; ok {
			words[i].inPhrase = words[i].inPhrase || w.inPhrase
			words[i].times++
			continue
		}
		at[w.Text] = len(words)
		w.times = 1
		words = append(words, w)
	}
	rest := slices.DeleteFunc(slices.Clone(words), isStopWord)
	if len(rest) == 0 {
		return words
	}
	return rest
}

func isStopWord(w queryWord) bool {
	return !w.inPhrase && w.Form == words.Whole && words.IsStopWord(w.Text)
}
