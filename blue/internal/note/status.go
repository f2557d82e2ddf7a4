package note

import (
	"cmp"
	"slices"
	"strings"
)

// Values of the key "status" with a meaning to the program. Any other word is a valid status too.
const (
	Active     = "active" // the default
	Proposed   = "proposed"
	Accepted   = "accepted"
	Rejected   = "rejected"
	Deprecated = "deprecated"
	Superseded = "superseded"

	Done = "done" // nothing is left to do about the note
)

// Statuses returns the predefined statuses, the default first.
func Statuses() []string {
	return []string{Active, Proposed, Accepted, Rejected, Deprecated, Superseded}
}

// StatusesOf returns the statuses among which a person chooses for a note of a type, in the order in which
// a note takes them.
func StatusesOf(kind string) []string {
	switch kind {
	case TypeDecision:
		return []string{Proposed, Accepted, Rejected, Deprecated, Superseded}
	case TypeCheckpoint:
		return []string{Active, Done}
	}
	return []string{Proposed, Active, Done, Rejected, Deprecated}
}

// IsProposed reports whether a status says that a note waits for a person to accept it.
func IsProposed(status string) bool { return StatusWord(status) == Proposed }

// StatusWord returns the first word of a status in lower case, which decides its meaning: people
// write "Superseded by ADR-7" and "Rejected: too slow".
func StatusWord(status string) string {
	word, _, _ := strings.Cut(strings.TrimLeft(status, " *_~`")+" ", " ")
	return strings.ToLower(strings.TrimRight(word, ".,:;!*_~`()"))
}

// State returns the status by which notes are grouped: the first word if it is a predefined
// status, otherwise all of it in lower case, as in "in progress".
func State(status string) string {
	if word := StatusWord(status); word == "" || slices.Contains(Statuses(), word) {
		return cmp.Or(word, Active)
	}
	return strings.ToLower(strings.TrimSpace(status))
}

// IsSuperseded reports whether a status says that another note replaces this one.
func IsSuperseded(status string) bool { return StatusWord(status) == Superseded }

// IsSetAside reports whether a status ranks a note below all others.
func IsSetAside(status string) bool {
	word := StatusWord(status)
	return word == Rejected || word == Deprecated || word == Superseded
}

// Replaces reports whether a note of a status replaces those that it supersedes: one that is only
// proposed, or was rejected, replaces none.
func Replaces(status string) bool {
	word := StatusWord(status)
	return word != Proposed && word != Rejected
}

// IsClosed reports whether a status says that nothing is left to do about a note.
func IsClosed(status string) bool {
	return IsSetAside(status) || slices.Contains(closed, StatusWord(status))
}

// closed lists further status words with this meaning, which other tools use.
var closed = []string{
	"abandoned", "archived", "canceled", "cancelled", "closed", "complete", "completed", "done", "dropped", "finished",
	"fixed", "implemented", "merged", "resolved", "shipped", "withdrawn", "won't", "wontfix",
}
