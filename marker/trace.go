package marker

import "strings"

// Outcomes of a candidate.
const (
	Used         = "used"          // led to the project of this reply
	OtherProject = "other_project" // another entry of the same list led to another project
	Outranked    = "outranked"     // leads to another project, but a higher source won
	Absent       = "absent"        // no value, or no such source on this door
	Empty        = "empty"         // the client answered with an empty list
	NoAnswer     = "no_answer"     // the client failed, or stayed silent
	Unusable     = "unusable"      // names no directory that can be read
	Junk         = "junk"          // never a project by place or owner
	Outside      = "outside"       // not one of the directories a server serves
	NoMarker     = "no_marker"     // walked, nothing found
	Refused      = "refused"       // marker found and refused
	Stopped      = "stopped"       // skipped by the stop rule, or by an earlier field
)

// Tried is a line of the trace: one for each source in the order of the chain,
// one for each entry of a list. On success it ends at the winner, but for entries
// that led to other projects.
type Tried struct {
	Source  Source  `json:"source"`
	Value   *string `json:"value"` // as heard, made visible, at most 4,096 bytes; nil for none
	Outcome string  `json:"outcome"`
	Detail  string  `json:"detail"` // for people

	path, reason string // the clean path, and the detail without name and field
}

// Describe returns the line for a person.
func (t Tried) Describe() string {
	text := string(t.Source)
	if t.Value != nil {
		text += ": " + *t.Value
	}
	text += " - " + strings.ReplaceAll(t.Outcome, "_", " ")
	if t.Detail != "" {
		text += " (" + t.Detail + ")"
	}
	return text
}
