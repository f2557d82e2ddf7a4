package note

import "strings"

// Limits that keep parsing Markdown fast. Deeply nested quotes, for example, keep a parser busy for
// minutes. Ordinary notes stay far below.
const (
	maxNested = 100         // nested quotes and list items on one line, including those that its indentation may continue
	maxPairs  = 400_000_000 // pairs of possible opening and closing delimiters in a paragraph
	maxCells  = 50_000      // cells of a table
	maxLines  = 50_000      // lines, each of which may be a block
	maxLinks  = 20_000      // addresses
)

// TakesLongToParse reports whether parsing a text as Markdown would take long, or much memory. Such
// a text is shown verbatim.
func TakesLongToParse(text string) bool {
	if strings.Count(text, "\n") > maxLines || strings.Count(text, "@")+strings.Count(text, "://")+strings.Count(text, "www.") > maxLinks {
		return true
	}
	cost, found, lines, pipes := 0, 0, 0, 0
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == "" {
			cost += found * found
			found, lines, pipes = 0, 0, 0
			continue
		}
		for _, mark := range []string{"*", "_", "[", "]", "`", "~", "<", "&", "!"} {
			found += strings.Count(line, mark)
		}
		lines++
		pipes = max(pipes, strings.Count(line, "|"))
		if cost+found*found > maxPairs || pipes > 1 && lines*pipes > maxCells || countOpened(line) > maxNested {
			return true
		}
	}
	return false
}

func countOpened(line string) (count int) {
	start := line[:len(line)-len(strings.TrimLeft(line, " \t>-+*.)0123456789"))]
	count = strings.Count(start, ">")
	for _, mark := range []string{"- ", "+ ", "* ", ". ", ") "} {
		count += strings.Count(start, mark)
	}
	if count > 0 { // an indented item continues the enclosing items
		indent := start[:len(start)-len(strings.TrimLeft(start, " \t"))]
		count += (len(indent) + 3*strings.Count(indent, "\t")) / 2
	}
	return count
}
