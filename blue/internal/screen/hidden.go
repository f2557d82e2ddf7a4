package screen

import "blue/errors"

// Hidden returns the places of the characters that docs/notes.md
// refuses. A byte that is no UTF-8 counts as U+FFFD. A carriage return before a
// newline belongs to the line end and is none.
func Hidden(text string) []Finding {
	var spans []span
	for i, r := range errors.EachHidden(text, errors.HiddenInText) {
		spans = append(spans, span{code: r, start: i, end: i})
	}
	return toFindings(text, spans)
}
