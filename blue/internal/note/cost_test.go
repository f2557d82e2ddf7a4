package note_test

import (
	"strings"
	"testing"

	"blue/blue/internal/note"
)

func TestTakesLongToParse(t *testing.T) {
	t.Parallel()
	const size = 256 << 10
	fill := func(part string) string { return strings.Repeat(part, size/len(part)) }
	for name, row := range map[string]struct {
		text string
		want bool
	}{
		"quotes in each other":      {fill(">"), true},
		"with spaces":               {fill("> "), true},
		"lists in each other":       {fill("1. "), true},
		"lists in lists":            {nestedLists(150), true},
		"lists of some depth":       {nestedLists(30), false},
		"emphasis without end":      {fill("a*_"), true},
		"over many lines":           {fill("a*_\n"), true},
		"links without end":         {fill("[a]("), true},
		"many paragraphs of them":   {fill(strings.Repeat("a*_", 5000) + "\n\n"), true},
		"a wide and high table":     {"|" + strings.Repeat("a|", 100) + "\n|" + strings.Repeat("-|", 100) + "\n" + fill("a\n"), true},
		"words":                     {fill("plain words, and no end of them "), false},
		"a list":                    {fill("- one of *many* with `code` and [a link](there)\n\n"), false},
		"a table":                   {"| a | b |\n|---|---|\n" + strings.Repeat("| 1 | 2 |\n", 5000), false},
		"a listing":                 {"```c\n" + strings.Repeat("if (*p && a[i] < b[j]) { q = &x; }\n", 500) + "```\n", false},
		"a rule":                    {strings.Repeat("-", 400) + "\n\n" + strings.Repeat("* ", 40), false},
		"nothing":                   {"", false},
		"a quote of a quote":        {"> > > as deep as mail goes\n", false},
		"a long number and a price": {strings.Repeat("1", 500) + ". 12.50\n", false},
	} {
		if got := note.TakesLongToParse(row.text); got != row.want {
			t.Errorf("%s: %t", name, got)
		}
	}
}

func nestedLists(depth int) (text string) {
	for i := range depth {
		text += strings.Repeat("  ", i) + "- x\n"
	}
	return text
}
