package reply

import "strings"

// Related are notes that a new text may replace.
type Related struct {
	Related []string `json:"related,omitempty"` // ids of older notes on the same subject
}

// line says which notes they are, and how the note of an id supersedes one of them: in the
// words of the terminal, or of a tool.
func (r Related) line(id string, terminal bool) string {
	if len(r.Related) == 0 {
		return ""
	}
	how := "blue_edit " + id + " supersedes …"
	if terminal {
		how = "blue edit " + id + " --supersedes …"
	}
	return "Related notes: " + strings.Join(r.Related, ", ") + "\nIf this replaces one of them: " + how + "\n"
}
