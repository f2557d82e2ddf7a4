package note

import (
	"regexp"
	"strings"

	"blue/errors"
)

// next matches a label for the next step, followed by a colon, anywhere in a line. nextLine matches
// a line that begins with such a label, such as a heading.
var (
	next     = regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(?:next(?: steps?)?|to-?dos?|still open|remaining|offen|nächster? schritte?)[*_]*:[*_]*[ \t]*`)
	nextLine = regexp.MustCompile(`(?im)^[\s#*_>-]*(?:next(?: steps?)?|to-?dos?|still open|remaining|offen|nächster? schritte?)[ \t]*[*_]*[ \t]*(?:[:.\x{2013}\x{2014}-]+[*_]*[ \t]*|$)`)
)

// newBlock matches the end of a paragraph or list item.
var newBlock = regexp.MustCompile(`\n[ \t]*(?:\n|#|[-*+>] |\d+[.)] )`)

// itemMark matches the markup before the text of a paragraph or list item.
var itemMark = regexp.MustCompile(`^\s*(?:(?:[-*+>]|\d+[.)])\s+)*`)

// sentenceEnd matches the boundary between two sentences.
var sentenceEnd = regexp.MustCompile(`[.!?]["')]*\s+`)

// NextLimit is the maximum length of a next step in characters.
const NextLimit = 160

// NextStep returns the next step that a checkpoint names, or its last sentence.
func NextStep(body string) string {
	body = strings.TrimSpace(body) // trim once, not at each item
	at := nextLine.FindStringIndex(body)
	if inLine := next.FindStringIndex(body); at == nil || inLine != nil && inLine[0] < at[0] {
		at = inLine
	}
	if at != nil {
		for rest := body[at[1]:]; rest != ""; {
			step, after := firstBlock(rest)
			if !strings.HasPrefix(strings.ToLower(step), "[x]") { // skip completed items
				return errors.Clip(strings.TrimSpace(strings.TrimPrefix(step, "[ ]")), NextLimit)
			}
			rest = after
		}
	}
	return errors.Clip(lastSentence(body), NextLimit)
}

// firstBlock returns the first paragraph or list item of a text on one line, and the rest.
func firstBlock(text string) (block, after string) {
	text = text[len(itemMark.FindString(text)):]
	if end := newBlock.FindStringIndex(text); end != nil {
		text, after = text[:end[0]], text[end[0]:]
	}
	return OneLine(text), after
}

// lastSentence returns the last sentence of the last paragraph or list item.
func lastSentence(text string) (sentence string) {
	for text != "" {
		var block string
		if block, text = firstBlock(text); block != "" && !strings.HasPrefix(block, "#") {
			sentence = block
		}
	}
	if ends := sentenceEnd.FindAllStringIndex(sentence, -1); len(ends) > 0 {
		sentence = sentence[ends[len(ends)-1][1]:]
	}
	return sentence
}
