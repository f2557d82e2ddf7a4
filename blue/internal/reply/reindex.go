package reply

import "fmt"

// Reindexed is the answer to reindex.
type Reindexed struct {
	About
	Notes   int     `json:"notes"`
	Seconds float64 `json:"seconds"`
	Index   string  `json:"index"` // its state, as where shows it
}

// Text is one line, and the project.
func (r Reindexed) Text() string {
	return fmt.Sprintf("Indexed %s in %.1f s: %s\n", Plural(r.Notes, "note"), r.Seconds, r.Index) + r.Lines()
}
