package note

import "strings"

// Bounds beyond which reading Markdown takes more than linear time: a text of many
// quotes in each other keeps a parser busy for minutes. No person's note comes near.
const (
	maxNested = 100         // quotes and list items that begin on one line, or that its indent may continue
	maxPairs  = 400_000_000 // of characters of one paragraph that may begin and end something
	maxCells  = 50_000      // of one table
)

// TakesLongToParse reports a text whose Markdown would take long to read. Who lays out
// notes shows such a one as it is.
func TakesLongToParse(text string) bool {
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
	if count > 0 { // a list item continues those that it is indented below
		indent := start[:len(start)-len(strings.TrimLeft(start, " \t"))]
		count += (len(indent) + 3*strings.Count(indent, "\t")) / 2
	}
	return count
}
