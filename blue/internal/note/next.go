package note

import (
	"regexp"
	"strings"

	"blue/errors"
)

// next is what names the next step of a checkpoint, with a colon anywhere in a line; nextLine
// is a line that begins with it, as a heading does, and may have the step behind it.
var (
	next     = regexp.MustCompile(`(?i)(?:^|[^\pL\pN])(?:next(?: steps?)?|to-?dos?|still open|remaining|offen|nächster? schritte?)[*_]*:[*_]*[ \t]*`)
	nextLine = regexp.MustCompile(`(?im)^[\s#*_>-]*(?:next(?: steps?)?|to-?dos?|still open|remaining|offen|nächster? schritte?)[ \t]*[*_]*[ \t]*(?:[:.\x{2013}\x{2014}-]+[*_]*[ \t]*|$)`)
)

// newBlock is where a paragraph or an item of a list ends.
var newBlock = regexp.MustCompile(`\n[ \t]*(?:\n|#|[-*+>] |\d+[.)] )`)

// itemMark is what stands before the words of a paragraph or an item.
var itemMark = regexp.MustCompile(`^\s*(?:(?:[-*+>]|\d+[.)])\s+)*`)

// sentenceEnd is where a sentence ends and another one begins.
var sentenceEnd = regexp.MustCompile(`[.!?]["')]*\s+`)

// NextLimit is how many characters of a next step are kept.
const NextLimit = 160

// NextStep is the next step that a checkpoint names, else its last sentence.
func NextStep(body string) string {
	body = strings.TrimSpace(body) // whose end is then not looked for again at each item
	at := nextLine.FindStringIndex(body)
	if inLine := next.FindStringIndex(body); at == nil || inLine != nil && inLine[0] < at[0] {
		at = inLine
	}
	if at != nil {
		for rest := body[at[1]:]; rest != ""; {
			step, after := firstBlock(rest)
			if !strings.HasPrefix(strings.ToLower(step), "[x]") { // an item that is done
				return errors.Clip(strings.TrimSpace(strings.TrimPrefix(step, "[ ]")), NextLimit)
			}
			rest = after
		}
	}
	return errors.Clip(lastSentence(body), NextLimit)
}

// firstBlock is the first paragraph or item of a text, on one line, and what follows it.
func firstBlock(text string) (block, after string) {
	text = text[len(itemMark.FindString(text)):]
	if end := newBlock.FindStringIndex(text); end != nil {
		text, after = text[:end[0]], text[end[0]:]
	}
	return OneLine(text), after
}

// lastSentence is that of the last paragraph or item of a text.
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
