package note

import (
	"strings"

	"blue/errors"
)

// ShowHidden makes the hidden characters of a text visible.
func ShowHidden(text string) string {
	text, _ = CountHidden(text)
	return text
}

// CountHidden is [ShowHidden] that also returns how many characters it has spelled out.
func CountHidden(text string) (shown string, count int) {
	return errors.Escape(text, errors.HiddenInText)
}

// ShowLine is [ShowHidden] for what stands on one line: no title of a foreign file can
// make further lines of a list.
func ShowLine(text string) string { return breaks.Replace(ShowHidden(text)) }

var breaks = strings.NewReplacer("\n", " ", "\t", " ")

// ShowLabel makes a text fit for a list or a heading: on one line, at most n characters
// of it, and three times as many where hidden ones are spelled out.
func ShowLabel(text string, n int) string {
	return errors.Clip(ShowLine(errors.Clip(text, n)), 3*n)
}

// ShowTitle is [ShowLabel] for a title, an id or the name of a branch.
func ShowTitle(text string) string { return ShowLabel(text, TitleLimit) }

// ShowWord is [ShowLabel] for a type, a tag or an author.
func ShowWord(text string) string { return ShowLabel(text, WordLimit) }

// OneLine makes one line of a text, without space around it.
func OneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// CleanWords makes each word one line and leaves out empty and repeated ones.
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
