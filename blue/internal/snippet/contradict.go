package snippet

import (
	"slices"
	"strconv"
	"strings"

	"blue/blue/internal/words"
)

const (
	statementsMost = 60   // statements of a text that are compared
	statementWords = 3    // words of content that a statement has at least
	statementShare = 0.66 // of the words of the longer statement that the other one must have
)

// statement is a sentence, a list item or a table row as the comparison of two texts sees it.
type statement struct {
	content []string // stems of its words, each once, without numbers and negations
	numbers []string
	negated bool
}

// Contradict reports whether two texts hold statements that speak of the same and differ in a
// number, in a negation, or in a single word: a value that has changed. Texts that only resemble
// each other do not contradict. A word of the titles is no value: documents of a series differ in
// the words of their titles.
func Contradict(a, b, titles string) bool {
	var stems words.Stemmer
	subject := statementOf(titles, &stems).content
	others := statementsOf(b, &stems)
	return slices.ContainsFunc(statementsOf(a, &stems), func(s statement) bool {
		return slices.ContainsFunc(others, func(other statement) bool { return s.contradicts(other, subject) })
	})
}

// contradicts reports whether two statements have the same subject and say different things.
func (s statement) contradicts(other statement, subject []string) bool {
	mine, theirs := without(s.content, other.content), without(other.content, s.content)
	shared, longer := len(s.content)-len(mine), max(len(s.content), len(other.content))
	changed := slices.Concat(mine, theirs)
	if float64(shared) < statementShare*float64(longer) || len(without(changed, subject)) < len(changed) {
		return false
	}
	countsChanged := len(s.numbers) > 0 && len(s.numbers) == len(other.numbers) && !slices.Equal(s.numbers, other.numbers)
	valueChanged := len(mine) == 1 && len(theirs) == 1 && slices.Equal(s.numbers, other.numbers)
	return countsChanged || valueChanged || s.negated != other.negated
}

// without returns the words of list that others does not have.
func without(list, others []string) (rest []string) {
	for _, word := range list {
		if !slices.Contains(others, word) {
			rest = append(rest, word)
		}
	}
	return rest
}

// statementsOf returns the statements at the beginning of a text. Code, tasks, questions and what
// only introduces something state nothing.
func statementsOf(text string, stems *words.Stemmer) (found []statement) {
	units := splitUnits(nil, text, false)
	for _, u := range units[:min(len(units), statementsMost)] {
		said := text[u.start:u.end]
		if u.isCode || u.isTask || u.isLeading || strings.HasSuffix(said, "?") {
			continue
		}
		if s := statementOf(said, stems); len(s.content) >= statementWords {
			found = append(found, s)
		}
	}
	return found
}

// statementOf returns what a statement says. Numbers of issues and those in paths are names.
func statementOf(said string, stems *words.Stemmer) (s statement) {
	words.Scan(said, 0, func(w words.Word) {
		isName := w.Start > 0 && strings.IndexByte("#/-", said[w.Start-1]) >= 0
		stem := stems.Stem(w.Text)
		numeral := slices.Index(numerals, w.Text)
		switch {
		case w.Form != words.Whole && w.Form != words.Last || words.IsStopWord(w.Text):
		case slices.Contains(negations, w.Text):
			s.negated = !s.negated
		case numeral >= 0:
			s.numbers = append(s.numbers, strconv.Itoa(numeral))
		case '0' <= w.Text[0] && w.Text[0] <= '9':
			if !isName {
				s.numbers = append(s.numbers, w.Text)
			}
		case !slices.Contains(s.content, stem):
			s.content = append(s.content, stem)
		}
	})
	return s
}

var (
	numerals  = []string{"zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"}
	negations = []string{"not", "no", "never", "none", "without", "cannot", "cant", "dont", "doesnt", "didnt", "isnt", "arent", "wasnt", "wont", "mustnt", "shouldnt"}
)
