package blue

import (
	"context"
	"log/slog"
	"strings"

	"blue/errors"
	"blue/marker"
)

// logDetection writes one INFO line for each decision, one DEBUG line for each
// source that was heard and not used and one for all that were not, and, once for each
// pair, a WARN when a lower source leads to another project.
func (b *Blue) logDetection(ctx context.Context, c Call, found marker.Found, err error) {
	log := c.Log
	if log == nil {
		log = b.o.Log
	}
	trace := found.Trace
	if err != nil {
		e := errors.Of(err)
		if failure, ok := e.Detail.(marker.Failure); ok {
			trace = failure.Trace
			log.InfoContext(ctx, "detected", "error", string(e.Kind))
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
		if t.Outcome == marker.Absent && t.Detail == "" {
			absent = append(absent, string(t.Source))
			continue
		}
		b.logTried(ctx, log, found, t)
	}
	if len(absent) > 0 {
		log.DebugContext(ctx, "sources absent", "sources", strings.Join(absent, ","))
	}
}

const maxLogged = 1000 // characters of a value that a client sent

// valueKey names what was heard: the root of a session is mcp_root wherever it is logged.
func valueKey(s marker.Source) string {
	if s == marker.Roots || s == marker.Initialize {
		return "mcp_root"
	}
	return "value"
}

func (b *Blue) logTried(ctx context.Context, log *slog.Logger, found marker.Found, t marker.Tried) {
	value := ""
	if t.Value != nil {
		value = *t.Value
	}
	switch t.Outcome {
	case marker.Used:
	case marker.Outranked:
		if b.isFirstWarning(string(found.Source) + "\x00" + found.Root + "\x00" + string(t.Source) + "\x00" + t.Detail) {
			log.WarnContext(ctx, "another source leads to another project", "project", found.Root, "source", string(found.Source), "other", string(t.Source), "detail", t.Detail)
		}
	default:
		log.DebugContext(ctx, "source not used", "source", string(t.Source), valueKey(t.Source), value, "outcome", t.Outcome, "detail", t.Detail)
	}
}

func (b *Blue) isFirstWarning(pair string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	first := !b.warns[pair]
	b.warns[pair] = true
	return first
}
