package note

import "strings"

// Words of the front matter key "status" that mean something. Any other word is a status
// too, and means nothing to the program.
const (
	Active     = "active" // as a note without the key
	Proposed   = "proposed"
	Accepted   = "accepted"
	Rejected   = "rejected"
	Deprecated = "deprecated"
	Superseded = "superseded"
)

// Statuses are the words that mean something, the default one first.
func Statuses() []string {
	return []string{Active, Proposed, Accepted, Rejected, Deprecated, Superseded}
}

// StatusWord is the first word of a status in lower case, by which its meaning goes: people
// write "Superseded by ADR-7" and "Rejected: too slow".
func StatusWord(status string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(status, " *_~`")+" ", " ")
	return strings.ToLower(strings.TrimRight(word, ".,:;!*_~`()"))
}

// IsSuperseded reports the status of a note that another one replaces.
func IsSuperseded(status string) bool { return StatusWord(status) == Superseded }

// IsSetAside reports a status that ranks a note below all others.
func IsSetAside(status string) bool {
	word := StatusWord(status)
	return word == Rejected || word == Deprecated || word == Superseded
}
