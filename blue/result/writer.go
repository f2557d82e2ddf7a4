package result

import (
	"fmt"
	"strings"
)

// writer builds the text of a result line by line.
type writer struct{ strings.Builder }

// line adds a line.
func (w *writer) line(format string, args ...any) { fmt.Fprintf(w, format+"\n", args...) }

// lineIf adds a line if a condition holds.
func (w *writer) lineIf(holds bool, format string, args ...any) {
	if holds {
		w.line(format, args...)
	}
}

// list adds a line with a label and words, unless there are no words.
func (w *writer) list(label string, words []string) {
	w.lineIf(len(words) > 0, "%s: %s", label, strings.Join(words, ", "))
}
