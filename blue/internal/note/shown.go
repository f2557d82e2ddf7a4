package note

import (
	"strings"

	"blue/errors"
)

// ShowHidden escapes the hidden characters of a text.
func ShowHidden(text string) string {
	text, _ = CountHidden(text)
	return text
}

// CountHidden is like [ShowHidden] and also returns the number of escaped characters.
func CountHidden(text string) (shown string, count int) {
	return errors.Escape(text, errors.HiddenInText)
}

// ShowLine is [ShowHidden] for a single line: line breaks are replaced, so that a foreign title
// cannot add lines to a list.
func ShowLine(text string) string { return breaks.Replace(ShowHidden(text)) }

var breaks = strings.NewReplacer("\n", " ", "\t", " ")

// ShowLabel prepares a text for a list or heading: one line, at most n characters, or three times
// as many with escapes.
func ShowLabel(text string, n int) string {
	return errors.Clip(ShowLine(errors.Clip(text, n)), 3*n)
}

// ShowTitle is [ShowLabel] for a title, an id or the name of a branch.
func ShowTitle(text string) string { return ShowLabel(text, TitleLimit) }

// ShowWord is [ShowLabel] for a type, a tag or an author.
func ShowWord(text string) string { return ShowLabel(text, WordLimit) }

// OneLine joins the lines of a text and trims it.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// CleanWords applies [OneLine] to words and drops empty and repeated ones.
func CleanWords(words []string) []string {
	var out []string
	seen := map[string]bool{}
	for _, word := range words {
		if word = OneLine(word); word != "" && !seen[word] {
			seen[word] = true
			out = append(out, word)
		}
	}
	return out
}
