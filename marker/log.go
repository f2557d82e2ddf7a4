package marker

import (
	"context"
	"log/slog"
	"strings"

	"blue/errors"
)

// LogChoice logs a decision: one INFO line, one DEBUG line for each source that was heard and
// not used and one for all that were not, and a WARN when a lower source leads to another
// project and first says that this pair is new.
func LogChoice(ctx context.Context, log *slog.Logger, found Found, err error, first func(pair string) bool) {
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
		log.WarnContext(ctx, "detected", "project", found.Root, "warning", warning)
	}
	var absent []string
	for _, t := range trace {
		if t.Outcome == Absent && t.Detail == "" {
			absent = append(absent, string(t.Source))
			continue
		}
		if t.Outcome != Outranked || first(string(found.Source)+"\x00"+found.Root+"\x00"+string(t.Source)+"\x00"+t.Detail) {
			logTried(ctx, log, found, t)
		}
	}
	if len(absent) > 0 {
		log.DebugContext(ctx, "sources absent", "sources", strings.Join(absent, ","))
	}
}

const maxLogged = 1000 // characters of a value that a client sent

// valueKey names what was heard: the root of a session is mcp_root wherever it is logged.
func valueKey(s Source) string {
	if s == Roots || s == Initialize {
		return "mcp_root"
	}
	return "value"
}

func logTried(ctx context.Context, log *slog.Logger, found Found, t Tried) {
	value := ""
	if t.Value != nil {
		value = *t.Value
	}
	switch t.Outcome {
	case Used:
	case Outranked:
		log.WarnContext(ctx, "another source leads to another project", "project", found.Root, "source", string(found.Source), "other", string(t.Source), "detail", t.Detail)
	default:
		log.DebugContext(ctx, "source not used", "source", string(t.Source), valueKey(t.Source), value, "outcome", t.Outcome, "detail", t.Detail)
	}
}
