package screen

import "strings"

// findInColumn returns the place of the first secret in the column of a table that the name
// at text[at:after] heads: a table of Markdown, or lines of values with commas, semicolons
// or tabs between them. The end is 0 when there is none.
func findInColumn(text string, at, after int) (start, end int) {
	line := max(0, at-maxHeader)
	line += strings.LastIndexByte(text[line:at], '\n') + 1
	size := strings.IndexByte(text[after:], '\n')
	if size < 0 {
		return 0, 0
	}
	header := text[line : after+size]
	by := separator(header)
	if by == 0 {
		return 0, 0
	}
	column, cells := strings.Count(header[:at-line], string(by)), strings.Count(header, string(by))
	for next := after + size + 1; next < len(text); {
		row, _, _ := strings.Cut(text[next:], "\n")
		if strings.Count(row, string(by)) != cells {
			return 0, 0
		}
		from := cellStart(row, by, column)
		cell, _, _ := strings.Cut(row[from:], string(by))
		value := strings.Trim(cell, " \t\r\"'`*")
		if isLikelySecret(value) && !strings.ContainsAny(value, " \t") && !isReference(value) {
			start = next + from + strings.Index(cell, value)
			return start, start + len(value)
		}
		next += len(row) + 1
	}
	return 0, 0
}

const maxHeader = 512

// separator is what stands between the names of a header, 0 when it is none.
func separator(header string) byte {
	for _, by := range []byte("|,;\t") {
		if cells := strings.Split(header, string(by)); len(cells) > 1 && !strings.ContainsAny(header, "=(){}") {
			longest := 0
			for _, cell := range cells {
				longest = max(longest, len(strings.Fields(cell)))
			}
			if longest <= 3 {
				return by
			}
		}
	}
	return 0
}

// cellStart is where the cell of a column begins in a row that has it.
func cellStart(row string, by byte, column int) (at int) {
	for range column {
		at += strings.IndexByte(row[at:], by) + 1
	}
	return at
}

// isOption reports whether the name that goes on at a byte is an option of a command.
func isOption(text string, at int) bool {
	first := strings.LastIndexAny(text[max(0, at-40):at], " \t\n\"'`") + 1
	return strings.HasPrefix(text[max(0, at-40)+first:at], "-")
}
