package marker

import (
	"context"
	"log/slog"
	"strings"

	"blue/errors"
)

// Outcomes of a candidate.
const (
	Used         = "used"          // led to the project of this reply
	OtherProject = "other_project" // another entry of the same list led to another project
	Absent       = "absent"        // no value, or no such source for this interface
	Empty        = "empty"         // the client answered with an empty list
	NoAnswer     = "no_answer"     // the client failed or did not answer
	Unusable     = "unusable"      // does not name a readable directory
	Junk         = "junk"          // cannot be a project because of its place or owner
	Outside      = "outside"       // not in the directories that the server serves
	NoMarker     = "no_marker"     // the walk found no marker
	Refused      = "refused"       // a marker was found and refused
	Stopped      = "stopped"       // skipped by the stop rule
)

// Tried is a line of the trace, which has one for each source in the order of the chain and one for
// each entry of a list. On success it ends at the winner, except for entries that led to other
// projects.
type Tried struct {
	Source  Source  `json:"source"`
	Value   *string `json:"value"` // as received, made visible, at most 4,096 bytes; nil for none
	Outcome string  `json:"outcome"`
	Detail  string  `json:"detail"` // for people

	path, reason string // the clean path, and the detail without the name
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

// LogChoice logs a decision: an INFO line, one more for each warning, a DEBUG line for each source that
// had a value but was not used, and one for all absent sources.
func LogChoice(ctx context.Context, log *slog.Logger, found Found, err error) {
	trace := found.Trace
	if err != nil {
		e := errors.Of(err)
		if failure, ok := e.Detail.(Failure); ok {
			trace = failure.Trace
			log.InfoContext(ctx, "not detected", "error", string(e.Kind))
		}
	} else {
		log.InfoContext(ctx, "detected", "project", found.Root, "source", string(found.Source), "id", found.ID)
		log.DebugContext(ctx, "source used", "source", string(found.Source), valueKey(found.Source), errors.Visible(errors.Clip(found.Value, maxLogged)))
	}
	for _, warning := range found.Warnings {
		log.InfoContext(ctx, "detected", "project", found.Root, "warning", warning) // the reply says it too
	}
	var absent []string
	for _, t := range trace {
		if t.Outcome == Absent && t.Detail == "" {
			absent = append(absent, string(t.Source))
			continue
		}
		if t.Outcome != Used {
			value := ""
			if t.Value != nil {
				value = *t.Value
			}
			log.DebugContext(ctx, "source not used", "source", string(t.Source), valueKey(t.Source), value, "outcome", t.Outcome, "detail", t.Detail)
		}
	}
	if len(absent) > 0 {
		log.DebugContext(ctx, "sources absent", "sources", strings.Join(absent, ","))
	}
}

// valueKey returns the log key for the value of a source: mcp_root for the roots of a session.
func valueKey(s Source) string {
	if s == Roots || s == Initialize {
		return "mcp_root"
	}
	return "value"
}
